package transfer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/vault"
)

// RotateSecrets encrypts the secrets of all stores and accounts with another secret key, which the database then
// belongs to. It returns the number of rows that may have one. It is one transaction. No server may be running.
// Remembered responses and login codes are forgotten.
func RotateSecrets(ctx context.Context, db *database.DB, from, to *vault.Vault) (count int64, err error) {
	r := &rotation{sealer: sealer{from, to}}
	err = db.WriteAlone(ctx, func(q database.Querier) error { return r.run(ctx, q) })
	return r.count, err
}

// ResetSecrets gives up all secrets, because their secret key is lost, and makes the database belong to another one. It
// returns what is lost, by the keys of LostTexts. It is one transaction. No server may be running.
func ResetSecrets(ctx context.Context, db *database.DB, to *vault.Vault) (lost map[string]int64, err error) {
	r := &rotation{sealer: sealer{nil, to}}
	err = db.WriteAlone(ctx, func(q database.Querier) error { return r.run(ctx, q) })
	return r.lost, err
}

// rotation changes the secret key of a database.
type rotation struct {
	sealer
	count int64
	lost  map[string]int64
}

func (r *rotation) run(ctx context.Context, q database.Querier) error {
	r.count = 0
	r.lost = map[string]int64{}
	if err := withoutTimeouts(ctx, q); err != nil {
		return err
	}
	if err := forgetResponses(ctx, q); err != nil {
		return err
	}

	for _, t := range tables() {
		if len(t.secrets()) == 0 && !t.hasJobs() || strings.HasPrefix(t.name, "idempotency") {
			continue
		}
		if err := r.table(ctx, q, &t); err != nil {
			return fmt.Errorf("table %s: %w", t.name, err)
		}
	}

	return setKeyCheck(ctx, q, r.to.KeyCheck())
}

// table changes the rows of a table, page by page.
func (r *rotation) table(ctx context.Context, q database.Querier, t *table) error {
	var after []any
	for {
		page, err := t.selectPage(ctx, q, after)
		if err != nil || len(page) == 0 {
			return err
		}
		after = slices.Clone(page[len(page)-1])

		changed, removed := t.newBatch(), t.newBatch()
		for _, row := range page {
			keep, err := r.row(t, row)
			switch {
			case err != nil:
				return err
			case keep:
				changed.Add(row...)
			default:
				removed.Add(row...)
			}
		}

		if err := t.updateRows(ctx, q, changed); err != nil {
			return err
		}
		if err := t.deleteRows(ctx, q, removed); err != nil {
			return err
		}
	}
}

// row changes the secrets of a row, or removes them. It returns false if the row makes no sense without them.
func (r *rotation) row(t *table, row []any) (keep bool, err error) {
	r.count++
	switch {
	case r.from == nil && t.hasJobs():
		form, _, _, err := jobOf(t, row)
		if err == nil && form.sealedFor != "" {
			r.lost["messages"]++
			return false, nil
		}
		return true, err
	case r.from == nil:
		return r.dropSecrets(t, row, r.lost), nil
	case t.hasJobs():
		return true, r.resealJob(t, row)
	}
	return true, r.resealRow(t.stored(), row)
}
