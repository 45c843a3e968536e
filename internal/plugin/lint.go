package plugin

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/protobuf/reflect/protoreflect"

	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"
)

// Limits of AIP-193, section ErrorInfo, and of JSON-RPC 2.0, section 5.1.
const (
	maxReason      = 63
	maxKey         = 64
	reasonPattern  = "[A-Z][A-Z0-9_]+[A-Z0-9]"
	keyPattern     = "[a-z][a-zA-Z0-9-_]+"
	firstReserved  = -32768
	lastReserved   = -32000
	minErrorStatus = 400
	maxErrorStatus = 599
)

var (
	reasonSyntax = regexp.MustCompile("^" + reasonPattern + "$")
	keySyntax    = regexp.MustCompile("^" + keyPattern + "$")
)

// ownNumbers are the numbers in the reserved range that a protocol's own domain
// may use, as first and last of each run.
var ownNumbers = map[string][][2]int32{
	"a2a-protocol.org":        {{-32099, -32001}},
	"modelcontextprotocol.io": {{-32099, -32000}, {-32602, -32602}},
}

// LintRule is a rule that every schema must keep.
type LintRule struct {
	// ID names the rule in configuration, such as ERRMAP_REASON.
	ID string
	// Purpose is a sentence that says what the rule checks.
	Purpose string
	check   func(*Schema, func(Mistake))
}

// LintRules returns all lint rules.
func LintRules() []LintRule {
	return []LintRule{
		{"ERRMAP_CODE", "Checks that every error has a code other than OK.", eachDefinition(checkCode)},
		{"ERRMAP_DOMAIN", "Checks that every error has a domain, and that domains are registered names.", checkDomains},
		{"ERRMAP_REASON", "Checks that reasons are as AIP-193 wants them.", eachDefinition(checkReason)},
		{"ERRMAP_IDENTITY_UNIQUE", "Checks that no two errors have the same domain and reason.", checkIdentityUnique},
		{"ERRMAP_JSONRPC_CODE", "Checks that JSON-RPC numbers are legal.", eachDefinition(checkJSONRPC)},
		{"ERRMAP_JSONRPC_CODE_UNIQUE", "Checks that no two errors of a domain have the same JSON-RPC number.", checkJSONRPCUnique},
		{"ERRMAP_HTTP_STATUS", "Checks that HTTP statuses are those of errors.", eachDefinition(checkHTTPStatus)},
		{"ERRMAP_PROBLEM_TYPE", "Checks that problem types are URIs.", eachDefinition(checkProblemType)},
		{"ERRMAP_TITLE", "Checks that titles have no placeholders.", eachDefinition(checkTitle)},
		{"ERRMAP_MESSAGE", "Checks that the placeholders of messages name fields that have a text.", eachDefinition(checkMessage)},
		{"ERRMAP_METADATA_KEY", "Checks that metadata keys are as AIP-193 wants them.", eachDefinition(checkMetadataKeys)},
		{"ERRMAP_VALUE_FIELD", "Checks that no field is a google.protobuf.Value.", eachDefinition(checkValueFields)},
		{"ERRMAP_DETAIL_UNIQUE", "Checks that no error has two fields of one detail type.", eachDefinition(checkDetails)},
		{"ERRMAP_DETAIL_SINGULAR", "Checks that no detail type is repeated or in a map, where it would be no detail.", eachDefinition(checkRepeated)},
		{"ERRMAP_HELP", "Checks that links of help have a description and an absolute URL.", eachDefinition(checkHelp)},
		{"ERRMAP_GO_NAME", "Checks that no field or oneof clashes with the Error method in Go.", checkGoNames},
		{"ERRMAP_METHOD_ERRORS", "Checks that methods name errors that exist.", checkMethods},
	}
}

func eachDefinition(check func(*Definition, func(Mistake))) func(*Schema, func(Mistake)) {
	return func(s *Schema, report func(Mistake)) {
		for _, d := range s.definitions {
			check(d, func(m Mistake) {
				m.File = d.Message.ParentFile()
				report(m)
			})
		}
	}
}

func checkCode(d *Definition, report func(Mistake)) {
	c := d.Options.GetCode()
	m := Mistake{
		Path:     d.optionPath(optionCode),
		Expected: "expected the code of an error",
		Remedy:   "choose another of google.rpc.Code",
	}
	if c == code.Code_OK {
		m.What = "code is OK or absent"
		report(m)
	} else if _, known := code.Code_name[int32(c)]; !known {
		m.What = fmt.Sprintf("code %d is none of google.rpc.Code", c)
		report(m)
	}
}

