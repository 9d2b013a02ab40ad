package catalog

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
)

// valuePosition identifies a pushed value by its attribute and its index in push.Values or push.Removed.
type valuePosition struct {
	w *attributeWrite
	i int
}

// remove deletes the values in Removed and detaches them from products and variants.
func (b *attributePushes) remove(ctx context.Context) error {
	var chunk []valuePosition
	for _, w := range b.writes {
		for i := range w.push.Removed {
			if w.added {
				w.unknownRemoved(i)
				continue
			}
			if chunk = append(chunk, valuePosition{w, i}); len(chunk) < chunkSize {
				continue
			}
			if err := b.removeChunk(ctx, chunk); err != nil {
				return err
			}
			chunk = chunk[:0]
		}
	}
	return b.removeChunk(ctx, chunk)
}

func (b *attributePushes) removeChunk(ctx context.Context, chunk []valuePosition) error {
	named := make([]pushedValue, len(chunk))
	for n, p := range chunk {
		named[n] = pushedValue{attributeKey: p.w.a.Key, externalID: p.w.push.Removed[p.i]}
	}
	var values []valueKeys
	var keys []int64
	err := pushedValueKeys(ctx, b.tx, named, func(n int, key *int64) {
		w := chunk[n].w
		if key == nil {
			w.unknownRemoved(chunk[n].i)
			return
		}
		values, keys = append(values, valueKeys{w.a.Key, *key}), append(keys, *key)
		w.a.ValueCount--
	})
	if err != nil {
		return err
	}
	b.written += int64(len(values))
	cascade := &valueCascade{tx: b.tx, kind: b.kind}
	if err := cascade.detach(ctx, values); err != nil {
		return err
	}
	_, err = deleteValues(ctx, b.tx, keys)
	return err
}

// compare fills attributeWrite.stored. It runs before any value is inserted: PostgreSQL plans by the statistics of the
// last ANALYZE, which do not include the rows that this transaction inserts; see docs/planner.md.
func (b *attributePushes) compare(ctx context.Context) error {
	var chunk []valuePosition
	for _, w := range b.writes {
		w.stored = make([]int64, len(w.push.Values))
		for i := range w.push.Values {
			w.stored[i] = newValue
			if w.added {
				continue
			}
			if chunk = append(chunk, valuePosition{w, i}); len(chunk) < chunkSize {
				continue
			}
			if err := b.compareChunk(ctx, chunk); err != nil {
				return err
			}
			chunk = chunk[:0]
		}
	}
	return b.compareChunk(ctx, chunk)
}

func (b *attributePushes) compareChunk(ctx context.Context, chunk []valuePosition) error {
	pushed := make([]pushedValue, len(chunk))
	for n, p := range chunk {
		v := p.w.push.Values[p.i]
		pushed[n] = pushedValue{p.w.a.Key, v.ID, v.Name}
	}
	return compareValues(ctx, b.tx, pushed, func(n int, key *int64) {
		if key != nil {
			chunk[n].w.stored[chunk[n].i] = *key
		}
	})
}

// writeValues renames the stored values whose names change and inserts the new values.
func (b *attributePushes) writeValues(ctx context.Context) error {
	renamed := database.NewBatch(database.BigInt, database.Text, database.Double, database.BigInt)
	added := database.NewBatch(database.BigInt, database.UUID, database.Text, database.Text, database.Double,
		database.BigInt)
	flush := func() error {
		b.written += int64(renamed.Len() + added.Len())
		err := writePushedValues(ctx, b.tx, renamed, added)
		renamed.Reset()
		added.Reset()
		return err
	}
	for _, w := range b.writes {
		at := w.a.UpdatedAt.UnixMicro()
		for i, v := range w.push.Values {
			number, _ := w.a.number(v.Name)
			switch key := w.stored[i]; {
			case key > 0:
				renamed.Add(key, v.Name, number, at)
			case key == newValue:
				added.Add(w.a.Key, id.New[Value](), v.ID, v.Name, number, at)
				w.a.ValueCount++
			}
			if renamed.Len()+added.Len() < chunkSize {
				continue
			}
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}
