package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
)

// Deleting a stock deletes its remainders. available is then the sum over the other stocks, or null if there are none.
// The deletion is refused while a quantity in the stock is reserved.
func TestStock_deletionDeletesRemainders(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		near := createNamed(s, stocksPath, "near")
		far := createNamed(s, stocksPath, "far")
		in := func(stock string, quantity float64) map[string]any {
			return map[string]any{"stock_id": stock, "quantity": quantity}
		}
		made := s.OK(201, "POST", "/v2/products", map[string]any{"name": "Shirt", "variants": []any{
			map[string]any{"price": 1, "remainders": []any{in(near, 1.5), in(far, 2)}},
			map[string]any{"price": 1, "remainders": []any{in(far, 3)}},
		}})
		path := "/v2/products/" + made.Text("data.id")

		wants := func(etag, total string, each ...string) {
			t.Helper()
			r := s.Get(path)
			if got := r.Texts("data.variants", "available"); r.Text("data.available") != total ||
				fmt.Sprint(got) != fmt.Sprint(each) || r.Header.Get("ETag") != etag {
				t.Errorf("%s: available are %s and %s, want %s: %s and %s", r.Header.Get("ETag"),
					r.Text("data.available"), got, etag, total, each)
			}

			if r.Text("data.updated_at.timestamp") != r.Text("data.created_at.timestamp") {
				t.Error("updated_at of the product has changed")
			}
		}

		wants(`"v1"`, "6.5", "3.5", "3")
		s.Clock.Advance(time.Minute)

		reserve := func(n int) {
			s.Write(func(ctx context.Context, q database.Querier) error {
				_, err := q.Exec(ctx, "UPDATE remainders SET reserved = $1 WHERE quantity = 3000", n)
				return err
			})
		}
		reserve(1)
		s.WantProblem("409 stock_reserved", "DELETE", stocksPath+"/"+far, nil)
		reserve(0)
		s.OK(204, "DELETE", stocksPath+"/"+far, nil)
		wants(`"v2"`, "1.5", "1.5", "null")
		s.OK(204, "DELETE", stocksPath+"/"+near, nil)
		wants(`"v3"`, "null", "null", "null")

		if n := s.Get(stocksPath).Len("data"); n != 0 {
			t.Errorf("%d stocks are left", n)
		}
	}, apitest.Alone())
}
