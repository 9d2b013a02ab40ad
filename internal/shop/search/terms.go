package search

import (
	"context"

	"vitrine/internal/kit/language"
	"vitrine/internal/shop/store"
)

// readTerms reads what decides the meaning of words in a store: its language, its synonyms and its pins.
func (c *searchColumns) readTerms(ctx context.Context, tx store.Tx) error {
	locale, err := readLocale(ctx, tx)
	if err != nil {
		return err
	}
	if locale != c.locale {
		c.locale = locale
		c.vocabulary.setStemmer(language.StemmerFor(locale))
	}
	return nil
}

// foldedQuery returns the form of a query in which pins are found.
func foldedQuery(query string) string { return language.FoldQuery(query) }
