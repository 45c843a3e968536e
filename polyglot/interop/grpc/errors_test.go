package grpc_test

import (
	"fmt"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/errmap/errmap/errmap"
)

const (
	reason = "STOCK_EMPTY"
	domain = "shop.example.com"
)

// failure is one error that every peer is shown.
type failure struct {
	name string
	err  *errmap.Error
}

// failures go from small to enormous: the limit of a peer is on all headers
// together, so each part of an error is the large one of some of them. All have
// the same first ErrorInfo.
var failures = newFailures()

func newFailures() []failure {
	ascii := func(n int) string { return strings.Repeat("x", n) }
	words := func(n int) map[string]string {
		m := make(map[string]string)
		for i := range n {
			m[fmt.Sprintf("key_%03d", i)] = ascii(100)
		}
		return m
	}
	plain := func(message string, details ...proto.Message) *errmap.Error {
		e := errmap.NewCode(code.Code_FAILED_PRECONDITION, message).WithDetail(&errdetails.ErrorInfo{Reason: reason, Domain: domain})
		for _, d := range details {
			e = e.WithDetail(d)
		}
		return e
	}
	// Each type once is what WithDetail keeps; a status may have it more often.
	many := func(message string, details ...proto.Message) *errmap.Error {
		s := plain(message).Status()
		for _, d := range details {
			packed, err := anypb.New(d)
			if err != nil {
				panic(err) // a detail above is no valid message
			}
			s.Details = append(s.Details, packed)
		}
		e, err := errmap.FromStatus(s)
		if err != nil {
			panic(err) // the status above is no error
		}
		return e
	}
	info := func(metadata map[string]string) *errmap.Error {
		return errmap.NewCode(code.Code_FAILED_PRECONDITION, "none left").
			WithDetail(&errdetails.ErrorInfo{Reason: reason, Domain: domain, Metadata: metadata})
	}
	violations := func(n int) *errdetails.BadRequest {
		bad := new(errdetails.BadRequest)
		for i := range n {
			bad.FieldViolations = append(bad.FieldViolations, &errdetails.BadRequest_FieldViolation{Field: fmt.Sprintf("items[%d].quantity", i), Description: "must be positive", Reason: "POSITIVE"})
		}
		return bad
	}
	var infos, links []proto.Message
	for i := range 200 {
		infos = append(infos, &errdetails.ErrorInfo{Reason: fmt.Sprintf("OTHER_%d", i), Domain: domain, Metadata: map[string]string{"place": fmt.Sprint(i)}})
		links = append(links, &errdetails.Help{Links: []*errdetails.Help_Link{{Description: "how to", Url: fmt.Sprintf("https://example.com/%d", i)}}})
	}
	preconditions, quotas := new(errdetails.PreconditionFailure), new(errdetails.QuotaFailure)
	for i := range 300 {
		preconditions.Violations = append(preconditions.Violations, &errdetails.PreconditionFailure_Violation{Type: "STOCK", Subject: fmt.Sprint("sku:", i), Description: "none left"})
		quotas.Violations = append(quotas.Violations, &errdetails.QuotaFailure_Violation{Subject: fmt.Sprint("user:", i), Description: "too many"})
	}
	tree, err := structpb.NewStruct(map[string]any{"tree": ascii(6000)})
	if err != nil {
		panic(err) // the map above has a value that no Struct has
	}
	retry := &errdetails.RetryInfo{RetryDelay: durationpb.New(3 * time.Second)}
	unknown := &anypb.Any{TypeUrl: "type.googleapis.com/shop.v9.Unknown", Value: []byte("\x0a\xf0\x2e" + ascii(6000))}
	foreign, err := errmap.DecodeConnect([]byte(`{"code":"failed_precondition","message":"none left","trace":"`+ascii(6000)+`","details":[`+
		`{"type":"google.rpc.ErrorInfo","value":"CgtTVE9DS19FTVBUWRIQc2hvcC5leGFtcGxlLmNvbQ"}]}`), errmap.WithHTTPStatus(400))
	if err != nil {
		panic(err) // the body above is no error of Connect
	}
	everything := many(ascii(2000), retry, violations(60), &errdetails.DebugInfo{Detail: ascii(3000)}, &errdetails.LocalizedMessage{Locale: "de", Message: ascii(500)}, links[0], infos[0], tree)
	return []failure{
		{"a code and a word", plain("gone")},
		{"an empty message", plain("")},
		{"a message of 1,000", plain(ascii(1000))},
		{"a message of 5,900", plain(ascii(5900))},
		{"a message of 7,000", plain(ascii(7000))},
		{"a message of 8,050", plain(ascii(8050))},
		{"a message of 8,192", plain(ascii(8192))},
		{"a message of 20,000", plain(ascii(20_000))},
		{"a message of 1,000,000", plain(ascii(1_000_000))},
		{"1,000 times é", plain(strings.Repeat("é", 1000))},
		{"3,000 times é", plain(strings.Repeat("é", 3000))},
		{"2,000 emoji", plain(strings.Repeat("🙂", 2000))},
		{"line ends", plain(strings.Repeat("\r\n", 2500))},
		{"one entry of 5,900", info(map[string]string{"value": ascii(5900)})},
		{"an entry of 70,000", info(map[string]string{"value": ascii(70_000)})},
		{"50 entries", info(words(50))},
		{"500 entries", info(words(500))},
		{"5,900 bytes of violations", plain("none left", violations(100))},
		{"5,000 violations", plain("none left", violations(5000))},
		{"300 preconditions", plain("none left", preconditions)},
		{"300 quotas", plain("none left", quotas)},
		{"200 ErrorInfos", many("none left", infos...)},
		{"200 links", many("none left", links...)},
		{"a stack of 6,000", plain("none left", &errdetails.DebugInfo{StackEntries: strings.Split(strings.Repeat("main.go:1\n", 600), "\n")})},
		{"a stack of 200,000", plain("none left", &errdetails.DebugInfo{Detail: ascii(200_000)})},
		{"a Struct of 6,000", plain("none left", tree)},
		{"a localized message of 7,000", plain("none left", &errdetails.LocalizedMessage{Locale: "de", Message: ascii(7000)})},
		{"bytes of a type that is not known", plain("none left").WithDetail(unknown)},
		{"a member of 6,000 that rides along", foreign},
		{"all at once", everything},
	}
}
