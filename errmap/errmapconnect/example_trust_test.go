package errmapconnect_test

import (
	"net/http"

	"connectrpc.com/connect/v2/connecthttp"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
)

// A client that believes the errors of one domain alone, whoever answers.
func ExampleWithDecodeOptions() {
	opts := errmapconnect.WithDecodeOptions(errmap.WithTrustedDomains("pay.example.com"))
	_ = errmapconnect.NewClient(connecthttp.NewTransport(http.DefaultClient, "http://localhost:8080"), opts)
}
