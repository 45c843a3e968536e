module example.com/orders

go 1.26.0

tool (
	connectrpc.com/connect/v2/cmd/protoc-gen-connect-go
	github.com/errmap/errmap/cmd/protoc-gen-errmap-doc
	github.com/errmap/errmap/cmd/protoc-gen-errmap-es
	github.com/errmap/errmap/cmd/protoc-gen-errmap-go
	github.com/errmap/errmap/cmd/protoc-gen-errmap-python
	google.golang.org/protobuf/cmd/protoc-gen-go
)

// A repository of one's own needs no such line.
replace github.com/errmap/errmap => ../..

require (
	connectrpc.com/connect/v2 v2.0.2
	github.com/errmap/errmap v0.0.0
	google.golang.org/genproto/googleapis/api v0.0.0-20261110000943-09e21b237f2c
	google.golang.org/protobuf v1.36.12
)

require (
	github.com/go-json-experiment/json v1.27.2 // indirect
	github.com/grpc-ecosystem/grpc-gateway/v2 v2.33.0 // indirect
	golang.org/x/net v0.61.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20261110000943-09e21b237f2c
	google.golang.org/grpc v1.85.0 // indirect
)
