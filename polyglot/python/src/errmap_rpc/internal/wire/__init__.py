"""An error on each wire. What a wire can say is decided from the error itself, never by
writing it and reading it back: for each form one function looks at the number, the
identity, what was received and each detail, and says what stands plainly, what needs the
code marker of JSON-RPC, and what rides along in errmap.v1.Carried. docs/wire.md has the
rules; the files have the names of those in the Go module's internal/wire."""