func checkReason(d *Definition, report func(Mistake)) {
	m := Mistake{Path: d.optionPath(optionInfo, infoReason), Remedy: "change info.reason"}
	reason := fmt.Sprintf("reason %q", d.Reason)
	if d.Options.GetInfo().GetReason() == "" {
		reason += fmt.Sprintf(" from the name %s", d.Message.Name())
		m.Remedy = "set info.reason"
	}
	switch {
	case !reasonSyntax.MatchString(d.Reason):
		m.What = reason + " is malformed"
		m.Expected = "expected " + reasonPattern + " (AIP-193)"
		report(m)
	case len(d.Reason) > maxReason:
		m.What = fmt.Sprintf("%s has %d characters", reason, len(d.Reason))
		m.Expected = fmt.Sprintf("expected at most %d (AIP-193)", maxReason)
		report(m)
	}
}

func checkIdentityUnique(s *Schema, report func(Mistake)) {
	type identity struct{ domain, reason string }
	first := make(map[identity]*Definition)
	for _, d := range s.definitions {
		id := identity{d.Domain, d.Reason}
		if id.domain == "" {
			continue
		}
		other, taken := first[id]
		if !taken {
			first[id] = d
			continue
		}
		report(Mistake{
			File:     d.Message.ParentFile(),
			Path:     d.optionPath(optionInfo, infoReason),
			What:     fmt.Sprintf("%s is %s/%s, and so is %s", d.Message.FullName(), d.Domain, d.Reason, other.place()),
			Expected: "expected one error for each domain and reason",
			Remedy:   "set info.reason in one of them",
		})
	}
}

func checkJSONRPC(d *Definition, report func(Mistake)) {
	if d.Options.JsonrpcCode == nil {
		return
	}
	number := d.Options.GetJsonrpcCode()
	m := Mistake{Path: d.optionPath(optionJSONRPC)}
	switch {
	case number == 0:
		m.What = "jsonrpc_code is 0"
		m.Expected = "expected the number of an error"
		m.Remedy = "choose another, or leave it out for the one that the code stands for"
		report(m)
	case firstReserved <= number && number <= lastReserved && !owns(d.Domain, number):
		m.What = fmt.Sprintf("jsonrpc_code %d is reserved, and %q does not own it", number, d.Domain)
		m.Expected = fmt.Sprintf("expected a number outside %d..%d (JSON-RPC 2.0, section 5.1)", firstReserved, lastReserved)
		m.Remedy = "choose another, or leave it out for the one that the code stands for"
		report(m)
	}
}

func owns(domain string, number int32) bool {
	return slices.ContainsFunc(ownNumbers[domain], func(run [2]int32) bool {
		return run[0] <= number && number <= run[1]
	})
}

func checkJSONRPCUnique(s *Schema, report func(Mistake)) {
	type key struct {
		domain string
		number int32
	}
	first := make(map[key]*Definition)
	for _, d := range s.definitions {
		if d.Options.JsonrpcCode == nil || d.Domain == "" {
			continue
		}
		k := key{d.Domain, d.Options.GetJsonrpcCode()}
		other, taken := first[k]
		if !taken {
			first[k] = d
			continue
		}
		report(Mistake{
			File:     d.Message.ParentFile(),
			Path:     d.optionPath(optionJSONRPC),
			What:     fmt.Sprintf("jsonrpc_code %d of %s is also that of %s", k.number, k.domain, other.place()),
			Expected: "expected one error for each number of a domain",
			Remedy:   "choose another in one of them",
		})
	}
}

func checkHTTPStatus(d *Definition, report func(Mistake)) {
	if d.Options.HttpStatus == nil {
		return
	}
	if status := d.Options.GetHttpStatus(); status < minErrorStatus || status > maxErrorStatus {
		report(Mistake{
			Path:     d.optionPath(optionHTTP),
			What:     fmt.Sprintf("http_status %d is not that of an error", status),
			Expected: fmt.Sprintf("expected %d to %d", minErrorStatus, maxErrorStatus),
			Remedy:   "choose one, or leave it out for the one that the code stands for",
		})
	}
}

