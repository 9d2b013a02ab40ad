package catalog_test

import (
	"slices"
	"testing"

	"vitrine/internal/kit/database"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/store"
)

// ANALYZE runs only if more products were written since the start of the process than PostgreSQL estimates the table to
// have. The estimate is read again when twice as many products were written as at the last check, or twice as many as
// were estimated, whichever is more.
func TestAnalyzer_runsAnalyzeWhenEstimateIsTooLow(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		// statements returns the statements that a write of that many products runs. A new p simulates a restart.
		statements := func(p *ProductAnalyzer, products int64) []string {
			run := &statementRecorder{}
			s.Write(func(tx store.Tx) error {
				run.Querier = tx.Unscoped()
				run.statements = nil
				return p.ProductsWritten(s.Context(), run, products)
			})
			return run.statements
		}

		asked := []string{EstimatedProductsSQL}
		counted := []string{EstimatedProductsSQL, AnalyzeProductsSQL}
		if s.DB.Engine() != database.Postgres {
			asked, counted = nil, nil
		}

		type step struct {
			products int64
			want     []string
		}

		check := func(steps ...step) {
			s.Helper()
			p := &ProductAnalyzer{}
			for i, step := range steps {
				if got := statements(p, step.products); !slices.Equal(got, step.want) {
					s.Errorf("step %d, %d products: ran %q, want %q", i, step.products, got, step.want)
				}
			}
		}

		// The table is empty, so each check finds an estimate that is too low and runs ANALYZE.
		check(step{MinAnalyzeProducts - 1, nil}, step{1, counted}, step{MinAnalyzeProducts - 1, nil}, step{1, counted})
		s.insertSimpleProducts(1000)

		if s.DB.Engine() == database.Postgres {
			s.Exec(AnalyzeProductsSQL)
		}

		check(step{MinAnalyzeProducts, asked}, step{2000 - MinAnalyzeProducts - 1, nil}, step{1, counted},
			step{1999, nil}, step{1, counted})
	})
}
