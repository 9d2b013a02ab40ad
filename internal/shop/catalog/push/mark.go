package push

import (
	"context"
	"errors"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// markedItem is what markedPush needs of an item.
type markedItem struct {
	id      string
	mark    catalog.Mark
	version *int64
}

// markedPush applies the items of an entity of which some have a mark.
type markedPush[T any] struct {
	tx     store.Tx
	entity catalog.Entity
	items  []T
	of     func(*T) markedItem
	// apply applies items without a mark.
	apply func([]T) ([]Pushed, error)
	// deleteOne deletes the thing that an item names. It returns fault.NotFound for one that does not exist: then there
	// is nothing to do. It calls leaveStale on the outcome, and deletes nothing if that returns true.
	deleteOne func(*T, *Pushed) error
}

// run applies the items without a mark and deletes the things of the others: those that come first before it, since
// what is applied may get their slugs, and the others after it. It returns the outcomes in the order of the items. An
// item that is older than the one which deleted its thing is left alone.
func (p *markedPush[T]) run(ctx context.Context) ([]Pushed, error) {
	versions := catalog.ItemVersions{}
	for i := range p.items {
		if it := p.of(&p.items[i]); it.version != nil {
			versions[it.id] = *it.version
		}
	}

	deleted, err := versions.DeletedVersions(ctx, p.tx, p.entity)
	if err != nil {
		return nil, err
	}

	var rest []T
	var positions []int
	outcomes := make([]Pushed, len(p.items))
	for i := range p.items {
		it := p.of(&p.items[i])
		if was, known := deleted[it.id]; known && outcomes[i].leaveStale(it.version, &was) {
			continue
		}
		if it.mark == "" {
			rest = append(rest, p.items[i])
			positions = append(positions, i)
		}
	}

	gone := catalog.ItemVersions{}
	leading := leadingMarks(p.items, func(item *T) catalog.Mark { return p.of(item).mark })
	if err := p.deleteMarked(outcomes, 0, leading, gone); err != nil {
		return nil, err
	}

	if len(rest) > 0 {
		applied, err := p.apply(rest)
		if err != nil {
			return nil, err
		}
		for n, i := range positions {
			outcomes[i] = applied[n]
		}
	}

	if err := p.deleteMarked(outcomes, leading, len(p.items), gone); err != nil {
		return nil, err
	}
	return outcomes, gone.RecordDeletions(ctx, p.tx, p.entity)
}

// leadingMarks returns the number of items with a mark before the first one without.
func leadingMarks[T any](items []T, mark func(*T) catalog.Mark) int {
	for i := range items {
		if mark(&items[i]) == "" {
			return i
		}
	}
	return len(items)
}

// deleteMarked deletes the things of the items with a mark from the position from on, up to the position to. It sets
// their outcomes, and adds their versions to gone.
func (p *markedPush[T]) deleteMarked(outcomes []Pushed, from, to int, gone catalog.ItemVersions) error {
	for i := from; i < to; i++ {
		it := p.of(&p.items[i])
		o := &outcomes[i]
		if it.mark == "" || o.Stale {
			continue
		}

		err := p.deleteOne(&p.items[i], o)
		if o.Stale {
			continue
		}
		if err := o.setDeleted(err); err != nil {
			return err
		}

		if o.Outcome == Updated && it.version != nil {
			gone[it.id] = *it.version
		}
	}
	return nil
}

// setDeleted sets the outcome of a deletion that returned err. A refusal is an error of the item.
func (p *Pushed) setDeleted(err error) error {
	var refused *fault.Error
	switch {
	case err == nil:
		p.Outcome = Updated
	case fault.KindOf(err) == fault.NotFound:
		p.Outcome = Unchanged
	case errors.As(err, &refused) && refused.Kind == fault.Conflict:
		p.fail(newField(string(catalog.DeletedMark), refused.Code, "%s", refused.Message))
	default:
		return err
	}
	return nil
}

// applyMarks archives and deletes the products whose items have a mark, of the items from the position from on, up to
// the position to. An item whose product does not exist, or is archived already, is Unchanged. Marks that come first
// are applied before the other items, since these may get the slugs.
func (b *productPushes) applyMarks(ctx context.Context, from, to int) error {
	var archive, remove []int64
	at := map[int64]int{}
	for i := from; i < to; i++ {
		o := &b.outcomes[i]
		switch mark := b.items[i].Mark; {
		case mark == "" || o.Stale:
			continue
		case o.Key == 0:
		case mark == catalog.DeletedMark:
			remove = append(remove, o.Key)
		default:
			archive = append(archive, o.Key)
		}

		o.Outcome, at[o.Key] = Unchanged, i
	}

	if len(archive)+len(remove) == 0 {
		return nil
	}

	changed := func(keys []int64) {
		for _, key := range keys {
			o := &b.outcomes[at[key]]
			o.Outcome, o.changedProduct = Updated, key
		}
	}
	archived, err := catalog.ArchiveLive(ctx, b.tx, archive, b.s.Now())
	if err != nil {
		return err
	}

	changed(archived)
	removed, err := b.s.deleteProducts(ctx, b.tx, remove)
	if err != nil {
		return err
	}

	changed(removed)
	gone := catalog.ItemVersions{}
	for _, key := range removed {
		b.outcomes[at[key]].Key = 0 // the key may be used again
		if it := &b.items[at[key]]; it.Version != nil {
			gone[it.ID] = *it.Version
		}
	}

	return gone.RecordDeletions(ctx, b.tx, catalog.ProductEntity)
}

// leaveDeleted leaves the items alone that are older than those which deleted their products.
func (b *productPushes) leaveDeleted(ctx context.Context) error {
	versions := catalog.ItemVersions{}
	for i := range b.items {
		if it := &b.items[i]; it.Version != nil && b.outcomes[i].Key == 0 {
			versions[it.ID] = *it.Version
		}
	}
	deleted, err := versions.DeletedVersions(ctx, b.tx, catalog.ProductEntity)
	for i := range b.items {
		if was, known := deleted[b.items[i].ID]; known {
			b.outcomes[i].leaveStale(b.items[i].Version, &was)
		}
	}
	return err
}

// deleteProducts deletes products with their images, as Products.Delete does, and returns the keys of those that
// existed. The caller records the changes.
func (s *Pushes) deleteProducts(ctx context.Context, tx store.Tx, keys []int64) (deleted []int64, err error) {
	if len(keys) == 0 {
		return nil, nil
	}

	images, err := imageIDsOfProducts(ctx, tx, keys)
	if err != nil {
		return nil, err
	}
	if _, err := catalog.LockImages(ctx, tx, images); err != nil {
		return nil, err
	}

	gone := database.NewBatch(database.Text, database.Text, database.Text)
	locked, err := catalog.LockProducts(ctx, tx, keys, nil)
	if err != nil {
		return nil, err
	}

	for _, key := range keys {
		w := locked[key]
		if w == nil {
			continue
		}
		deleted = append(deleted, key)
		if w.Product.ExternalID != nil {
			gone.Add(string(catalog.ProductEntity), "", *w.Product.ExternalID)
		}
	}

	if err := catalog.DeleteProductRows(ctx, tx, deleted, s.Now()); err != nil {
		return nil, err
	}

	return deleted, catalog.InsertDeletedIDs(ctx, tx, gone, s.Now())
}
