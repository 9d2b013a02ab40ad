package search

import (
	"errors"

	"vitrine/internal/shop/catalog"
)

var (
	// errRebuild says that the columns cannot be brought up to date and must be built anew.
	errRebuild = errors.New("the search columns must be rebuilt")
	// errTooManyChanges says that more has changed than a request should wait for.
	errTooManyChanges = errors.New("too many changes to refresh the search columns")
)

// refresh brings the columns to the state of the loader's snapshot, which is later than theirs. Where more than most products changed it
// returns errTooManyChanges, where it cannot errRebuild; then the columns are as before. After any other error they are unusable.
func (c *columns) refresh(l *loader, current versions, maxChanges int) error {
	if current.products < c.versions.products || c.versions.products < current.prunedUpTo {
		return errRebuild
	}
	keys, err := changedProducts(l.ctx, l.q, l.storeID, c.versions.products, current.products, maxChanges+1)
	if err != nil {
		return err
	}
	if len(keys) > 0 && keys[0] == 0 {
		return errRebuild
	}
	if len(keys) > maxChanges {
		return errTooManyChanges
	}
	if current.attributes != c.versions.attributes {
		if err := c.refreshAttributes(l, maxChanges); err != nil {
			return err
		}
	}
	if current.categories != c.versions.categories {
		if err := c.tree.load(l); err != nil {
			return err
		}
	}
	if err := c.refreshProducts(l, keys); err != nil {
		return err
	}
	c.versions = current
	return nil
}

// refreshAttributes reads features and options again: their names, which take part in filtering, and the values of those that changed.
// Where these are more than most it returns errTooManyChanges.
func (c *columns) refreshAttributes(l *loader, maxChanges int) error {
	fresh := map[int64]*attribute{}
	if err := l.attributes(func(a attribute) { fresh[a.key] = &a }); err != nil {
		return err
	}
	changed := map[int64]bool{}
	for key, a := range fresh {
		old := c.attributes[key]
		if a.kind == catalog.Feature && a.filterable && c.columnOf[key] == nil && old != nil {
			return errRebuild // products may have had it for long
		}
		changed[key] = old == nil || old.id != a.id || old.version != a.version
	}
	var stale []int64
	for id, key := range c.values.keys {
		if v := &c.values.byID[id]; !v.deleted && (fresh[v.attribute] == nil || changed[v.attribute]) {
			stale = append(stale, key)
		}
	}
	if len(stale) > maxChanges {
		return errTooManyChanges
	}
	for key, a := range fresh {
		if a.kind == catalog.Feature && a.filterable && c.columnOf[key] == nil {
			c.columnOf[key] = c.shared[int(key)%len(c.shared)]
		}
	}
	c.attributes = fresh
	return c.refreshValues(l, stale)
}

// refreshValues reads values again. Those that are not there any more count no more; their keys may come back with other values, and so may
// the digests that were made of them.
func (c *columns) refreshValues(l *loader, keys []int64) error {
	deleted := map[int64]bool{}
	for _, key := range keys {
		deleted[key] = true
	}
	err := l.values(keys, func(key int64, v valueInfo) {
		if known := &c.values.byID[c.values.ids[key]]; known.id == v.id {
			*known = v
			delete(deleted, key)
		}
	})
	if err != nil {
		return err
	}
	for key := range deleted {
		c.values.byID[c.values.ids[key]].deleted = true
		c.values.forget(key)
	}
	if len(deleted) > 0 {
		c.combinationCodes = map[string]uint32{"": 0}
	}
	return nil
}

// refreshProducts reads products again. Keys must be sorted.
func (c *columns) refreshProducts(l *loader, keys []int64) error {
	for from := 0; from < len(keys); from += chunkLen {
		chunk := keys[from:min(from+chunkLen, len(keys))]
		list, err := l.byKeys(chunk)
		if err != nil {
			return err
		}
		if err := c.loadUnknown(l, list); err != nil {
			return err
		}
		for i := range list {
			c.put(&list[i])
			for chunk[0] < list[i].key {
				c.remove(chunk[0])
				chunk = chunk[1:]
			}
			chunk = chunk[1:]
		}
		for _, key := range chunk {
			c.remove(key)
		}
	}
	return nil
}
