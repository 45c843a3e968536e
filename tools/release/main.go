// Command release writes the Go modules of this repository as they are released.
//
// The modules beside the root one find it with a replace directive, so that a
// change to both is one commit. Whoever gets a module by its version has no use
// for that, and go install refuses it; a released go.mod requires the version
// instead.
//
//	release proxy VERSION DIR   write a module proxy for GOPROXY=file://DIR
//	release modfiles VERSION    write go.mod and go.sum of the modules beside the
//	                            root one, for the commit that their tags are on
//	release notices DIR PKG...  print the licences of what is built into packages
package main

import (
	"fmt"
	"os"

	"golang.org/x/mod/semver"
)

const usage = `usage:
  release proxy VERSION DIR   write a module proxy for GOPROXY=file://DIR
  release modfiles VERSION    write the released go.mod and go.sum of each module beside the root one
  release notices DIR PKG...  print the licences of what is built into packages of the module in DIR
`

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("no command, or nothing to do it with\n%s", usage)
	}
	if args[0] == "notices" && len(args) > 2 {
		return writeNotices(os.Stdout, args[1], args[2:])
	}
	command, version := args[0], args[1]
	if semver.Canonical(version) != version {
		return fmt.Errorf("%q is no version of a Go module, expected one such as v0.1.0", version)
	}
	r, err := openRepository(version)
	if err != nil {
		return err
	}
	switch {
	case command == "proxy" && len(args) == 3:
		return r.writeProxy(args[2])
	case command == "modfiles" && len(args) == 2:
		return r.writeModfiles()
	}
	return fmt.Errorf("unknown command %q\n%s", command, usage)
}
