package catalog

import (
	"context"
	"slices"

	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

// MemberText is a member of a product as the log shows it. Key identifies the member, whatever its name is.
type MemberText struct{ Key, Field, Text string }

// ProductText is a product as the log shows it: its members in the order of the form of the administration, and its
// images.
type ProductText struct {
	Members []MemberText
	Images  []ImageID
}

// readText reads the product for the log. It returns nil if the transaction has no author.
func (s *Products) readText(ctx context.Context, tx store.Tx, productKey int64) (*ProductText, error) {
	if _, _, recorded := tx.Author(); !recorded || s.productText == nil {
		return nil, nil //nolint:nilnil // documented
	}
	return s.productText(ctx, tx, productKey)
}

// changes returns what differs from the product as it was before.
func (t *ProductText) changes(before *ProductText) (list []audit.Change) {
	was := make(map[string]MemberText, len(before.Members))
	for _, m := range before.Members {
		was[m.Key] = m
	}
	for _, m := range t.Members {
		list = audit.AppendChange(list, m.Field, was[m.Key].Text, m.Text)
		delete(was, m.Key)
	}
	for _, m := range before.Members { // in their order
		if _, gone := was[m.Key]; gone {
			list = audit.AppendChange(list, m.Field, m.Text, "")
		}
	}
	return list[:min(len(list), maxLoggedChanges)]
}

// recordEdit records an edit of the product that was as before, unless it changed nothing. A change of its images alone
// has actions of its own.
func (s *Products) recordEdit(
	ctx context.Context, tx store.Tx, action audit.Action, p *Product, before *ProductText,
) error {
	if before == nil {
		return audit.Record(ctx, tx, p.entry(action))
	}

	after, err := s.readText(ctx, tx, p.Key)
	if err != nil {
		return err
	}

	changes := after.changes(before)
	images := !slices.Equal(before.Images, after.Images)
	switch {
	case len(changes) == 0 && !images:
		return nil
	case len(changes) == 0:
		e := p.entry(imageAction(before.Images, after.Images))
		e.Object.Kind = "product_image"
		return audit.Record(ctx, tx, e)
	case images:
		changes = append(changes, audit.Change{Field: "images"})
	}

	return audit.Record(ctx, tx, p.entry(action, changes...))
}

// imageAction returns the action of the log for a change of the images of a product.
func imageAction(before, after []ImageID) audit.Action {
	switch {
	case slices.ContainsFunc(after, func(im ImageID) bool { return !slices.Contains(before, im) }):
		return audit.ImageAdded
	case len(after) < len(before):
		return audit.ImageRemoved
	}
	return audit.ImageOrdered
}
