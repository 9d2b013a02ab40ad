package searchrule

import (
	"context"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

// SynonymList are the synonyms of a store at a version.
type SynonymList struct {
	Synonyms
	// Version grows by one with every change.
	Version int64
}

// FindSynonyms returns the synonyms of the store. Their lists are never nil.
func FindSynonyms(ctx context.Context, tx store.Tx) (_ SynonymList, err error) {
	defer fault.AddContext(&err, "read the synonyms of store %s", tx.StoreID())
	row, err := selectRules(ctx, tx, "")
	return SynonymList{row.synonyms, row.synonymsVersion}, err
}

// EditSynonyms applies an edit. It returns fault.Stale, or fault.Invalid naming each broken rule.
func EditSynonyms(
	ctx context.Context, tx store.Tx, e SynonymEdit, pre fault.Precondition,
) (_ SynonymList, err error) {
	defer fault.AddContext(&err, "edit the synonyms of store %s", tx.StoreID())

	row, err := lockRules(ctx, tx)
	if err != nil {
		return SynonymList{}, err
	}
	if err := pre.Check(row.synonymsVersion); err != nil {
		return SynonymList{}, err
	}

	changed, err := e.apply(row.synonyms)
	if err != nil {
		return SynonymList{}, err
	}
	if err := updateSynonyms(ctx, tx, changed); err != nil {
		return SynonymList{}, err
	}
	if err := audit.Record(ctx, tx, synonymEntry(row.synonyms, changed)); err != nil {
		return SynonymList{}, err
	}

	_, err = store.RaiseSearchVersion(ctx, tx)
	return SynonymList{changed, row.synonymsVersion + 1}, err
}
