package plugin

import (
	"fmt"
	"net/url"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/internal/schema"
)

// checkRepeated finds details that are none: one of a list, or of a map, stands in
// metadata as JSON, where no reader of google.rpc looks for it.
func checkRepeated(d *Definition, report func(Mistake)) {
	for fd := range fields(d.Message) {
		of := fd.Message()
		kind := "repeated"
		if fd.IsMap() {
			of, kind = fd.MapValue().Message(), "a map of"
		}
		if !fd.IsList() && !fd.IsMap() || of == nil || !schema.IsDetailType(of.FullName()) {
			continue
		}
		report(Mistake{
			Path:     PathOf(fd),
			What:     fmt.Sprintf("field %s is %s %s, which does not travel as a detail", fd.Name(), kind, of.FullName()),
			Expected: "expected each detail type once (AIP-193)",
			Remedy:   "make the field singular, or have a message of your own for its elements",
		})
	}
}

// checkHelp checks the links that become a google.rpc.Help.
func checkHelp(d *Definition, report func(Mistake)) {
	for i, link := range d.Options.GetHelp() {
		path := d.optionPath(optionHelp, int32(i))
		m := Mistake{Path: path, Remedy: "mend the link, or remove it"}
		switch {
		case !isLink(link.GetUrl()):
			m.What = fmt.Sprintf("url %q of help is no address that people can open", link.GetUrl())
			m.Expected = "expected an absolute one such as https://docs.example.com/errors"
			m.Path = protoreflect.SourcePath(append(path[:len(path):len(path)], 2))
			report(m)
		case strings.TrimSpace(link.GetDescription()) == "":
			m.What = fmt.Sprintf("the link %s of help has no description", link.GetUrl())
			m.Expected = "expected a text that people read in its place (google.rpc.Help)"
			report(m)
		}
	}
}

func isLink(text string) bool {
	uri, err := url.Parse(text)
	if err != nil || strings.ContainsAny(text, "\"<>\\^`{|} ") {
		return false
	}
	switch uri.Scheme {
	case "http", "https":
		return uri.Host != ""
	case "mailto":
		return strings.Contains(uri.Opaque, "@")
	}
	return false
}
