package plugin

import (
	"fmt"

	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// goMethodErrors is a method with errors that its Go code can tell apart.
type goMethodErrors struct {
	method *protogen.Method
	errors []*Definition
	name   string // of the function
}

// goDeclared returns the methods of a file that declare an error that its code can name.
func goDeclared(file *protogen.File) []goMethodErrors {
	errors := make(map[protoreflect.FullName][]*Definition)
	for _, d := range DeclaredIn(file.Desc, nil) {
		errors[d.Method.FullName()] = d.Errors
	}
	var all []goMethodErrors
	for _, service := range file.Services {
		for _, method := range service.Methods {
			if declared := errors[method.Desc.FullName()]; len(declared) > 0 {
				all = append(all, goMethodErrors{method, declared, "As" + service.GoName + method.GoName + "Error"})
			}
		}
	}
	return all
}

// generateDeclared writes the function that finds the declared errors of a method.
func (g *goFile) generateDeclared(d goMethodErrors, messages map[protoreflect.FullName]*protogen.Message) {
	g.P()
	g.P("// ", d.name, " returns the error of a call of ", d.method.Desc.FullName(), " as one that the")
	g.P("// method declares, for a switch over their types:")
	g.P("//")
	g.P("//\tswitch e := ", d.name, "(err).(type) {")
	g.P("//\tcase nil:")
	for _, e := range d.errors {
		g.P("//\tcase *", messages[e.Message.FullName()].GoIdent, ":")
	}
	g.P("//\tdefault: // any other error, such as one that a newer server declares")
	g.P("//\t}")
	g.P("//")
	g.P("// Any other error comes back as it is, and nil as nil.")
	g.P("func ", d.name, "(err error) error {")
	for i, e := range d.errors {
		name := fmt.Sprint("e", i)
		g.P("var ", name, " *", messages[e.Message.FullName()].GoIdent)
		g.P("if ", g.std("errors", "As"), "(err, &", name, ") {")
		g.P("return ", name)
		g.P("}")
	}
	g.P("return err")
	g.P("}")
}

// goFunctionClashes reports the methods whose function has the name of another's, or of a
// Go type, in one package: Cart.GetLine and CartGet.Line share one.
func goFunctionClashes(files []*protogen.File) Mistakes {
	taken := make(map[protogen.GoIdent]protoreflect.Descriptor)
	var add func(messages []*protogen.Message, enums []*protogen.Enum)
	add = func(messages []*protogen.Message, enums []*protogen.Enum) {
		for _, enum := range enums {
			taken[enum.GoIdent] = enum.Desc
		}
		for _, message := range messages {
			taken[message.GoIdent] = message.Desc
			add(message.Messages, message.Enums)
		}
	}
	for _, file := range files {
		add(file.Messages, file.Enums)
	}
	var found Mistakes
	for _, file := range files {
		for _, d := range goDeclared(file) {
			ident := file.GoImportPath.Ident(d.name)
			other, clashes := taken[ident]
			taken[ident] = d.method.Desc
			if !clashes || !file.Generate {
				continue
			}
			found = append(found, Mistake{
				Rule:     "ERRMAP_GO_NAME",
				File:     file.Desc,
				Path:     PathOf(d.method.Desc),
				What:     fmt.Sprintf("%s and the errors of %s are both %s in Go", other.FullName(), d.method.Desc.FullName(), d.name),
				Expected: "expected services and methods whose names differ when they are joined",
				Remedy:   "rename one of them, or leave out its (errmap.v1.errors)",
			})
		}
	}
	return found
}
