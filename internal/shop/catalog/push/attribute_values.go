package push

import (
	"context"
	"iter"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
)

// valuePosition identifies a pushed value by its attribute and its index in push.Values or push.Removed.
type valuePosition struct {
	w *attributeWrite
	i int
}

// chunks iterates over the positions of the values of the existing attributes, in chunks of ChunkSize. count returns
// the number of values that an item has. A chunk is valid until the next one.
func (b *attributePushes) chunks(count func(*catalog.AttributePush) int) iter.Seq[[]valuePosition] {
	return func(yield func([]valuePosition) bool) {
		var chunk []valuePosition
		for _, w := range b.writes {
			if w.added {
				continue
			}

			for i := range count(w.push) {
				if chunk = append(chunk, valuePosition{w, i}); len(chunk) < write.ChunkSize {
					continue
				}
				if !yield(chunk) {
					return
				}
				chunk = chunk[:0]
			}
		}

		if len(chunk) > 0 {
			yield(chunk)
		}
	}
}

// remove deletes the values in Removed and detaches them from products and variants. It only hides values that very
// many of them have.
func (b *attributePushes) remove(ctx context.Context) error {
	for _, w := range b.writes {
		for i := range w.push.Removed {
			if w.added {
				w.unknownRemoved(i)
			}
		}
	}

	cascade := &catalog.ValueCascade{Tx: b.tx, Kind: b.kind, Left: b.s.MaxDirectLinks}
	for chunk := range b.chunks(func(p *catalog.AttributePush) int { return len(p.Removed) }) {
		named := database.NewBatch(database.BigInt, database.BigInt, database.Text)
		for n, p := range chunk {
			named.Add(n, p.w.a.Key, p.w.push.Removed[p.i])
		}

		var values []catalog.ValueKeys
		var keys []int64
		var unknown []valuePosition

		err := catalog.PushedValueKeys(ctx, b.tx, named, func(n int, key *int64) {
			w := chunk[n].w
			if key == nil {
				unknown = append(unknown, chunk[n])
				return
			}
			values = append(values, catalog.ValueKeys{Attribute: w.a.Key, Value: *key})
			keys = append(keys, *key)
			w.a.ValueCount--
		})
		if err != nil {
			return err
		}

		if err := b.removeAliases(ctx, unknown); err != nil {
			return err
		}

		b.written += int64(len(values))
		if err := b.recordGone(ctx, keys); err != nil {
			return err
		}

		detached, err := cascade.DetachUpTo(ctx, values)
		if err != nil {
			return err
		}

		if detached {
			_, err = catalog.DeleteValues(ctx, b.tx, keys)
		} else {
			err = b.s.HideValues(ctx, b.tx, values, b.s.Now().UnixMicro())
		}

		if err != nil {
			return err
		}
	}

	return nil
}

// recordGone records that values are gone, and that products may have lost them.
func (b *attributePushes) recordGone(ctx context.Context, keys []int64) error {
	if len(keys) == 0 {
		return nil
	}
	if err := catalog.ValuesGone(ctx, b.tx, keys, b.s.Now().UnixMicro()); err != nil {
		return err
	}
	return b.s.MarkReferences(ctx, b.tx)
}

// removeAliases removes the external ids of merged values, and warns of those that are unknown. The value that such an
// id means stays: it may have been in use before the merge, and accounting removes only its own duplicate.
func (b *attributePushes) removeAliases(ctx context.Context, removed []valuePosition) error {
	if len(removed) == 0 {
		return nil
	}

	aliases := database.NewBatch(database.BigInt, database.BigInt, database.Text)
	for n, p := range removed {
		aliases.Add(n, p.w.a.Key, p.w.push.Removed[p.i])
	}

	dropped := database.NewBatch(database.BigInt, database.Text)
	known := map[int]bool{}
	err := catalog.AliasedValues(ctx, b.tx, aliases, func(n int, _ int64, _ catalog.ValueID) {
		known[n] = true
		dropped.Add(removed[n].w.a.Key, removed[n].w.push.Removed[removed[n].i])
	})
	if err != nil {
		return err
	}

	for n, p := range removed {
		if !known[n] {
			p.w.unknownRemoved(p.i)
		}
	}

	return catalog.DropAliases(ctx, b.tx, dropped)
}

