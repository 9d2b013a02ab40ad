package search

import (
	"errors"

	"vitrine/internal/shop/catalog"
)

var (
	// errBuild says that the columns cannot be brought up to date and must be built anew.
	errBuild = errors.New("the columns must be built anew")
	// errFar says that more has changed than a request should wait for.
	errFar = errors.New("the columns are far behind")
)

// follow brings the columns to the state of the loader's snapshot, which is later than theirs. Where more than most products changed it
// returns errFar, where it cannot errBuild; then the columns are as before. After any other error they are unusable.
func (c *columns) follow(l *loader, now versions, most int) error {
	if now.products < c.at.products || c.at.products < now.floor {
		return errBuild
	}
	keys, err := changedProducts(l.ctx, l.q, l.storeID, c.at.products, now.products, most+1)
	if err != nil {
		return err
	}
	if len(keys) > 0 && keys[0] == 0 {
		return errBuild
	}
	if len(keys) > most {
		return errFar
	}
	if now.attributes != c.at.attributes {
		if err := c.followAttributes(l, most); err != nil {
			return err
		}
	}
	if now.categories != c.at.categories {
		if err := c.tree.load(l); err != nil {
			return err
		}
	}
	if err := c.followProducts(l, keys); err != nil {
		return err
	}
	c.at = now
	return nil
}

// followAttributes reads features and options again: their names, which take part in filtering, and the values of those that changed.
// Where these are more than most it returns errFar.
func (c *columns) followAttributes(l *loader, most int) error {
	fresh := map[int64]*attribute{}
	if err := l.attributes(func(a attribute) { fresh[a.key] = &a }); err != nil {
		return err
	}
	changed := map[int64]bool{}
	for key, a := range fresh {
		old := c.attributes[key]
		if a.kind == catalog.Feature && a.filterable && c.columnOf[key] == nil && old != nil {
			return errBuild // products may have had it for long
		}
		changed[key] = old == nil || old.id != a.id || old.version != a.version
	}
	var again []int64
	for number, key := range c.values.keys {
		if v := &c.values.known[number]; !v.missing && (fresh[v.attribute] == nil || changed[v.attribute]) {
			again = append(again, key)
		}
	}
	if len(again) > most {
		return errFar
	}
	for key, a := range fresh {
		if a.kind == catalog.Feature && a.filterable && c.columnOf[key] == nil {
			c.columnOf[key] = c.shared[int(key)%len(c.shared)]
		}
	}
	c.attributes = fresh
	return c.followValues(l, again)
}

// followValues reads values again. Those that are not there any more count no more; their keys may come back with other values, and so may
// the digests that were made of them.
func (c *columns) followValues(l *loader, keys []int64) error {
	gone := map[int64]bool{}
	for _, key := range keys {
		gone[key] = true
	}
	err := l.values(keys, func(key int64, v value) {
		if known := &c.values.known[c.values.index[key]]; known.id == v.id {
			*known = v
			delete(gone, key)
		}
	})
	if err != nil {
		return err
	}
	for key := range gone {
		c.values.known[c.values.index[key]].missing = true
		c.values.forget(key)
	}
	if len(gone) > 0 {
		c.combination = map[string]uint32{"": 0}
	}
	return nil
}

// followProducts reads products again. Keys must be sorted.
func (c *columns) followProducts(l *loader, keys []int64) error {
	for from := 0; from < len(keys); from += stretchLen {
		part := keys[from:min(from+stretchLen, len(keys))]
		list, err := l.given(part)
		if err != nil {
			return err
		}
		if err := c.learn(l, list); err != nil {
			return err
		}
		for i := range list {
			c.put(&list[i])
			for part[0] < list[i].key {
				c.remove(part[0])
				part = part[1:]
			}
			part = part[1:]
		}
		for _, key := range part {
			c.remove(key)
		}
	}
	return nil
}
