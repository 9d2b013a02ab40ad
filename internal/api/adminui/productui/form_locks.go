package productui

import (
	"context"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/shop/member"
	"vitrine/internal/shop/store"
)

//messages: "Name" "Description" "Pictures" "Categories" "Features" "Prices" "Variants" "Stock" "Modifiers"

// memberTexts are the names of the members, in English.
var memberTexts = map[member.Set]string{
	member.Name: "Name", member.Description: "Description", member.Images: "Pictures", member.Categories: "Categories",
	member.Features: "Features", member.Price: "Prices", member.Variants: "Variants", member.Remainders: "Stock",
	member.Modifiers: "Modifiers",
}

// memberRow is a member of the product: whether pushes may change it, and who wrote it last.
type memberRow struct {
	Word, Text       string
	Lockable, Locked bool
	Writer           string // empty if it is not known
}

// memberRows returns the rows of all members. A member that was last written before writers were recorded has none.
func (form *productForm) memberRows(l *frame.Language, writers map[member.Set]string) (rows []memberRow) {
	for _, word := range member.All.Words() {
		one, _ := member.All.Find(word)
		rows = append(rows, memberRow{Word: word, Text: l.T(memberTexts[one]), Lockable: member.Lockable.Has(one),
			Locked: form.Locks.Has(one), Writer: writers[one]})
	}
	return rows
}

// writers returns the names of those who wrote the members of a product last.
func (ui *UI) writers(
	ctx context.Context, tx store.Tx, l *frame.Language, productKey int64,
) (map[member.Set]string, error) {
	writers, err := ui.Catalog.Products.Writers(ctx, tx, productKey)
	if err != nil || len(writers) == 0 {
		return nil, err
	}
	operators, err := ui.Access.Operators(ctx, tx)
	if err != nil {
		return nil, err
	}
	keys, err := ui.Access.Keys(ctx, tx)
	if err != nil {
		return nil, err
	}
	names := map[member.Writer]string{}
	for _, o := range operators {
		names[member.WriterOf(o.ID)] = o.Email
	}
	for _, k := range keys {
		names[member.WriterOf(k.ID)] = l.T("The key %s", k.Name)
	}
	named := map[member.Set]string{}
	for one, w := range writers {
		if named[one] = names[w]; named[one] == "" {
			named[one] = l.T("Somebody who is no longer here")
		}
	}
	return named, nil
}
