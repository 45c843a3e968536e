// Package plugin is what the code generators and the lint rules share: it reads
// the errors of a schema, checks them, says where a mistake stands, and holds
// the templates of generated code.
//
// Nothing in it depends on the library: the options are read with
// gen/errmap/v1 alone.
package plugin
