package exchange

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
)

// appendProduct appends a typical product as a line of NDJSON: three variants with two options each, and four features.
func appendProduct(b *bytes.Buffer, i, price int) {
	fmt.Fprintf(b, `{"id": %d, "name": "Product number %d", "categories": [%d], "features": [`, i, i, i%50)

	for f := range 4 {
		if f > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, `{"id": %d, "value_id": %d}`, f, (i+f)%20)
	}

	b.WriteString(`], "variants": [`)

	for v := range 3 {
		if v > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, `{"id": %d, "sku": "SKU-%d-%d", "price": %d.90, `+
			`"options": [{"id": 0, "value_id": %d}, {"id": 1, "value_id": %d}], `+
			`"remainders": [{"stock_id": 1, "quantity": %d}]}`,
			v, i, v, price+v, v, i%20, i%100)
	}

	b.WriteString("]}\n")
}

// BenchmarkPush pushes 20,000 products to an empty store, then the same products again, then with different prices.
func BenchmarkPush(b *testing.B) {
	for _, engine := range databasetest.Engines() {
		b.Run(engine, func(b *testing.B) {
			s := newFixture(storetest.Open(b, engine))
			s.pushReferenced()
			for _, phase := range []struct {
				name  string
				price int
			}{{"create", 10}, {"again", 10}, {"prices", 11}} {
				b.Run(phase.name, func(b *testing.B) {
					var body bytes.Buffer
					for i := range 20000 {
						appendProduct(&body, i, phase.price)
					}

					b.SetBytes(int64(body.Len()))
					b.ResetTimer()

					for range b.N {
						reader := io.NopCloser(bytes.NewReader(body.Bytes()))
						run, err := s.Pushes.Push(b.Context(), s.Store.ID, s.params(Products, ndjson), reader)
						if err != nil || run.Failed > 0 {
							b.Fatal(err, run.Counts)
						}
						seconds := run.FinishedAt.Sub(*run.StartedAt).Seconds()
						b.ReportMetric(float64(run.Received)/seconds, "products/s")
					}
				})
			}
		})
	}
}

// pushReferenced pushes the options, features and categories that appendProduct refers to.
func (s *fixture) pushReferenced() {
	values := ""
	for v := range 20 {
		values += fmt.Sprintf(`{"id": %d, "name": "Value %d"},`, v, v)
	}

	attributes := func(n int) (items []string) {
		for a := range n {
			items = append(items, fmt.Sprintf(`{"id": %d, "name": "A%d", "filterable": true, "values": [%s]}`,
				a, a, values[:len(values)-1]))
		}
		return items
	}
	s.push(VariantOptions, payload(attributes(2)...))
	s.push(Features, payload(attributes(4)...))
	var categories []string

	for c := range 50 {
		categories = append(categories, fmt.Sprintf(`{"id": %d, "name": "C%d"}`, c, c))
	}

	s.push(Categories, payload(categories...))
}
