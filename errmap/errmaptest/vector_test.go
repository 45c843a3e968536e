package errmaptest_test

import (
	"testing"

	"github.com/errmap/errmap/errmap/errmaptest"
	"github.com/errmap/errmap/internal/translate"
)

func TestVectors(t *testing.T) {
	t.Parallel()
	vectors, err := errmaptest.Vectors()
	if err != nil {
		t.Fatal(err)
	}
	if len(vectors) < 300 {
		t.Errorf("%d vectors, want at least 300", len(vectors))
	}
	for _, v := range vectors {
		t.Run(v.File+"/"+v.Name, func(t *testing.T) {
			t.Parallel()
			from, to, err := v.Profiles()
			if err != nil {
				t.Fatal(err)
			}
			result, err := translate.Run(translate.Request{
				From: translate.Form(v.From), FromProfile: from, To: translate.Form(v.To), ToProfile: to,
				HTTPStatus: v.HTTPStatus, Input: v.InputText(),
			})
			got := errmaptest.Answer{Output: result.Output, HTTPStatus: result.HTTPStatus, Notes: result.Notes, Err: err}
			if diff := v.Diff(got); diff != "" {
				t.Errorf("%s\ninput %s\n(-want +got):\n%s", v.Rule, v.InputText(), diff)
			}
		})
	}
}

func TestVectors_names(t *testing.T) {
	t.Parallel()
	vectors, err := errmaptest.Vectors()
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]int{}
	seen := map[string]bool{}
	for _, v := range vectors {
		sections[v.Section]++
		if key := v.File + "/" + v.Name; seen[key] {
			t.Errorf("%s stands twice", key)
		} else {
			seen[key] = true
		}
		if v.Name == "" || v.Rule == "" || v.Input == nil || (v.Output == nil) != v.Error {
			t.Errorf("%s/%s lacks a member", v.File, v.Name)
		}
	}
	for _, section := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"} {
		if sections[section] == 0 {
			t.Errorf("no vector of section %s", section)
		}
	}
}
