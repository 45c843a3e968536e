package readme_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"connectrpc.com/connect/v2/connecthttp"
	"github.com/google/go-cmp/cmp"

	"github.com/errmap/errmap/errmap/errmapconnect"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
)

type database struct {
	shopv1connect.UnimplementedCartHandler
}

func (database) Get(context.Context, *shopv1.GetRequest) (*shopv1.GetResponse, error) {
	return nil, errors.New("pq: connection refused")
}

var (
	requestID = regexp.MustCompile(`\b[A-Z2-7]{26}\b`)
	idValue   = regexp.MustCompile(`"value":"[\w+/=-]+"`)
)

// README.md shows where the request id of an error that is kept from its caller is:
// in the error, and in the log.
func TestFinding_N13(t *testing.T) {
	var logged bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, nil)))
	defer slog.SetDefault(before)
	rpc := errmapconnect.NewServer()
	shopv1connect.RegisterCartHandler(rpc, database{})
	mux := http.NewServeMux()
	connecthttp.Mount(mux, rpc)
	r := httptest.NewRequest(http.MethodPost, "/shop.v1.Cart/Get", strings.NewReader(`{}`))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	body, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(strings.TrimSpace(logged.String()), "level=ERROR msg=\"error kept from the caller\"")
	got := string(body) + "\nERROR error kept from the caller" + line
	ids := requestID.FindAllString(got, -1)
	if len(ids) != 2 || ids[0] != ids[1] {
		t.Fatalf("ids %v in:\n%s", ids, got)
	}
	for _, b := range blocks(t, "README.md") {
		if b.language == "text" {
			if diff := cmp.Diff(same(strings.ReplaceAll(strings.Join(b.lines, "\n"), "CartService", "Cart")), same(got)); diff != "" {
				t.Errorf("(-README.md +got):\n%s", diff)
			}
			return
		}
	}
	t.Error("README.md does not show it")
}

func same(text string) string {
	return idValue.ReplaceAllString(requestID.ReplaceAllString(text, "ID"), `"value":"…"`)
}
