package exchange

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"vitrine/bench/harness"
)

// ListPrices measures pushes of prices in a price list, against pushes of as many prices of the variants themselves:
// first prices in the list, other prices in it, and the same prices again.
func ListPrices(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
	var figures []harness.Figure
	for _, n := range e.Pushes.Sizes {
		more, err := pushListPrices(ctx, e, n)
		if err != nil {
			return nil, fmt.Errorf("%s products: %w", harness.FormatThousands(n), err)
		}
		figures = append(figures, more...)
	}
	return figures, nil
}

func pushListPrices(ctx context.Context, e *harness.Environment, n int) (_ []harness.Figure, err error) {
	fresh, drop, err := e.FreshEnvironment(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, drop()) }()

	p, stores, err := fresh.StartGate(ctx, 1)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()

	s := stores[0]
	if _, err := s.PushExpecting(ctx, 0, n, harness.FirstPrice, harness.CreatedCount); err != nil {
		return nil, err
	}
	list := `{"id":"wholesale","name":"Wholesale"}`
	if _, _, err := s.Push(ctx, "price-lists", strings.NewReader(list)); err != nil {
		return nil, err
	}

	const inList = `"price_list_id":"wholesale",`
	var took [4]time.Duration
	for i, push := range []struct {
		member string
		price  int
	}{
		{"", harness.LaterPrice}, {inList, harness.FirstPrice}, {inList, harness.LaterPrice},
		{inList, harness.LaterPrice},
	} {
		if _, took[i], err = s.Push(ctx, "prices", priceLines(n, push.price, push.member)); err != nil {
			return nil, err
		}
	}

	prices := n * harness.PushedVariants
	line := func(what string, ours time.Duration, aim float64) harness.Figure {
		ratio := took[0].Seconds() / ours.Seconds()
		return harness.Figure{Name: fmt.Sprintf("push %s list prices, %s", harness.FormatThousands(prices), what),
			Engine: e.Engine, Ours: harness.FormatRate(prices, ours) + " prices/s",
			Raw: harness.FormatRate(prices, took[0]) + " base prices/s", Ratio: ratio, Aim: fmt.Sprintf("≥ %g", aim),
			Met: ratio >= aim}
	}
	return []harness.Figure{line("new", took[1], 0.8), line("changed", took[2], 0.8),
		line("the same again", took[3], 1)}, nil
}

// priceLines returns a price of each variant of n products as NDJSON. member stands in each line.
func priceLines(n, price int, member string) io.Reader {
	r, w := io.Pipe()

	go func() {
		b := bufio.NewWriter(w)
		for i := range n {
			for v := range harness.PushedVariants {
				fmt.Fprintf(b, `{"product_id":%d,"variant_id":%d,%s"price":%d.50}`+"\n", i, v, member, price+v)
			}
		}
		_ = w.CloseWithError(b.Flush())
	}()

	return r
}
