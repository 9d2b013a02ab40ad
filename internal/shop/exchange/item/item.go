// Package item decodes the body of a push into items, one by one. It collects the errors of each item and computes the
// digest of its content. Package exchange applies the items.
package item

import (
	"sync/atomic"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/exchange/item/table"
)

// Format is the encoding of a push.
type Format string

// The formats: one document {"payload": […]}, one item per line, or a table whose first line names the columns. The
// gate takes the first two.
const (
	JSON   Format = "json"
	NDJSON Format = "ndjson"
	CSV    Format = "csv"
	// XLSX is a sheet of a workbook, in the lines that table.AppendRow writes: the file itself is taken apart where it
	// arrives.
	XLSX Format = "xlsx"
	// Mapped is NDJSON that this program wrote: a Meta may stand before each item. See AppendMapped.
	Mapped Format = "mapped"
)

// Item is one element of a push, without its content. It has the fields that the items of all entities have in common.
type Item struct {
	Index int64  // position in the push, from 0
	Raw   []byte // as it was sent
	ID    string // the client's id of the entity; empty if it cannot be read
	// Subject identifies the row that the item changes: items of a push with the same Subject change the same row.
	Subject string
	// Variant is the external id of the variant that the item of a product is about alone; "" for all of its variants.
	Variant string
	// Name is what people call the item, such as the name and the article of a good; empty if the item does not say.
	Name string
	// Lines are the lines of a table that make the item, and Place tells where its members stand there. Both are nil
	// for other formats.
	Lines []table.Line
	Place *table.Place
	// UnreadableLine is the number of the line that cannot be read; 0 if all can.
	UnreadableLine int64
	// Version is the version that the item has in its source; nil if it has none.
	Version *int64
	Errors  []fault.Field // found while decoding; an item with errors is not applied
	// Warnings are likely mistakes, found while decoding.
	Warnings []fault.Field
}

// Decoded is an item with its content. The content is incomplete if the item has Errors.
type Decoded[T any] struct {
	Item
	Content T
	// Line, if not nil, says that the item is not decoded yet: of the other fields it has only Index, Raw, ID and
	// Subject.
	Line   *catalog.PushedLine
	decode func() *Decoded[T]
}

// Lazy says whether lines are left undecoded. It is safe for concurrent use.
type Lazy struct{ atomic.Bool }

// Decode decodes the item, unless it is decoded already.
func (it *Decoded[T]) Decode() {
	if it.Line != nil {
		*it = *it.decode()
	}
}

// Type describes how the items of one entity are decoded into contents of type T.
type Type[T any] struct {
	// entity is the name of the entity, for the columns of a table.
	entity   string
	maxBytes int // of one item
	// members are the paths of the known members, to suggest one for an unknown member.
	members []string
	// decode reads the content and sets the id and the subject of the reader.
	decode func(f *itemReader) T
}

const (
	// maxItemBytes is the maximum size of an item, and maxValuesItemBytes of an item with a list of values.
	maxItemBytes       = 8 << 20
	maxValuesItemBytes = 64 << 20
)

// MaxBytes is the maximum size of an item of any type.
const MaxBytes = maxValuesItemBytes

// SKUMember returns the member of an item that has the SKU of its variant, in a file that finds variants by it.
func (t Type[T]) SKUMember() string {
	if t.entity == "products" {
		return "variant_sku"
	}
	return "variant_id"
}
