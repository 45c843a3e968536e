package server

import (
	"bytes"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

const componentPrefix = "#/components/schemas/"

// schema is the part of JSON Schema (draft 7, which OpenRPC uses) that ProtoJSON
// needs. The empty schema allows anything.
type schema struct {
	Ref                  string     `json:"$ref,omitempty"`
	Title                string     `json:"title,omitempty"`
	Description          string     `json:"description,omitempty"`
	Type                 any        `json:"type,omitempty"`
	Format               string     `json:"format,omitempty"`
	Pattern              string     `json:"pattern,omitempty"`
	ContentEncoding      string     `json:"contentEncoding,omitempty"`
	Enum                 []string   `json:"enum,omitempty"`
	Minimum              *int64     `json:"minimum,omitempty"`
	Maximum              *int64     `json:"maximum,omitempty"`
	AnyOf                []*schema  `json:"anyOf,omitempty"`
	Not                  *schema    `json:"not,omitempty"`
	Items                *schema    `json:"items,omitempty"`
	Properties           properties `json:"properties,omitempty"`
	Required             []string   `json:"required,omitempty"`
	PropertyNames        *schema    `json:"propertyNames,omitempty"`
	AdditionalProperties *schema    `json:"additionalProperties,omitempty"`
}

type property struct {
	name   string
	schema *schema
}

// properties are named schemas in an order of their own.
type properties []property

// MarshalJSON writes an object whose members keep their order.
func (p properties) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, member := range p {
		if i > 0 {
			out.WriteByte(',')
		}
		name, err := marshalPlain(member.name)
		if err != nil {
			return nil, err
		}
		value, err := marshalPlain(member.schema)
		if err != nil {
			return nil, err
		}
		out.Write(name)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// schemas collects the messages and enums that a document refers to.
type schemas struct {
	seen       map[protoreflect.FullName]bool
	components properties
}

func newSchemas() *schemas { return &schemas{seen: make(map[protoreflect.FullName]bool)} }

// params describes the fields of a request message as parameters by name.
func (s *schemas) params(message protoreflect.MessageDescriptor) []contentDescriptor {
	params := []contentDescriptor{}
	if wellKnown(message.FullName()) != nil {
		return params
	}
	for i := range message.Fields().Len() {
		field := message.Fields().Get(i)
		params = append(params, contentDescriptor{
			Name:        field.JSONName(),
			Description: comment(field),
			Required:    field.Cardinality() == protoreflect.Required,
			Deprecated:  isDeprecated(field),
			Schema:      s.ofField(field),
		})
	}
	return params
}

func isDeprecated(field protoreflect.FieldDescriptor) bool {
	options, _ := field.Options().(*descriptorpb.FieldOptions)
	return options.GetDeprecated()
}

// ofMessage returns the schema of a message type, which is a component unless
// ProtoJSON gives the type a form of its own.
func (s *schemas) ofMessage(message protoreflect.MessageDescriptor) *schema {
	name := message.FullName()
	if own := wellKnown(name); own != nil {
		return own
	}
	if !s.seen[name] {
		s.seen[name] = true
		body := &schema{Title: string(message.Name()), Description: comment(message), Type: "object"}
		for i := range message.Fields().Len() {
			field := message.Fields().Get(i)
			described := s.ofField(field)
			// A reference has no neighbours in draft 7, so what it refers to
			// speaks for itself.
			if described.Ref == "" {
				described.Description = comment(field)
			}
			body.Properties = append(body.Properties, property{field.JSONName(), described})
			if field.Cardinality() == protoreflect.Required {
				body.Required = append(body.Required, field.JSONName())
			}
		}
		body.Not = exclusive(message)
		s.components = append(s.components, property{string(name), body})
	}
	return &schema{Ref: componentPrefix + string(name)}
}

func (s *schemas) ofField(field protoreflect.FieldDescriptor) *schema {
	switch {
	case field.IsMap():
		object := &schema{Type: "object", AdditionalProperties: s.ofValue(field.MapValue())}
		switch field.MapKey().Kind() {
		case protoreflect.StringKind:
		case protoreflect.BoolKind:
			object.PropertyNames = &schema{Enum: []string{"true", "false"}}
		default:
			object.PropertyNames = &schema{Pattern: "^-?[0-9]+$"}
		}
		return object
	case field.IsList():
		return &schema{Type: "array", Items: s.ofValue(field)}
	}
	return s.ofValue(field)
}

// ofValue returns the schema of one value of a field.
func (s *schemas) ofValue(field protoreflect.FieldDescriptor) *schema {
	switch field.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return s.ofMessage(field.Message())
	case protoreflect.EnumKind:
		return s.ofEnum(field.Enum())
	}
	return ofScalar(field.Kind())
}

func (s *schemas) ofEnum(enum protoreflect.EnumDescriptor) *schema {
	name := enum.FullName()
	if name == "google.protobuf.NullValue" {
		return &schema{Type: "null"}
	}
	if !s.seen[name] {
		s.seen[name] = true
		names := &schema{Type: "string"}
		for i := range enum.Values().Len() {
			names.Enum = append(names.Enum, string(enum.Values().Get(i).Name()))
		}
		// A value that has no name is written as its number.
		body := &schema{Title: string(enum.Name()), Description: comment(enum), AnyOf: []*schema{names, {Type: "integer"}}}
		s.components = append(s.components, property{string(name), body})
	}
	return &schema{Ref: componentPrefix + string(name)}
}

func ofScalar(kind protoreflect.Kind) *schema {
	limits := func(low, high int64) *schema {
		return &schema{Type: "integer", Minimum: &low, Maximum: &high}
	}
	switch kind {
	case protoreflect.BoolKind:
		return &schema{Type: "boolean"}
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return limits(-1<<31, 1<<31-1)
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return limits(0, 1<<32-1)
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return &schema{Type: []string{"string", "integer"}, Format: "int64", Pattern: "^-?[0-9]+$"}
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return &schema{Type: []string{"string", "integer"}, Format: "uint64", Pattern: "^[0-9]+$"}
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return &schema{AnyOf: []*schema{{Type: "number"}, {Enum: []string{"NaN", "Infinity", "-Infinity"}}}}
	case protoreflect.BytesKind:
		return &schema{Type: "string", ContentEncoding: "base64"}
	}
	return &schema{Type: "string"}
}

// wellKnown returns the schema of a type that ProtoJSON does not write as an
// object of its fields; nil for any other.
func wellKnown(name protoreflect.FullName) *schema {
	nullable := func(kind protoreflect.Kind) *schema {
		return &schema{AnyOf: []*schema{ofScalar(kind), {Type: "null"}}}
	}
	switch name {
	case "google.protobuf.Any":
		return &schema{Type: "object", Properties: properties{{"@type", &schema{Type: "string"}}}}
	case "google.protobuf.Duration":
		return &schema{Type: "string", Pattern: `^-?[0-9]+(\.[0-9]{1,9})?s$`}
	case "google.protobuf.Empty", "google.protobuf.Struct":
		return &schema{Type: "object"}
	case "google.protobuf.FieldMask":
		return &schema{Type: "string"}
	case "google.protobuf.ListValue":
		return &schema{Type: "array"}
	case "google.protobuf.Timestamp":
		return &schema{Type: "string", Format: "date-time"}
	case "google.protobuf.Value":
		return &schema{}
	case "google.protobuf.BoolValue":
		return nullable(protoreflect.BoolKind)
	case "google.protobuf.BytesValue":
		return nullable(protoreflect.BytesKind)
	case "google.protobuf.DoubleValue", "google.protobuf.FloatValue":
		return nullable(protoreflect.DoubleKind)
	case "google.protobuf.Int32Value":
		return nullable(protoreflect.Int32Kind)
	case "google.protobuf.Int64Value":
		return nullable(protoreflect.Int64Kind)
	case "google.protobuf.StringValue":
		return nullable(protoreflect.StringKind)
	case "google.protobuf.UInt32Value":
		return nullable(protoreflect.Uint32Kind)
	case "google.protobuf.UInt64Value":
		return nullable(protoreflect.Uint64Kind)
	}
	return nil
}

// exclusive forbids any two fields of one oneof together; nil where there is
// none.
func exclusive(message protoreflect.MessageDescriptor) *schema {
	var pairs []*schema
	for i := range message.Oneofs().Len() {
		oneof := message.Oneofs().Get(i)
		for j := range oneof.Fields().Len() {
			for k := range j {
				pairs = append(pairs, &schema{Required: []string{oneof.Fields().Get(k).JSONName(), oneof.Fields().Get(j).JSONName()}})
			}
		}
	}
	if pairs == nil {
		return nil
	}
	return &schema{AnyOf: pairs}
}
