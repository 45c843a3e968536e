package errmapotel_test

import (
	"log"

	"connectrpc.com/connect/v2"
	"connectrpc.com/otelconnect"
	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/errmap/errmapgrpc"
	"github.com/errmap/errmap/errmap/errmapotel"
)

func Example() {
	telemetry, err := errmapotel.New()
	if err != nil {
		log.Fatal(err)
	}
	instrument, err := otelconnect.NewServerInterceptor()
	if err != nil {
		log.Fatal(err)
	}
	server := connect.NewServer(
		instrument, // first: it begins the span that the others enrich
		telemetry.ServerInterceptor(),
		errmapconnect.ServerInterceptor(errmapconnect.WithObserver(telemetry.Observe)),
	)
	_ = server
}

func ExampleTelemetry_GRPCClientHandler() {
	telemetry, err := errmapotel.New()
	if err != nil {
		log.Fatal(err)
	}
	opts := append(errmapgrpc.DialOptions(errmapgrpc.WithObserver(telemetry.Observe)),
		grpc.WithStatsHandler(telemetry.GRPCClientHandler(otelgrpc.NewClientHandler())),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
	)
	conn, err := grpc.NewClient("localhost:8080", opts...)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
}
