package mixed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"vitrine/bench/harness"
	"vitrine/internal/demo"
)

// Items of each round of catalogPush.
const (
	pushedPrices      = 200
	pushedRemainders  = 200
	pushedNewProducts = 20
)

// catalogPush changes a store with products of the demo catalogue as an accounting system does: it pushes prices,
// remainders and new products in turn, in small pushes one after the other.
type catalogPush struct {
	server    *harness.Server
	random    *rand.Rand
	generator *demo.Generator
	order     []int // the existing products, in the order of their changes
	changes   int   // prices and remainders pushed so far
	created   int   // the number of the last product
	// accepted is the number of items by entity.
	accepted map[string]int
}

func newCatalogPush(s *harness.Server, n int) *catalogPush {
	r := rand.New(rand.NewPCG(harness.DemoSeed, uint64(n)))
	return &catalogPush{
		server: s, random: r, generator: demo.NewGeneratorIn(demo.Mixed, harness.DemoSeed), order: r.Perm(n),
		created: n, accepted: map[string]int{},
	}
}

// run pushes until a given time and returns the products that were changed or created.
func (p *catalogPush) run(ctx context.Context, until time.Time) (volume pushVolume, err error) {
	start := time.Now()

	for time.Now().Before(until) {
		for _, part := range []struct {
			entity string
			items  int
			line   func(w io.Writer)
		}{
			{"prices", min(pushedPrices, len(p.order)), p.writePrice},
			{"remainders", min(pushedRemainders, len(p.order)), p.writeRemainder},
			{"products", pushedNewProducts, p.writeNewProduct},
		} {
			var lines strings.Builder
			for range part.items {
				part.line(&lines)
			}

			done, _, err := p.server.Push(ctx, part.entity, strings.NewReader(lines.String()))
			if err == nil && done.Received != part.items {
				err = fmt.Errorf("a push of %d %s has the counts %+v", part.items, part.entity, done)
			}

			if err != nil {
				return volume, err
			}

			p.accepted[part.entity] += done.Received
			volume.products += done.Received
		}
	}

	volume.took = time.Since(start)
	if volume.products == 0 {
		return volume, errors.New("nothing was pushed")
	}

	return volume, nil
}

// nextVariant returns the external ids of the first variant of the next product that changes. The products of one push
// are distinct.
func (p *catalogPush) nextVariant() (product, variant string) {
	product = demo.ExternalID(1 + p.order[p.changes%len(p.order)])
	p.changes++
	return product, product + "-1"
}

func (p *catalogPush) writePrice(w io.Writer) {
	product, variant := p.nextVariant()
	fmt.Fprintf(w, `{"product_id":%q,"variant_id":%q,"price":%d.%02d}`+"\n", product, variant, 5+p.random.IntN(200),
		p.random.IntN(100))
}

func (p *catalogPush) writeRemainder(w io.Writer) {
	product, variant := p.nextVariant()
	fmt.Fprintf(w, `{"product_id":%q,"variant_id":%q,"stock_id":%q,"quantity":%d}`+"\n", product, variant,
		p.generator.Stocks()[0].ExternalID, p.random.IntN(100))
}

// writeNewProduct writes a product of the demo catalogue with its category and its first variant. It has no features
// and options, because the features and options of the demo catalogue have no external ids.
func (p *catalogPush) writeNewProduct(w io.Writer) {
	p.created++
	made := p.generator.Product(p.created)
	v := made.Variants[0]
	fmt.Fprintf(w, `{"id":%q,"name":%q,"categories":[%q],"variants":[{"id":%q,"sku":%q,"price":%s,`+
		`"remainders":[{"stock_id":%q,"quantity":%d}]}]}`+"\n", made.ExternalID, made.Name,
		p.generator.Categories()[made.Categories[0]].ExternalID, v.ExternalID, v.SKU, harness.FormatPrice(v.Price),
		p.generator.Stocks()[0].ExternalID, p.random.IntN(100))
}
