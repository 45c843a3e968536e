package adopt_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
)

// A failure is what a handler does, as a row of a table says it.
type failure struct {
	name string
	do   func(ctx context.Context) error
	// timeout is the caller's.
	timeout time.Duration
}

var errDatabase = errors.New("pq: connection refused")

// common are the failures that every library has.
var common = []failure{
	{name: "`errors.New(\"pq: connection refused\")`", do: func(context.Context) error { return errDatabase }},
	{name: "a timeout that the handler set itself", do: func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, time.Millisecond)
		defer cancel()
		<-ctx.Done()
		return fmt.Errorf("ask the stock: %w", ctx.Err())
	}},
	{name: "the caller's own deadline", timeout: 50 * time.Millisecond, do: func(ctx context.Context) error {
		<-ctx.Done()
		return fmt.Errorf("ask the stock: %w", ctx.Err())
	}},
	{name: panicked, do: func(context.Context) error { panic("index out of range") }},
	{name: "a typed error, `&StockEmptyError{Sku: \"A1\"}`", do: func(context.Context) error { return soldOut() }},
	{name: "the same, wrapped by `fmt.Errorf(\"load: %w\", …)`", do: func(context.Context) error { return fmt.Errorf("load: %w", soldOut()) }},
}

const panicked = "a panic"

func soldOut() error { return &shopv1.StockEmptyError{Sku: "A1"} }
