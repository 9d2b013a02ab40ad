package export

import (
	"context"
	"errors"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// ExportState identifies the state of a store's products that an export has read.
type ExportState struct {
	// Version is the version of the change log. ChangedAt is the time of one of its changes: after a restore, the store
	// may get to the same version by other changes.
	Version, ChangedAt int64
	// References is when the references of products last changed; see MarkReferences of package catalog.
	References int64
}

const exportVersionSQL = `
SELECT c.version, c.floor,
	COALESCE((SELECT MIN(p.changed_at) FROM product_changes p WHERE p.store_id = $1 AND p.version = c.version), 0)
FROM catalog_versions c
WHERE c.store_id = $1`

const changeTimeSQL = `
SELECT COALESCE(MIN(changed_at), 0)
FROM product_changes
WHERE store_id = $1
  AND version = $2`

const changedKeysSQL = `
SELECT product_key
FROM product_changes
WHERE store_id = $1
  AND version > $2
LIMIT $3`

// State returns the state of the store's products in the snapshot tx.
func (s *Exports) State(ctx context.Context, tx store.Tx) (state ExportState, err error) {
	defer fault.AddContext(&err, "read the state of the catalogue")
	state, _, err = exportState(ctx, tx)
	return state, err
}

// exportState also returns the version up to which the change log is pruned.
func exportState(ctx context.Context, tx store.Tx) (state ExportState, floor int64, err error) {
	err = database.QueryRow(ctx, tx, exportVersionSQL, nil, &state.Version, &floor, &state.ChangedAt)
	if err != nil && !errors.Is(err, database.ErrNoRows) {
		return state, 0, err
	}
	state.References, err = catalog.ReferencesMark(ctx, tx)
	return state, floor, err
}

// Changed returns the products that may differ from their earlier state. If the change log does not reach back to that,
// these are the products that were changed since the given time in microseconds, which must precede the beginning of
// all transactions that were open then.
func (s *Exports) Changed(
	ctx context.Context, tx store.Tx, since ExportState, at int64,
) (sel ProductSelection, err error) {
	defer fault.AddContext(&err, "find changed products")

	now, floor, err := exportState(ctx, tx)
	if err != nil {
		return sel, err
	}
	if now.References != since.References {
		return ProductSelection{ChangedSince: 1}, nil // all
	}

	byTime := ProductSelection{ChangedSince: max(1, at)}
	if since.Version < floor || since.Version > now.Version {
		return byTime, nil
	}

	if since.Version > 0 {
		var changedAt int64
		if err := database.QueryRow(ctx, tx, changeTimeSQL, []any{since.Version}, &changedAt); err != nil {
			return sel, err
		}
		if changedAt != since.ChangedAt {
			return byTime, nil
		}
	}

	keys := []int64{}
	err = database.QueryEach(ctx, tx, changedKeysSQL, []any{since.Version, catalog.MaxKeptChanges},
		database.AppendColumn(&keys))
	if err != nil {
		return sel, err
	}

	slices.Sort(keys)

	// A key that is not positive stands for many products.
	if len(keys) == catalog.MaxKeptChanges || len(keys) > 0 && keys[0] <= 0 {
		return byTime, nil
	}

	return ProductSelection{Keys: slices.Compact(keys)}, nil
}

// Deleted calls fn with the external ids of an entity that are gone since a time in microseconds.
func (s *Exports) Deleted(
	ctx context.Context, tx store.Tx, entity catalog.Entity, since int64, fn func(externalID string) error,
) (err error) {
	defer fault.AddContext(&err, "find deleted %s", entity)
	sql := catalog.DeletedIDsSQL + catalog.ExistsSQL[entity] + ")\nORDER BY d.external_id"
	return database.QueryEach(ctx, tx, sql, []any{string(entity), since}, func(rows database.Rows) error {
		var externalID string
		if err := rows.Scan(&externalID); err != nil {
			return err
		}
		return fn(externalID)
	})
}

// addRemoved sets Removed of attributes that have external ids: the values that are gone since a time.
func addRemoved(ctx context.Context, tx store.Tx, kind catalog.Kind, list []*ExportedAttribute, since int64) error {
	at := make(map[string]*ExportedAttribute, len(list))
	ids := make([]string, 0, len(list))
	for _, a := range list {
		if a.ID != "" {
			at[a.ID], ids = a, append(ids, a.ID)
		}
	}
	return tx.QueryRows(ctx, catalog.DeletedValuesSQL, write.TextBatch(ids),
		write.EachPair(func(attribute, value string) {
			at[attribute].Removed = append(at[attribute].Removed, value)
		}), string(kind.Entity()), since, string(kind))
}
