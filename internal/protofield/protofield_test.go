package protofield_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/errmap/errmap/internal/protofield"
)

func TestEach(t *testing.T) {
	t.Parallel()
	errEnough := errors.New("enough")
	for name, test := range map[string]struct {
		raw  string
		want []string
		err  error
	}{
		"empty":                   {"", nil, nil},
		"each kind":               {"\x08\x01\x12\x02ab\x1d1234\x21" + "12345678" + "\x2a\x00", []string{"2 ab", "5 "}, nil},
		"a group":                 {"\x0b\x12\x01a\x0c\x12\x01b", []string{"2 b"}, nil},
		"an error ends it":        {"\x12\x04stop\x12\x01b", []string{"2 stop"}, errEnough},
		"a length beyond the end": {"\x12\x01a\x12\x05b", []string{"2 a"}, nil},
		"no tag":                  {"\x12\x01a\xff", []string{"2 a"}, nil},
		"field 0":                 {"\x02\x01a", nil, nil},
	} {
		var got []string
		err := protofield.Each([]byte(test.raw), func(number protowire.Number, value []byte) error {
			got = append(got, fmt.Sprint(number, " ", string(value)))
			if string(value) == "stop" {
				return errEnough
			}
			return nil
		})
		if diff := cmp.Diff(test.want, got); diff != "" || !errors.Is(err, test.err) {
			t.Errorf("%s: %v, -want +got\n%s", name, err, diff)
		}
	}
}
