package errmap

import (
	"reflect"
	"strings"

	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/errmap/errmap/internal/cause"
	"github.com/errmap/errmap/internal/hub"
)

// foreign returns what the first error of another RPC library in a chain says: one
// with a status of grpc-go, or one of Connect of either version. It is nil where there
// is none. They are known by their methods, so that a handler may forward the error of
// whatever client it has, and no library is linked that a program does not use.
func foreign(err error) (e *Error) {
	for err != nil {
		if e := ofLibrary(err); e != nil {
			return e
		}
		several, one := unwrap(err)
		for _, inner := range several {
			if e := foreign(inner); e != nil {
				return e
			}
		}
		err = one
	}
	return nil
}

// ofLibrary reads one link. The methods of a nil pointer may panic: then it says nothing.
func ofLibrary(link error) (e *Error) {
	defer func() {
		if recover() != nil {
			e = nil
		}
	}()
	s := ofGRPC(link)
	if s == nil {
		s = ofConnect(link)
	}
	e, err := FromStatus(s)
	if err != nil { // nil, or OK
		return nil
	}
	if ofFailedCall(link, s.GetMessage()) {
		return e.WithLocal()
	}
	return e.WithRemote()
}

// ofGRPC returns the status of an error of grpc-go, whose type only that has; nil for
// another.
func ofGRPC(link error) *statuspb.Status {
	method := reflect.ValueOf(link).MethodByName("GRPCStatus")
	if !method.IsValid() || method.Type().NumIn() != 0 || method.Type().NumOut() != 1 {
		return nil
	}
	said, ok := method.Call(nil)[0].Interface().(interface{ Proto() *statuspb.Status })
	if !ok {
		return nil
	}
	return said.Proto()
}

// ofConnect returns what an error of Connect says; nil for another.
func ofConnect(link error) *statuspb.Status {
	v := reflect.ValueOf(link)
	switch {
	case v.Kind() != reflect.Pointer || v.IsNil() || v.Type().Elem().Name() != "Error":
		return nil
	case v.Type().Elem().PkgPath() != "connectrpc.com/connect" && v.Type().Elem().PkgPath() != "connectrpc.com/connect/v2":
		return nil
	}
	text, ok := link.(interface{ Message() string })
	code, details := v.MethodByName("Code"), v.MethodByName("Details")
	if !ok || !code.IsValid() || !details.IsValid() {
		return nil
	}
	s := &statuspb.Status{Code: int32(min(code.Call(nil)[0].Uint(), 1<<31-1)), Message: text.Message()} //nolint:gosec // it is bounded
	for list, i := details.Call(nil)[0], 0; i < list.Len(); i++ {
		if d := connectDetail(list.Index(i)); d != nil {
			s.Details = append(s.Details, d)
		}
	}
	return s
}

// connectDetail returns a detail: in v1 it has methods, in v2 fields.
func connectDetail(v reflect.Value) *anypb.Any {
	if v.IsNil() {
		return nil
	}
	if d, ok := v.Interface().(interface {
		Type() string
		Bytes() []byte
	}); ok {
		return &anypb.Any{TypeUrl: hub.CompleteURL(d.Type()), Value: d.Bytes()}
	}
	name, value := v.Elem().FieldByName("Type"), v.Elem().FieldByName("Value")
	return &anypb.Any{TypeUrl: hub.CompleteURL(name.String()), Value: value.Bytes()}
}

// ofFailedCall tells whether a library made an error of what the network or a context
// said: that is its cause, and its text is in the message, or grpc-go says so.
func ofFailedCall(link error, text string) bool {
	if strings.HasPrefix(text, "connection error: desc = ") || strings.HasPrefix(text, "error reading from server: ") || cause.CutText(text) {
		return true
	}
	_, why := unwrap(link)
	return why != nil && cause.OfCall(why) && strings.Contains(text, why.Error())
}
