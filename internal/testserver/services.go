package main

import (
	"context"
	"errors"
	"time"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/errmap/errmap/errmap"
	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
	"github.com/errmap/errmap/internal/testproto/gen/library/v1/libraryv1connect"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
)

// foreign is an error of a peer with a number of its own and a detail of a type
// that nobody knows here.
const foreign = `{"code":4711,"message":"from afar","data":[{"@type":"type.googleapis.com/acme.v9.Mystery","n":9007199254740993,"f":1.0}]}`

// cart fails as the article that it is asked for says.
type cart struct {
	shopv1connect.UnimplementedCartHandler
}

func (cart) Get(ctx context.Context, r *shopv1.GetRequest) (*shopv1.GetResponse, error) {
	switch r.GetSku() {
	case "stock":
		return nil, stockEmpty("A1 é")
	case "payment":
		return nil, &shopv1.PaymentRequiredError{Amount: 9007199254740993, Due: timestamppb.New(time.Unix(1_700_000_000, 500_000_000))}
	case "invalid":
		return nil, &shopv1.InvalidCartError{Fields: &errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{
			{Field: "qty", Description: "is negative"},
		}}}
	case "plain":
		return nil, errmap.NewCode(code.Code_ABORTED, "line1\r\nline2 é 100%")
	case "private":
		return nil, errmap.NewCode(code.Code(42), "private")
	case "foreign":
		e, err := errmap.DecodeJSONRPC([]byte(foreign), errmap.ProfileGeneric)
		if err != nil {
			return nil, err
		}
		return nil, e
	case "hidden":
		return nil, errors.New("dial tcp 10.0.0.7:5432: user=app")
	case "slow":
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return &shopv1.GetResponse{Sku: r.GetSku(), Qty: int64(r.GetQty())}, nil
}

func (cart) Watch(_ context.Context, r *shopv1.GetRequest, stream shopv1connect.CartWatchServerStream) error {
	for qty := r.GetQty(); qty > 0; qty-- {
		if err := stream.Send(&shopv1.GetResponse{Sku: r.GetSku(), Qty: int64(qty)}); err != nil {
			return err
		}
	}
	return stockEmpty(r.GetSku())
}

func stockEmpty(sku string) error {
	return &shopv1.StockEmptyError{Sku: sku, Retry: &errdetails.RetryInfo{RetryDelay: durationpb.New(1500 * time.Millisecond)}}
}

// library has no books.
type library struct {
	libraryv1connect.UnimplementedLibraryHandler
}

func (library) GetBook(_ context.Context, r *libraryv1.GetBookRequest) (*libraryv1.Book, error) {
	return nil, &libraryv1.BookNotFoundError{Name: r.GetName()}
}
