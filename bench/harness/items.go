package harness

import (
	"io"
	"strconv"
	"strings"
)

// Numbers of the entities that the pushed products refer to, and of variants per product.
const (
	pushedOptions    = 2
	pushedFeatures   = 4
	pushedValues     = 20
	pushedCategories = 50
	PushedVariants   = 3
)

// ProductStream is an NDJSON request body that is generated while it is read, one product per line. It ends when
// the function next reports that there are no more products.
type ProductStream struct {
	Next   func() (product, price int, more bool)
	line   []byte
	unread []byte // of line
}

// NewProductStream returns the products with the numbers from ≤ i < to, all at one price.
func NewProductStream(from, to, price int) *ProductStream {
	return &ProductStream{Next: func() (int, int, bool) {
		from++
		return from - 1, price, from <= to
	}}
}

func (l *ProductStream) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if len(l.unread) == 0 {
			product, price, more := l.Next()
			if !more {
				break
			}
			l.line = appendProduct(l.line[:0], product, price)
			l.unread = l.line
		}

		copied := copy(p[n:], l.unread)
		n += copied
		l.unread = l.unread[copied:]
	}

	if n == 0 {
		return 0, io.EOF
	}

	return n, nil
}

// appendProduct appends a product in the format of the gate: three variants with two options and a remainder each, and
// four features.
func appendProduct(b []byte, i, price int) []byte {
	number := func(text string, n int) {
		b = append(b, text...)
		b = strconv.AppendInt(b, int64(n), 10)
	}
	number(`{"id":`, i)
	number(`,"name":"Product number `, i)
	number(`","categories":[`, i%pushedCategories)
	b = append(b, `],"features":[`...)

	for f := range pushedFeatures {
		number(commaBefore(f)+`{"id":`, f)
		number(`,"value_id":`, (i+f)%pushedValues)
		b = append(b, '}')
	}

	b = append(b, `],"variants":[`...)
	for v := range PushedVariants {
		number(commaBefore(v)+`{"id":`, v)
		number(`,"sku":"SKU-`, i)
		number(`-`, v)
		number(`","price":`, price+v)
		number(`.90,"options":[{"id":0,"value_id":`, v)
		number(`},{"id":1,"value_id":`, i%pushedValues)
		number(`}],"remainders":[{"stock_id":1,"quantity":`, i%100)
		b = append(b, `}]}`...)
	}

	return append(b, "]}\n"...)
}

// commaBefore returns the separator before element i of a list.
func commaBefore(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

// referenceItems returns the items that products refer to, by entity.
func referenceItems() []struct{ entity, lines string } {
	var values, categories strings.Builder
	for v := range pushedValues {
		values.WriteString(commaBefore(v) + `{"id":` + strconv.Itoa(v) + `,"name":"Value ` + strconv.Itoa(v) + `"}`)
	}

	attributes := func(n int) string {
		var b strings.Builder
		for a := range n {
			b.WriteString(`{"id":` + strconv.Itoa(a) + `,"name":"Attribute ` + strconv.Itoa(a) + `","values":[` +
				values.String() + "]}\n")
		}
		return b.String()
	}
	for c := range pushedCategories {
		categories.WriteString(`{"id":` + strconv.Itoa(c) + `,"name":"Category ` + strconv.Itoa(c) + `"}` + "\n")
	}

	return []struct{ entity, lines string }{
		{"variant-options", attributes(pushedOptions)},
		{"features", strings.ReplaceAll(attributes(pushedFeatures), `,"values"`, `,"filterable":true,"values"`)},
		{"categories", categories.String()},
		{"stocks", `{"id":1,"name":"Main"}` + "\n"},
	}
}
