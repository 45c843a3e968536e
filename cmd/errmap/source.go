package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/server/gateway"
)

// source is the flags that say where a command takes the errors from that it knows
// beside those of A2A and MCP.
type source struct {
	upstream, protocol, descriptors string
	imports                         pathList
}

// pathList is a flag that may be given several times.
type pathList []string

func (l *pathList) String() string     { return strings.Join(*l, ",") }
func (l *pathList) Set(s string) error { *l = append(*l, s); return nil }

// source adds the flags of a source.
func (fs *flagSet) source() *source {
	s := new(source)
	fs.StringVar(&s.upstream, "upstream", "", "the `URL` of a running server that has reflection")
	fs.StringVar(&s.protocol, "protocol", "grpc", "how it is spoken to: `connect`, grpc or grpc-web")
	fs.StringVar(&s.descriptors, "descriptors", "", "a `file` with a descriptor set, binary or JSON")
	fs.Var(&s.imports, "I", "a `directory` in which proto files and their imports are looked for; may be given several times (the current one if not given)")
	fs.choose("protocol", "connect", "grpc", "grpc-web")
	return s
}

// check returns what is wrong with the flags, beside so many proto files.
func (s *source) check(files int) error {
	if _, err := gateway.ParseProtocol(s.protocol); err != nil {
		return err
	}
	if s.upstream != "" {
		if err := checkURL("--upstream", s.upstream); err != nil {
			return err
		}
	}
	given := 0
	for _, is := range []bool{s.upstream != "", s.descriptors != "", files > 0} {
		if is {
			given++
		}
	}
	if given > 1 {
		return errors.New("want one of --upstream, --descriptors and proto files")
	}
	return nil
}

// schema returns the schema, nil for what is built in, and the paths of its own
// files, where they are known.
func (s *source) schema(ctx context.Context, files []string) (*gateway.Schema, map[string]bool, error) {
	var set *descriptorpb.FileDescriptorSet
	var err error
	switch {
	case s.upstream != "":
		protocol, err := gateway.ParseProtocol(s.protocol)
		if err != nil {
			return nil, nil, err
		}
		schema, err := gateway.NewUpstream(gateway.NewHTTPClient(), s.upstream, protocol).Reflect(ctx)
		if err != nil {
			return nil, nil, withRemedy(err, s.upstream, protocol)
		}
		return schema, nil, nil
	case s.descriptors != "":
		set, err = readDescriptors(s.descriptors)
	case len(files) > 0:
		set, err = compile(ctx, s.imports, files)
	default:
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	own := map[string]bool{}
	for _, file := range set.GetFile() {
		own[file.GetName()] = true
	}
	if err := checkSet(set); err != nil {
		return nil, nil, err
	}
	schema, err := gateway.NewSchema(set)
	return schema, own, err
}

// catalog returns the errors to know by: those of the schema, and where directories
// alone are given those of every proto file in them.
func (s *source) catalog(ctx context.Context, files []string) (*errmap.Catalog, error) {
	if len(files) == 0 && len(s.imports) > 0 && s.upstream == "" && s.descriptors == "" {
		var err error
		if files, err = s.imports.protoFiles(); err != nil {
			return nil, err
		}
	}
	schema, _, err := s.schema(ctx, files)
	if err != nil || schema == nil {
		return errmap.Linked(), err
	}
	return schema.Catalog(), nil
}

// maxProtoFiles bounds how many files a directory may have.
const maxProtoFiles = 5000

// protoFiles returns the proto files in the directories, by the names under which
// they are imported.
func (l pathList) protoFiles() ([]string, error) {
	var files []string
	for _, dir := range l {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && path != dir && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules"):
				return fs.SkipDir
			case entry.IsDir() || !strings.HasSuffix(path, ".proto"):
				return nil
			case len(files) == maxProtoFiles:
				return fmt.Errorf("-I %s has more than %d proto files: name those that define the errors", dir, maxProtoFiles)
			}
			name, err := filepath.Rel(dir, path)
			if err == nil {
				files = append(files, filepath.ToSlash(name))
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("-I %s: no proto file is there", strings.Join(l, " -I "))
	}
	return files, nil
}
