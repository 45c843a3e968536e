package explain

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// object is an object of JSON. Its methods accept nil, and members of another type
// than the one that is asked for.
type object map[string]any

func (o object) text(name string) string {
	switch v := o[name].(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}

func (o object) object(name string) object {
	m, _ := o[name].(map[string]any)
	return m
}

// number returns a number, or one in digits; 0 for neither.
func (o object) number(name string) float64 {
	switch v := o[name].(type) {
	case float64:
		return v
	case string:
		n, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		if err == nil {
			return n
		}
	}
	return 0
}

// has tells whether one of the members is there, and not null.
func (o object) has(names ...string) bool {
	for _, name := range names {
		if o[name] != nil {
			return true
		}
	}
	return false
}

func (o object) isNull(name string) bool {
	v, there := o[name]
	return there && v == nil
}

// folded returns the member whose name is one of names, in whatever spelling:
// retryAfter, retry_after, Retry-After.
func (o object) folded(names ...string) any {
	if len(o) > 256 {
		return nil
	}
	for _, name := range names {
		for _, key := range slices.Sorted(maps.Keys(o)) {
			if bareName(key) == name && o[key] != nil {
				return o[key]
			}
		}
	}
	return nil
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func objects(v any) []object {
	var all []object
	for _, element := range list(v) {
		if m, ok := element.(map[string]any); ok {
			all = append(all, m)
		}
	}
	return all
}

func firstObject(v any) object {
	if all := objects(v); len(all) > 0 {
		return all[0]
	}
	return nil
}

// The names by which members play a role, in lower case and without what parts words,
// the more telling ones first.
var (
	messageNames  = []string{"message", "errordescription", "errormessage", "msg", "detail", "description", "errormsg", "errordetail", "faultstring", "title", "reason", "text"}
	identityNames = []string{"code", "errorcode", "type", "errortype", "reason", "name", "exception", "errorname", "slug", "key", "id", "error"}
	statusNames   = []string{"status", "statuscode", "httpstatus", "httpstatuscode", "httpcode", "code", "errorcode", "responsecode"}
	requestNames  = []string{"requestid", "traceid", "correlationid", "xrequestid", "requesttoken", "errorid", "clientrequestid", "incidentid", "debugid", "logid"}
	helpNames     = []string{"documentationurl", "docurl", "moreinfo", "erroruri", "helpurl", "helplink", "documentation", "docs", "infourl", "moreinformation", "helpuri"}
	fieldLists    = []string{"errors", "details", "detail", "violations", "fielderrors", "fieldviolations", "invalidparams", "validationerrors", "causes", "issues", "fields", "parametererrors", "validation"}
	fieldNames    = []string{"field", "param", "parameter", "path", "name", "property", "propertypath", "loc", "location", "target", "pointer", "attribute", "key"}
	resourceNames = []string{"resource", "resourceid", "resourcename"}
)

// read reads the members by the roles that their names have: of the object that
// describes the error first, then of the one around it.
func (p *parts) read(o, inner object) {
	described := inner
	if first := firstObject(o["errors"]); first != nil && !inner.has("message", "code", "error", "detail", "title") {
		described = first
	}
	for _, in := range []object{described, inner, o} {
		if p.message == "" {
			p.message = readMessage(in)
		}
		p.readIdentity(in)
		p.readStatus(in)
		p.readDelay(in)
		if s := plain(in.folded(requestNames...)); p.requestID == "" {
			p.requestID = s
		}
		if s := plain(in.folded(helpNames...)); p.help == "" && strings.Contains(s, "://") {
			p.help = s
		}
		if s := plain(in.folded(resourceNames...)); p.resource == "" {
			p.resource = s
		}
		if len(p.fields) == 0 {
			p.readFields(in)
		}
	}
	p.readDelay(o.object("parameters"))
	if len(p.fields) == 0 {
		if field := described.text("param"); field != "" {
			p.violation(field, p.message, "")
		}
	}
}

// plain returns a text or a number as text, "" for another value.
func plain(v any) string { return object{"": v}.text("") }

func readMessage(in object) string {
	for _, name := range messageNames {
		switch v := in.folded(name).(type) {
		case string:
			if v != "" {
				return v
			}
		case []any: // NestJS has one text a mistake
			var all []string
			for _, element := range v {
				if s, ok := element.(string); ok {
					all = append(all, s)
				}
			}
			if len(all) > 0 && len(all) == len(v) {
				return strings.Join(all, "; ")
			}
		}
	}
	if s, ok := in["error"].(string); ok {
		return s
	}
	return ""
}

func (p *parts) readIdentity(in object) {
	if name := in.text("__type"); name != "" {
		p.identity = name[strings.LastIndexByte(name, '#')+1:]
		return
	}
	for _, name := range identityNames {
		v := in.folded(name)
		if s, ok := v.(string); ok && isName(s) {
			switch {
			case p.identity == "":
				p.identity = s
			case p.kind == "" && s != p.identity && (name == "type" || name == "errortype"):
				p.kind = s
			}
			continue
		}
		// A number of the service's own is a name too.
		if n, ok := v.(float64); ok && name != "id" && p.identity == "" && (n > 599 || n < 0) {
			p.identity = plain(n)
		}
	}
}

// isName tells whether a text is a name and no sentence.
func isName(s string) bool {
	if s == "" || len(s) > 100 || strings.ContainsAny(s, " \t\r\n/") || s == "error" || s == "object" {
		return false
	}
	_, err := strconv.ParseFloat(s, 64)
	return err != nil
}

func (p *parts) readStatus(in object) {
	for _, name := range statusNames {
		if n := (object{"": in.folded(name)}).number(""); p.said == 0 && n >= 400 && n <= 599 {
			p.said = int(n)
		}
	}
}

// readDelay reads when to try again: of seconds, unless the name says milliseconds.
func (p *parts) readDelay(in object) {
	for name, unit := range map[string]float64{
		"retryafterseconds": 1, "retryafter": 1, "retryafterms": 0.001, "retryaftermilliseconds": 0.001, "retryinseconds": 1, "retryafterinseconds": 1,
		"retrydelayseconds": 1, "retrydelayms": 0.001, "backoffseconds": 1, "retryin": 1,
	} {
		if n := (object{"": in.folded(name)}).number(""); n > 0 {
			p.wait(n * unit)
		}
	}
}

// readFields reads which fields of the request are wrong: in a list of objects, or in
// an object from fields to texts.
func (p *parts) readFields(in object) {
	switch v := in.folded(fieldLists...).(type) {
	case []any:
		for _, element := range objects(v) {
			field := ""
			for _, name := range fieldNames {
				if field == "" {
					field = joinPath(element.folded(name))
				}
			}
			if field == "" {
				source := element.object("source")
				field = source.text("pointer") + source.text("parameter")
			}
			description := readMessage(element)
			if description == "" {
				description = element.text("code")
			}
			if field != "" {
				if resource := element.text("resource"); resource != "" {
					field = resource + "." + field
				}
				p.violation(field, description, upper(element.text("code")))
			}
		}
	case map[string]any:
		for _, field := range slices.Sorted(maps.Keys(v)) {
			switch texts := v[field].(type) {
			case string:
				p.violation(field, texts, "")
			case []any:
				for _, text := range texts {
					if s, ok := text.(string); ok {
						p.violation(field, s, "")
					}
				}
			}
		}
	}
}

// joinPath returns a field that is a text, or a list of names and positions.
func joinPath(v any) string {
	if parts := list(v); parts != nil {
		var names []string
		for _, part := range parts {
			if s := plain(part); s != "" {
				names = append(names, s)
			}
		}
		return strings.Join(names, ".")
	}
	return plain(v)
}