func checkProblemType(d *Definition, report func(Mistake)) {
	text := d.Options.GetProblemType()
	if text == "" {
		return
	}
	uri, err := url.Parse(text)
	if err != nil || !uri.IsAbs() || strings.ContainsAny(text, "\"<>\\^`{|} ") {
		report(Mistake{
			Path:     d.optionPath(optionProblem),
			What:     fmt.Sprintf("problem_type %q is no absolute URI", text),
			Expected: "expected one such as https://orders.example.com/errors/order-not-found (RFC 9457, section 3.1.1)",
			Remedy:   "write one, or leave it out for the one of domain and reason",
		})
	}
}

func checkMetadataKeys(d *Definition, report func(Mistake)) {
	check := func(key, origin string, path protoreflect.SourcePath, remedy string) {
		m := Mistake{Path: path, Remedy: remedy}
		switch {
		case !keySyntax.MatchString(key):
			m.What = fmt.Sprintf("metadata key %q%s is malformed", key, origin)
			m.Expected = "expected " + keyPattern + " (AIP-193)"
			report(m)
		case len(key) > maxKey:
			m.What = fmt.Sprintf("metadata key %q%s has %d characters", key, origin, len(key))
			m.Expected = fmt.Sprintf("expected at most %d (AIP-193)", maxKey)
			report(m)
		}
	}
	first := make(map[string]protoreflect.FieldDescriptor)
	for fd := range fields(d.Message) {
		if IsDetail(fd) {
			continue
		}
		key := fd.JSONName()
		check(key, fmt.Sprintf(" of field %s", fd.Name()), PathOf(fd), "rename the field or set its json_name")
		if other, taken := first[key]; taken {
			report(Mistake{
				Path:     PathOf(fd),
				What:     fmt.Sprintf("metadata key %q of field %s is also that of field %s", key, fd.Name(), other.Name()),
				Expected: "expected one field for each key",
				Remedy:   "set the json_name of one of them",
			})
			continue
		}
		first[key] = fd
	}
	for _, key := range slices.Sorted(maps.Keys(d.Options.GetInfo().GetMetadata())) {
		// Which entry it is the order of a map does not say: the first has
		// the nearest position.
		check(key, "", d.optionPath(optionInfo, infoMetadata, 0), "rename it")
	}
}

func checkValueFields(d *Definition, report func(Mistake)) {
	for fd := range fields(d.Message) {
		if fd.Message() != nil && fd.Message().FullName() == "google.protobuf.Value" {
			report(Mistake{
				Path:     PathOf(fd),
				What:     fmt.Sprintf("field %s is a google.protobuf.Value, which does not come back from metadata as it was", fd.Name()),
				Expected: "expected a scalar, google.protobuf.Struct or a message of your own",
				Remedy:   "change its type",
			})
		}
	}
}

func checkDetails(d *Definition, report func(Mistake)) {
	first := make(map[protoreflect.FullName]protoreflect.FieldDescriptor)
	for fd := range fields(d.Message) {
		if !IsDetail(fd) {
			continue
		}
		name := fd.Message().FullName()
		other, taken := first[name]
		if !taken {
			first[name] = fd
			continue
		}
		report(Mistake{
			Path:     PathOf(fd),
			What:     fmt.Sprintf("field %s is a %s, and so is field %s", fd.Name(), name, other.Name()),
			Expected: "expected each detail type once (AIP-193)",
			Remedy:   "remove one of them",
		})
	}
}

func checkMethods(s *Schema, report func(Mistake)) {
	for _, file := range s.files {
		for method := range methods(file) {
			for i, name := range Returns(method) {
				m := Mistake{
					File:     file,
					Path:     PathOf(method, methodOptions, int32(errmapv1.E_Errors.TypeDescriptor().Number()), int32(i)),
					Expected: "expected the full name of a message with the (errmap.v1.error) option",
				}
				d, known := s.byName[protoreflect.FullName(name)]
				switch {
				case s.definition(protoreflect.FullName(name)) != nil:
					continue
				case !known:
					m.What = fmt.Sprintf("%s returns %q, which does not exist in this module or what it imports", method.FullName(), name)
					m.Remedy = "mend the name, or import the file of the error"
				default:
					m.What = fmt.Sprintf("%s returns %q, which is no error", method.FullName(), d.FullName())
					m.Remedy = "annotate the message, or remove the name"
				}
				report(m)
			}
		}
	}
}

// place names the message and says where it stands.
func (d *Definition) place() string {
	file := d.Message.ParentFile()
	m := Mistake{File: file, Path: PathOf(d.Message)}
	line, column := m.position()
	return fmt.Sprintf("%s (%s:%d:%d)", d.Message.FullName(), file.Path(), line, column)
}
