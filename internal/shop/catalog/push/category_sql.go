package push

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
)

// find may append a lock clause. Rows are locked in key order, so that transactions cannot deadlock. IS NOT NULL
// matches the condition of a partial index; see docs/planner.md.
const knownCategoriesSQL = `
WITH r(external_id) AS (ROWS)
SELECT c.key, c.id, c.external_id, c.name, c.slug, c.seo, c.description, c.updated_at, c.pushed, c.source_version,
	COALESCE(c.parent_key, 0),
	(SELECT MIN(p.external_id) FROM pending_references p WHERE p.store_id = $1 AND p.category_key = c.key
		AND p.category_key IS NOT NULL)
FROM r
CROSS JOIN categories c
WHERE c.key = (
	SELECT x.key
	FROM categories x
	WHERE x.store_id = $1
	  AND x.external_id = r.external_id
	  AND x.external_id IS NOT NULL)
ORDER BY c.key`

const insertPushedCategoriesSQL = `
WITH r(id, external_id, name, words, slug, seo, description, pushed, source_version) AS (ROWS)
INSERT INTO categories (store_id, id, external_id, name, words, slug, seo, description, pushed, source_version, version,
	created_at, updated_at)
SELECT $1, id, external_id, name, words, slug, seo, description, pushed, source_version, 1, $2, $2
FROM r
RETURNING key, external_id`

const updatePushedCategoriesSQL = `
WITH r(key, name, words, slug, seo, description, pushed, source_version) AS (ROWS)
UPDATE categories
SET name = r.name, words = r.words, slug = r.slug, seo = r.seo, description = r.description, pushed = r.pushed,
	version = categories.version + 1, updated_at = $2,
	source_version = COALESCE(r.source_version, categories.source_version)
FROM r
WHERE categories.store_id = $1
  AND categories.key = r.key`

const placeCategoriesSQL = `
WITH r(key, parent_key) AS (ROWS)
UPDATE categories
SET parent_key = r.parent_key, position = ` + catalog.NoPositionSQL + `
FROM r
WHERE categories.store_id = $1
  AND categories.key = r.key`

const pendingOfCategoriesSQL = `
WITH r(key) AS (ROWS)
SELECT p.category_key, p.external_id
FROM r
CROSS JOIN LOOKUP (pending_references p WHERE p.store_id = $1 AND p.category_key = r.key AND p.category_key IS NOT NULL)
ORDER BY p.key`

// find reads the stored categories among the items and their parents, and calls compare.
func (b *categoryPushes) find(ctx context.Context, lock string) error {
	named := make(map[string]bool, len(b.items))
	for _, item := range b.items {
		named[item.ID] = true
		if item.Parent != nil {
			named[*item.Parent] = true
		}
	}

	b.known = make(map[string]pushedCategory, len(named))
	b.last = time.Time{}

	err := b.tx.QueryRows(ctx, knownCategoriesSQL+lock, write.TextBatch(write.SortedStrings(named)),
		func(rows database.Rows) error {
			var c pushedCategory
			var externalID string
			var updatedAt time.Time
			err := rows.Scan(&c.key, &c.id, &externalID, &c.name, &c.slug, &c.seo, &c.description,
				database.Time(&updatedAt), &c.pushed, &c.version, &c.parentKey, &c.pendingParent)
			b.known[externalID] = c
			b.last = write.LaterTime(b.last, updatedAt)

			return err
		})

	b.compare()
	return err
}

// save writes the applied items, their parents and their pending references, and the versions of unchanged items.
func (b *categoryPushes) save(ctx context.Context, at time.Time) error {
	if err := b.raised.saveOfCategories(ctx, b.tx); err != nil {
		return err
	}
	if err := b.writeRows(ctx, at); err != nil {
		return err
	}

	// Parents are set after the inserts, once every category has a row.
	placed := database.NewBatch(database.BigInt, database.BigInt)
	var placedKeys []int64
	var pending []catalog.PendingReference
	for i, item := range b.items {
		o := &b.outcomes[i]
		if !b.written(i) || !item.NamesParent() {
			continue
		}

		placedKeys = append(placedKeys, o.Key)

		if b.parentPending(i) {
			pending = append(pending, catalog.PendingReference{Kind: catalog.PendingParent,
				Ref: catalog.ReferencePush{Attribute: *item.Parent}, Owner: o.Key})
			o.warnOfParent(*item.Parent)
		} else if parent := b.parentOf(i); parent != b.tree.stored[o.Key] {
			placed.Add(o.Key, database.NullIfZero(parent))
		}
	}

	if _, err := b.tx.ExecRows(ctx, placeCategoriesSQL, placed); err != nil {
		return err
	}

	if placed.Len() > 0 {
		if err := b.s.MarkReferences(ctx, b.tx); err != nil {
			return err
		}
	}

	targets := make(map[catalog.PendingReference]bool, len(pending))
	for _, p := range pending {
		targets[p.Target()] = true
	}

	since, err := catalog.PendingSince(ctx, b.tx, targets)
	if err != nil {
		return err
	}
	if err := catalog.DropPending(ctx, b.tx, catalog.PendingParent, placedKeys); err != nil {
		return err
	}

	return catalog.SavePending(ctx, b.tx, pending, since, at)
}

// writeRows inserts the new categories at the root, in the order of the push, sets their keys, and updates the others.
func (b *categoryPushes) writeRows(ctx context.Context, at time.Time) error {
	added := database.NewBatch(database.UUID, database.Text, database.Text, database.Text, database.Text, database.Text,
		database.Text, database.Bytes, database.BigInt)
	updated := database.NewBatch(database.BigInt, database.Text, database.Text, database.Text, database.Text,
		database.Text, database.Bytes, database.BigInt)
	for i, item := range b.items {
		c := b.known[item.ID]
		name := c.name
		write.Assign(&name, item.Name)
		write.Assign(&c.seo, item.SEO)
		write.Assign(&c.description, item.Description)
		categoryID := c.id
		if claim := b.slugs[i]; claim != nil {
			c.slug = claim.Slug
			categoryID = claim.ID
		}

		switch o := &b.outcomes[i]; o.Outcome {
		case Created:
			added.Add(categoryID, item.ID, name, locale.SearchText(name), c.slug.OrNull(), c.seo.OrNull(),
				c.description, item.Digest[:], item.Version)
		case Updated:
			updated.Add(o.Key, name, locale.SearchText(name), c.slug.OrNull(), c.seo.OrNull(), c.description,
				item.Digest[:], item.Version)
		case Unchanged, Failed:
		}
	}

	err := b.tx.QueryRows(ctx, insertPushedCategoriesSQL, added, write.EachPair(func(key int64, externalID string) {
		b.outcomes[b.at[externalID]].Key = key
	}), at.UnixMicro())
	if err != nil {
		return err
	}

	if err := database.ExecRows(ctx, b.tx, updatePushedCategoriesSQL, updated, at.UnixMicro()); err != nil {
		return err
	}
	return b.saveSlugs(ctx)
}

// warnOfPending adds a warning to each Unchanged item whose reference to its parent is still pending.
func (b *categoryPushes) warnOfPending(ctx context.Context) error {
	unchanged := map[int64]*Pushed{}
	batch := database.NewBatch(database.BigInt)
	for i := range b.outcomes {
		if o := &b.outcomes[i]; o.Outcome == Unchanged && !o.Stale {
			unchanged[o.Key] = o
			batch.Add(o.Key)
		}
	}
	return b.tx.QueryRows(ctx, pendingOfCategoriesSQL, batch,
		write.EachPair(func(key int64, externalID string) { unchanged[key].warnOfParent(externalID) }))
}
