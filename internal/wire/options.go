package wire

import (
	"errors"
	"math"
	"time"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/jsontree"
	"github.com/errmap/errmap/internal/protojson"
	"github.com/errmap/errmap/internal/schema"
)

// ErrOK is what a reader reports of a status whose code is OK: no error.
var ErrOK = errors.New("errmap: the code is OK, which is no error")

var errTooLarge = errors.New("larger than the limit")

// Encoding says how an error is written.
type Encoding struct {
	// Catalog is what is known of errors and types; nil knows google.rpc alone.
	Catalog *schema.Catalog
	// WithoutCarried keeps errmap.v1.Carried out.
	WithoutCarried bool
	// Budget is the room for gRPC's headers in bytes; a negative one is none.
	Budget int
	// Note is called for each part that is left out; nil for no one.
	Note func(string)
}

func (o *Encoding) noted(n hub.Notes) {
	if o.Note != nil {
		for _, s := range n {
			o.Note(s)
		}
	}
}

// carries tells whether something may ride along with an error.
func (o *Encoding) carries(e *hub.Error) bool { return e.Origin.Carries() && !o.WithoutCarried }

// Decoding says how an error is read.
type Decoding struct {
	// Catalog is what is known of errors and types; nil knows google.rpc alone.
	Catalog *schema.Catalog
	Limits  Limits
	// HTTPStatus is that of the response; 0 for none.
	HTTPStatus int
	// Stream tells that the error ended a stream, of which the HTTP status says
	// nothing.
	Stream bool
	// RetryAfter holds the values of that header, which came at Received.
	RetryAfter []string
	Received   time.Time
}

// Limits bound what a reader takes; each is set.
type Limits struct{ Body, Details, Depth, Message int }

// Unlimited is for what this program itself wrote.
var Unlimited = Limits{math.MaxInt, math.MaxInt, math.MaxInt, math.MaxInt}

// envelopeDepth is how much deeper than on one wire a detail may stand on another.
// A detail that would nest deeper there than readers take is not passed on as JSON:
// its error would not be read.
const envelopeDepth = 8

// DefaultDepth is how deep JSON may nest unless a program says otherwise.
const DefaultDepth = 100

// anyDepth is for JSON that was read or written here.
const anyDepth = math.MaxInt32

// detailDepth is how deep the JSON of a detail that is written may nest.
const detailDepth = DefaultDepth - envelopeDepth

// reading is one error that is read.
type reading struct {
	*hub.Error
	o     *Decoding
	codec *protojson.Codec
	wire  hub.Wire
	body  []byte
	// tree is of the body; what is kept of it is copied.
	tree *jsontree.Tree
}

func newReading(e *hub.Error, w hub.Wire, o *Decoding) reading {
	e.Origin = hub.Read
	return reading{Error: e, o: o, codec: o.Catalog.Codec(), wire: w}
}

// tree returns the tree of JSON that was read or written here, to be released; without a
// root where it is none.
func tree(text []byte) *jsontree.Tree { return jsontree.Read(text, anyDepth) }

// read begins to read a body that is an object of JSON, or says why it is none. The tree
// is to be released.
func read(e *hub.Error, w hub.Wire, body []byte, o *Decoding) (r reading, root jsontree.Value, why string) {
	r = newReading(e, w, o)
	r.body, r.tree = body, jsontree.Get()
	if len(body) > o.Limits.Body {
		return r, root, errTooLarge.Error()
	}
	if err := r.tree.Parse(body, o.Limits.Depth); err != nil {
		return r, root, err.Error()
	}
	root = r.tree.Root()
	if w == hub.WireHTTP {
		why = "no error object"
		if root.Is(jsontree.Array) && root.Len() == 1 {
			root = root.First()
		}
	} else {
		why = "not a JSON object"
	}
	if root.Is(jsontree.Object) {
		why = ""
	}
	return r, root, why
}