// keepAliased keeps merged values from being created again: an item with the id of one changes nothing.
func (b *attributePushes) keepAliased(ctx context.Context) error {
	if any, err := catalog.HasAliases(ctx, b.tx); err != nil || !any {
		return err
	}

	for chunk := range b.chunks(func(p *catalog.AttributePush) int { return len(p.Values) }) {
		aliases := database.NewBatch(database.BigInt, database.BigInt, database.Text)
		for n, p := range chunk {
			if p.w.stored[p.i] == newValue {
				aliases.Add(n, p.w.a.Key, p.w.push.Values[p.i].ID)
			}
		}

		err := catalog.AliasedValues(ctx, b.tx, aliases, func(n int, _ int64, _ catalog.ValueID) {
			chunk[n].w.stored[chunk[n].i] = 0
		})
		if err != nil {
			return err
		}
	}

	return nil
}

// takeTexts makes new values aliases of values that came as texts: otherwise the same text would stand there twice.
func (b *attributePushes) takeTexts(ctx context.Context) error {
	for chunk := range b.chunks(func(p *catalog.AttributePush) int { return len(p.Values) }) {
		texts := database.NewBatch(database.BigInt, database.BigInt, database.Text)
		for n, p := range chunk {
			if p.w.push.TakesTexts && p.w.stored[p.i] == newValue {
				texts.Add(n, p.w.a.Key, catalog.TextValueID(p.w.push.Values[p.i].Name))
			}
		}
		if texts.Len() == 0 {
			continue
		}

		aliases := database.NewBatch(database.BigInt, database.Text, database.BigInt)
		err := catalog.PushedValueKeys(ctx, b.tx, texts, func(n int, key *int64) {
			if key == nil {
				return
			}
			p := chunk[n]
			aliases.Add(p.w.a.Key, p.w.push.Values[p.i].ID, *key)
			p.w.stored[p.i] = 0
		})
		if err != nil {
			return err
		}

		if err := catalog.PutAliases(ctx, b.tx, aliases); err != nil {
			return err
		}
	}

	return nil
}

// compare fills attributeWrite.stored. It runs before any value is inserted: PostgreSQL plans by the statistics of the
// last ANALYZE, which do not include the rows that this transaction inserts; see docs/planner.md.
func (b *attributePushes) compare(ctx context.Context) error {
	for _, w := range b.writes {
		w.stored = slices.Repeat([]int64{newValue}, len(w.push.Values))
	}

	for chunk := range b.chunks(func(p *catalog.AttributePush) int { return len(p.Values) }) {
		pushed := database.NewBatch(database.BigInt, database.BigInt, database.Text, database.Text)
		for n, p := range chunk {
			v := p.w.push.Values[p.i]
			pushed.Add(n, p.w.a.Key, v.ID, v.Name)
		}

		err := compareValues(ctx, b.tx, pushed, func(n int, key *int64) {
			if key != nil {
				chunk[n].w.stored[chunk[n].i] = *key
			}
		})
		if err != nil {
			return err
		}
	}

	return nil
}

// writeValues renames the stored values whose names change and inserts the new values.
func (b *attributePushes) writeValues(ctx context.Context) error {
	renamed := database.NewBatch(database.BigInt, database.Text, database.Double, database.BigInt)
	added := database.NewBatch(database.BigInt, database.UUID, database.Text, database.Text, database.Double,
		database.BigInt)
	names := database.NewBatch(database.BigInt, database.Text)
	flush := func() error {
		b.written += int64(renamed.Len() + added.Len())
		if err := b.touchRenamed(ctx, names); err != nil {
			return err
		}
		names.Reset()
		err := writePushedValues(ctx, b.tx, renamed, added)
		renamed.Reset()
		added.Reset()
		return err
	}
	for _, w := range b.writes {
		at := w.a.UpdatedAt.UnixMicro()
		for i, v := range w.push.Values {
			number, _ := w.a.Number(v.Name)
			switch key := w.stored[i]; {
			case key > 0:
				renamed.Add(key, v.Name, number, at)
				names.Add(key, v.Name)
			case key == newValue:
				added.Add(w.a.Key, id.New[catalog.Value](), v.ID, v.Name, number, at)
				w.a.ValueCount++
			}

			if renamed.Len()+added.Len() < write.ChunkSize {
				continue
			}
			if err := flush(); err != nil {
				return err
			}
		}
	}

	return flush()
}

// touchRenamed records the values that get another name.
func (b *attributePushes) touchRenamed(ctx context.Context, names *database.Batch) error {
	if b.renamed > write.MaxTouchedValues {
		return nil
	}
	n, err := write.TouchRenamed(ctx, b.tx, names)
	if b.renamed += n; err != nil || b.renamed <= write.MaxTouchedValues {
		return err
	}
	return write.TouchAnyProduct(ctx, b.tx)
}
