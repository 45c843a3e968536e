package server

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"connectrpc.com/connect/v2"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/errmap/errmap/errmap"
	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"
)

// openRPCVersion is the version of the OpenRPC specification that the document
// follows.
const openRPCVersion = "1.3.2"

// apiDocument is an OpenRPC document, as far as descriptors can fill one in.
type apiDocument struct {
	OpenRPC    string         `json:"openrpc"`
	Info       apiInfo        `json:"info"`
	Methods    []apiMethod    `json:"methods"`
	Components *apiComponents `json:"components,omitempty"`
}

type apiInfo struct {
	Title   string `json:"title"`
	Version string `json:"version"`
}

type apiComponents struct {
	Schemas properties `json:"schemas"`
}

type apiMethod struct {
	Name           string              `json:"name"`
	Summary        string              `json:"summary,omitempty"`
	Description    string              `json:"description,omitempty"`
	Deprecated     bool                `json:"deprecated,omitempty"`
	ParamStructure string              `json:"paramStructure"`
	Params         []contentDescriptor `json:"params"`
	Result         contentDescriptor   `json:"result"`
	Errors         []json.RawMessage   `json:"errors,omitempty"`
	// Streaming is "server" for a method that answers with events, each a
	// result of its own.
	Streaming string `json:"x-streaming,omitempty"`
	// UnknownErrors are the errors that the method names and the catalogue
	// does not know.
	UnknownErrors []string `json:"x-unknown-errors,omitempty"`
}

type contentDescriptor struct {
	Name        string  `json:"name"`
	Description string  `json:"description,omitempty"`
	Required    bool    `json:"required,omitempty"`
	Deprecated  bool    `json:"deprecated,omitempty"`
	Schema      *schema `json:"schema"`
}

// describeAPI makes the answer to rpc.discover.
func describeAPI(h *handler) ([]byte, error) {
	document := apiDocument{OpenRPC: openRPCVersion, Info: *h.discovery, Methods: []apiMethod{}}
	schemas := newSchemas()
	names := make([]string, 0, len(h.methods))
	for name, m := range h.methods {
		if m.spec.StreamType&connect.StreamTypeClient == 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		described, err := h.describeMethod(h.methods[name], schemas)
		if err != nil {
			return nil, err
		}
		document.Methods = append(document.Methods, described)
	}
	if len(schemas.components) > 0 {
		slices.SortFunc(schemas.components, func(a, b property) int { return cmp.Compare(a.name, b.name) })
		document.Components = &apiComponents{Schemas: schemas.components}
	}
	return marshalPlain(document)
}

func (h *handler) describeMethod(m *method, schemas *schemas) (apiMethod, error) {
	spec := m.spec
	described := apiMethod{Name: m.name, ParamStructure: "by-name", Params: []contentDescriptor{}}
	if spec.StreamType == connect.StreamTypeServer {
		described.Streaming = spec.StreamType.String()
	}
	descriptor, ok := spec.Schema.(protoreflect.MethodDescriptor)
	if !ok {
		described.Result = contentDescriptor{Name: "result", Schema: &schema{}}
		return described, nil
	}
	described.Description = comment(descriptor)
	described.Summary, _, _ = strings.Cut(described.Description, "\n\n")
	described.Summary = strings.Join(strings.Fields(described.Summary), " ")
	described.Params = schemas.params(descriptor.Input())
	described.Result = contentDescriptor{
		Name:        string(descriptor.Output().Name()),
		Description: comment(descriptor.Output()),
		Schema:      schemas.ofMessage(descriptor.Output()),
	}
	options, err := methodOptions(descriptor)
	if err != nil {
		return apiMethod{}, err
	}
	described.Deprecated = options.GetDeprecated()
	for _, full := range proto.GetExtension(options, errmapv1.E_Errors).([]string) {
		object := h.describeError(protoreflect.FullName(full))
		if object == nil {
			described.UnknownErrors = append(described.UnknownErrors, full)
			continue
		}
		described.Errors = append(described.Errors, object)
	}
	return described, nil
}

// describeError returns what an error without any field set is on the wire; nil
// where the catalogue does not know it.
func (h *handler) describeError(name protoreflect.FullName) json.RawMessage {
	catalog := h.catalog
	if catalog == nil {
		catalog = errmap.Linked()
	}
	found, err := catalog.FindMessageByName(name)
	if err != nil {
		return nil
	}
	if _, err := errmap.DefinitionOf(found.Descriptor()); err != nil {
		return nil
	}
	return errmap.EncodeJSONRPC(errmap.New(found.New().Interface()), h.profile, h.encoding...)
}

// methodOptions returns the options with the extension that names errors read,
// also where the descriptor came from elsewhere and does not link it.
func methodOptions(descriptor protoreflect.MethodDescriptor) (*descriptorpb.MethodOptions, error) {
	raw, err := proto.Marshal(descriptor.Options())
	if err != nil {
		return nil, fmt.Errorf("server: options of %s: %w", descriptor.FullName(), err)
	}
	options := new(descriptorpb.MethodOptions)
	if err := proto.Unmarshal(raw, options); err != nil {
		return nil, fmt.Errorf("server: options of %s: %w", descriptor.FullName(), err)
	}
	return options, nil
}

// comment returns the comment before a declaration, where the descriptors have
// kept it.
func comment(descriptor protoreflect.Descriptor) string {
	location := descriptor.ParentFile().SourceLocations().ByDescriptor(descriptor)
	lines := strings.Split(location.LeadingComments, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// marshalPlain is json.Marshal without the escapes for HTML.
func marshalPlain(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
