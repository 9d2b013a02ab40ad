package search

import (
	"context"

	"vitrine/internal/kit/language"
	"vitrine/internal/shop/searchrule"
	"vitrine/internal/shop/store"
)

// readTerms reads what decides the meaning of words in a store: its language, its synonyms and its pins.
func (c *searchColumns) readTerms(ctx context.Context, tx store.Tx) error {
	locale, err := readLocale(ctx, tx)
	if err != nil {
		return err
	}
	rules, err := searchrule.Load(ctx, tx)
	if err != nil {
		return err
	}

	if locale != c.locale {
		c.locale = locale
		c.vocabulary.setStemmer(language.StemmerFor(locale))
	}
	c.textRules = *newTextRules(c.vocabulary.stemmer, &rules)
	return nil
}

// textRules are what a store says of searches.
type textRules struct {
	synonyms synonymTable
	pinned   map[string][]int64 // the row keys of products by language.FoldQuery
}

func newTextRules(stemmer language.Stemmer, rules *searchrule.Rules) *textRules {
	return &textRules{newSynonymTable(stemmer, rules.Synonyms), rules.Pins}
}

// newSynonymTable returns the table of the synonyms of a store.
func newSynonymTable(stemmer language.Stemmer, synonyms searchrule.Synonyms) synonymTable {
	var t synonymTable
	for _, group := range synonyms.Groups {
		t.addGroup(stemmer, phrasesOf(group))
	}
	for _, rule := range synonyms.OneWay {
		t.add(stemmer, phraseWords(rule.From), phrasesOf(rule.To))
	}
	return t
}

func phrasesOf(list []string) (phrases [][]string) {
	for _, phrase := range list {
		if words := phraseWords(phrase); len(words) > 0 {
			phrases = append(phrases, words)
		}
	}
	return phrases
}
