package productui

import (
	"context"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/store"
)

// memberRow is a member of the product: whether pushes may change it, and who wrote it last.
type memberRow struct {
	Word, Text       string
	Lockable, Locked bool
	Writer           string // empty if it is not known
}

// memberRows returns the rows of all members. A member that was last written before writers were recorded has none.
func (form *productForm) memberRows(l *frame.Language, writers map[productfield.Set]string) (rows []memberRow) {
	for _, f := range productfield.Fields {
		rows = append(rows, memberRow{Word: f.Name, Text: l.T(f.Label), Lockable: f.Lockable,
			Locked: form.Locks.Has(f.Set), Writer: writers[f.Set]})
	}
	return rows
}

// writers returns the names of those who wrote the members of a product last.
func (ui *UI) writers(
	ctx context.Context, tx store.Tx, l *frame.Language, productKey int64,
) (map[productfield.Set]string, error) {
	writers, err := ui.Catalog.Products.Writers(ctx, tx, productKey)
	if err != nil || len(writers) == 0 {
		return nil, err
	}
	operators, err := ui.Accounts.Operators.List(ctx, tx)
	if err != nil {
		return nil, err
	}

	keys, err := ui.Access.Keys(ctx, tx)
	if err != nil {
		return nil, err
	}

	names := map[productfield.Writer]string{}
	for _, o := range operators {
		names[productfield.WriterOf(o.ID)] = o.Email
	}

	for _, k := range keys {
		names[productfield.WriterOf(k.ID)] = l.T("The key %s", k.Name)
	}

	named := map[productfield.Set]string{}
	for one, w := range writers {
		if named[one] = names[w]; named[one] == "" {
			named[one] = l.T("Somebody who is no longer here")
		}
	}

	return named, nil
}
