package catalog

import (
	"slices"
	"testing"

	"vitrine/internal/kit/database"
)

// PostgreSQL counts its tables when more was written since the start than it knows of, and is asked that once for each doubling.
func TestStatistics_analyzeOnlyWhatPostgresDoesNotKnow(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		// statements are those that a write of so many products runs, after a start if p is new.
		statements := func(p *statistics, products int64) []string {
			run := &counting{}
			s.write(func(q database.Querier) error {
				run.Querier, run.texts = q, nil
				return p.productsWritten(s.Context(), run, products)
			})
			return run.texts
		}
		asked, counted := []string{estimatedProductsSQL}, []string{estimatedProductsSQL, analyzeProductsSQL}
		if s.db.Engine() != database.Postgres {
			asked, counted = nil, nil
		}
		type step struct {
			products int64
			want     []string
		}
		check := func(steps ...step) {
			s.Helper()
			p := &statistics{}
			for i, step := range steps {
				if got := statements(p, step.products); !slices.Equal(got, step.want) {
					s.Errorf("step %d, %d products: ran %q, want %q", i, step.products, got, step.want)
				}
			}
		}
		check(step{minAnalyzeProducts - 1, nil}, step{1, counted}, step{minAnalyzeProducts - 1, nil}, step{1, counted}) // there are none, so it knows of none
		s.singles(1000)
		if s.db.Engine() == database.Postgres {
			s.exec(analyzeProductsSQL)
		}
		check(step{minAnalyzeProducts, asked}, step{2000 - minAnalyzeProducts - 1, nil}, step{1, counted}, step{1999, nil}, step{1, counted})
	})
}
