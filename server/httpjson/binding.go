package httpjson

import (
	"fmt"
	"net/http"
	"strings"

	"connectrpc.com/connect/v2"
	"github.com/errmap/errmap/internal/inflight"
	"github.com/grpc-ecosystem/grpc-gateway/v2/utilities"
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// binding is one way to call a method: one google.api.HttpRule.
type binding struct {
	spec     connect.Spec
	method   string // of HTTP
	template string
	body     string // "", "*" or the name of a field
	response protoreflect.FieldDescriptor
	bodyName string // the JSON name of the field of body
	bound    *utilities.DoubleArray
	httpBody bool               // the response is a google.api.HttpBody
	size     *inflight.Estimate // of an answer
}

// bindings returns the bindings of a method; none where it has no option.
func bindings(spec connect.Spec) ([]binding, error) {
	md, ok := spec.Schema.(protoreflect.MethodDescriptor)
	if !ok {
		return nil, nil
	}
	rule, err := httpRule(md)
	if rule == nil || err != nil {
		return nil, err
	}
	if md.IsStreamingClient() {
		return nil, fmt.Errorf("httpjson: %s streams its requests, which HTTP+JSON cannot", spec.Procedure)
	}
	var out []binding
	for _, r := range append([]*annotations.HttpRule{rule}, rule.GetAdditionalBindings()...) {
		b, err := newBinding(spec, md, r)
		if err != nil {
			return nil, fmt.Errorf("httpjson: the google.api.http option of %s: %w", spec.Procedure, err)
		}
		out = append(out, b)
	}
	return out, nil
}

// httpRule reads the option of a method, also where the descriptor comes from
// reflection and its options were parsed without knowing this one.
func httpRule(md protoreflect.MethodDescriptor) (*annotations.HttpRule, error) {
	raw, err := proto.Marshal(md.Options())
	if err != nil || len(raw) == 0 {
		return nil, err
	}
	options := new(descriptorpb.MethodOptions)
	if err := proto.Unmarshal(raw, options); err != nil {
		return nil, err
	}
	rule, _ := proto.GetExtension(options, annotations.E_Http).(*annotations.HttpRule)
	if rule.GetPattern() == nil {
		return nil, nil
	}
	return rule, nil
}

func newBinding(spec connect.Spec, md protoreflect.MethodDescriptor, rule *annotations.HttpRule) (binding, error) {
	b := binding{spec: spec, size: new(inflight.Estimate), body: rule.GetBody(), httpBody: md.Output().FullName() == "google.api.HttpBody"}
	switch p := rule.GetPattern().(type) {
	case *annotations.HttpRule_Get:
		b.method, b.template = http.MethodGet, p.Get
	case *annotations.HttpRule_Put:
		b.method, b.template = http.MethodPut, p.Put
	case *annotations.HttpRule_Post:
		b.method, b.template = http.MethodPost, p.Post
	case *annotations.HttpRule_Delete:
		b.method, b.template = http.MethodDelete, p.Delete
	case *annotations.HttpRule_Patch:
		b.method, b.template = http.MethodPatch, p.Patch
	case *annotations.HttpRule_Custom:
		b.method, b.template = p.Custom.GetKind(), p.Custom.GetPath()
	}
	if b.method == "" || b.template == "" {
		return b, fmt.Errorf("it has no method or no path")
	}
	paths := templateFields(b.template)
	for _, path := range paths {
		if err := checkPath(md.Input(), path); err != nil {
			return b, err
		}
	}
	if b.body != "" && b.body != "*" {
		fd := md.Input().Fields().ByName(protoreflect.Name(b.body))
		if fd == nil {
			return b, fmt.Errorf("body %q is no field of %s", b.body, md.Input().FullName())
		}
		b.bodyName = fd.JSONName()
		paths = append(paths, []string{b.body})
	}
	if name := rule.GetResponseBody(); name != "" {
		if b.response = md.Output().Fields().ByName(protoreflect.Name(name)); b.response == nil {
			return b, fmt.Errorf("response_body %q is no field of %s", name, md.Output().FullName())
		}
	}
	b.bound = utilities.NewDoubleArray(paths)
	return b, nil
}

// templateFields returns the field paths of the variables of a path template.
func templateFields(template string) [][]string {
	var fields [][]string
	for rest := template; ; {
		_, after, found := strings.Cut(rest, "{")
		if !found {
			return fields
		}
		name := after[:max(strings.IndexAny(after, "=}"), 0)]
		fields = append(fields, strings.Split(name, "."))
		rest = after
	}
}

func checkPath(md protoreflect.MessageDescriptor, path []string) error {
	for i, name := range path {
		if md == nil {
			return fmt.Errorf("%q of the path is no message", strings.Join(path[:i], "."))
		}
		fd := md.Fields().ByName(protoreflect.Name(name))
		if fd == nil {
			return fmt.Errorf("%q of the path is no field of %s", name, md.FullName())
		}
		md = fd.Message()
	}
	return nil
}
