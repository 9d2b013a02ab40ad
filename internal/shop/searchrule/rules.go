package searchrule

import (
	"context"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/language"
	"vitrine/internal/shop/store"
)

// Rules are what the store tells its search.
type Rules struct {
	Synonyms Synonyms
	// Pins are the row keys of the products that come first, in order, by the query as language.FoldQuery returns it.
	// Archived products are among them. A key is that of the product until the version of the search changes.
	Pins map[string][]int64
}

// Load returns the rules of the store.
func Load(ctx context.Context, tx store.Tx) (_ Rules, err error) {
	defer fault.AddContext(&err, "load the search rules of store %s", tx.StoreID())

	row, err := selectRules(ctx, tx, "")
	if err != nil {
		return Rules{}, err
	}

	pins := map[string][]int64{}
	err = selectPinnedKeys(ctx, tx, func(query string, productKey int64) {
		folded := language.FoldQuery(query)
		pins[folded] = append(pins[folded], productKey)
	})
	return Rules{Synonyms: row.synonyms, Pins: pins}, err
}
