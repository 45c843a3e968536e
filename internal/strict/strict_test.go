package strict_test

import (
	"encoding/json"
	"testing"

	a2apb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/errmap/errmap/internal/schema/schematest"
	"github.com/errmap/errmap/internal/strict"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
)

func TestAppend(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		m          proto.Message
		text, want string
	}{
		{new(a2apb.ListTasksResponse), `{}`, `{"tasks":[],"nextPageToken":"","pageSize":0,"totalSize":0}`},
		{&a2apb.ListTasksResponse{TotalSize: 3, NextPageToken: "n"}, `{"nextPageToken":"n","totalSize":3}`, `{"nextPageToken":"n","totalSize":3,"tasks":[],"pageSize":0}`},
		{&a2apb.ListTasksResponse{Tasks: []*a2apb.Task{{}}}, `{"tasks":[{}]}`, `{"tasks":[{}],"nextPageToken":"","pageSize":0,"totalSize":0}`},
		{new(a2apb.TaskStatus), `{}`, `{"state":"TASK_STATE_UNSPECIFIED"}`},
		{new(shopv1.GetResponse), `{}`, `{}`},
	} {
		for range 2 {
			if got := string(strict.Append([]byte("before"+test.text), test.m.ProtoReflect())); got != "before"+test.want {
				t.Errorf("%s became %s, want %s", test.text, got, test.want)
			}
		}
	}
}

func TestUnknownEnum(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"status":"TASK_STATE_WORKING"}`: "", `{"status":2}`: "", `{"status":77}`: "", `{"status":null}`: "", `{"later":"X"}`: "", `{`: "",
		`{"status":"TASK_STATE_IDLE"}`: "status", `{"status":""}`: "status",
	} {
		if got := strict.UnknownEnum([]byte(text), new(a2apb.ListTasksRequest).ProtoReflect().Descriptor()); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	message := new(a2apb.Task).ProtoReflect().Descriptor()
	for text, want := range map[string]string{
		`{"history":[{"role":"ROLE_USER"},{"role":"ROLE_BOSS"}]}`: "history[1].role",
		`{"status":{"state":"IDLE"}}`:                             "status.state",
		`{"metadata":{"status":"IDLE"}}`:                          "",
		`{"history":{"role":"ROLE_BOSS"},"status":["IDLE"]}`:      "",
	} {
		if got := strict.UnknownEnum([]byte(text), message); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// A JSON name may be any text, and many schemas may come by.
func TestAppend_dynamic(t *testing.T) {
	t.Parallel()
	const source = `syntax = "proto3"; package p; import "google/api/field_behavior.proto";
		message M { string a = 1 [json_name = "é\a\"", (google.api.field_behavior) = REQUIRED]; }`
	for range 3 {
		md := schematest.Compile(t, source).Messages().ByName("M")
		got := strict.Append([]byte("{}"), dynamicpb.NewMessage(md))
		var members map[string]string
		if err := json.Unmarshal(got, &members); err != nil || len(members) != 1 {
			t.Fatalf("%s: %v", got, err)
		}
		if _, ok := members["é\a\""]; !ok {
			t.Errorf("%s", got)
		}
	}
}
