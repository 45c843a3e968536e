package readme_test

import (
	"fmt"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
)

// A client that believes the errors of one domain alone, whoever answers.
func Example_trustedDomains() {
	opts := errmapconnect.WithDecodeOptions(errmap.WithTrustedDomains("pay.example.com"))
	client := errmapconnect.NewClient(dial("http://localhost:8080"), opts)
	fmt.Println(client != nil)
	// Output: true
}
