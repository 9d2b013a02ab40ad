package change

import (
	"context"
	"slices"

	"vitrine/internal/shop/store"
)

const (
	// maxLogged is the number of rows of the log of products that one transaction takes, which takes some 30 ms.
	maxLogged = 20_000
	// unknownVersion differs from all versions: a head with it is stale, so the rest is collected soon.
	unknownVersion = -1
	// maxTouched is the number of products that changed names may touch to be listed. With more, any product may have
	// changed.
	maxTouched = 10_000
)

// head is what clients know of the changes of a store. The members are as in the table change_heads.
type head struct {
	version, catalog, priceVersions, categories, attributes int64
	whole, content, floor, announced, announcedAt           int64
}

// state is a head with the versions that the store has now.
type state struct {
	head
	current versions
}

// versions are the versions of a store's catalogue; floor is the one up to which the log of products has gaps.
type versions struct{ catalog, priceVersions, categories, attributes, floor int64 }

// stale reports whether the catalogue may have changed since the head.
func (s *state) stale() bool {
	return s.catalog != s.current.catalog || s.categories != s.current.categories ||
		s.attributes != s.current.attributes
}

// collected is what one transaction of collect has found.
type collected struct {
	keys       []int64 // of products that changed and exist
	gone       []int64 // keys of products that were deleted
	whole      bool    // any product may have changed
	categories int64   // how many categories changed
	attributes bool    // features, options or their values changed, which lists of them show
	left       bool    // touched products that another transaction has locked
	content    bool    // more than prices and stock changed
	upTo       int64   // the version of the products that is included
	priceAt    int64   // price_versions at upTo
}

func (c *collected) changed() bool {
	return c.whole || len(c.keys)+len(c.gone) > 0 || c.categories > 0 || c.attributes
}

// collect takes the changes since the head into a new version, if there are any. A single transaction does not take
// all of very many. It locks the store's head until the commit.
//
// Versions are read before what they stand for: so what the transaction finds may belong to later versions, and is then
// told early, but nothing is missing.
func (s *Service) collect(ctx context.Context, tx store.Tx) (after head, err error) {
	if exists, err := lockHead(ctx, tx); err != nil || !exists {
		return head{}, err
	}
	st, err := readState(ctx, tx)
	if err != nil || !st.stale() {
		return st.head, err
	}

	version := st.version + 1
	found, err := s.findChanges(ctx, tx, &st, version)
	if err != nil {
		return head{}, err
	}

	h := st.head
	h.catalog, h.priceVersions = found.upTo, found.priceAt
	h.categories, h.attributes = st.current.categories, st.current.attributes
	if found.left {
		h.attributes = unknownVersion
	}
	if !found.changed() {
		return h, saveHead(ctx, tx, h)
	}

	if err := saveDay(ctx, tx, store.DayNumber(s.Now().UTC()), h.version); err != nil {
		return head{}, err
	}

	h.version = version
	if found.content || found.whole {
		h.content = version
	}
	if found.whole {
		h.whole = version
		err = forgetKeys(ctx, tx)
	} else {
		err = saveKeys(ctx, tx, version, found.keys, found.gone)
	}
	if err != nil {
		return head{}, err
	}

	return h, saveHead(ctx, tx, h)
}

// findChanges returns what changed since the head, and gives it the version where it is stored apart.
func (s *Service) findChanges(ctx context.Context, tx store.Tx, st *state, version int64) (c collected, err error) {
	if err := s.findLogged(ctx, tx, st, &c); err != nil {
		return c, err
	}

	touched, err := takeTouched(ctx, tx)
	if err != nil {
		return c, err
	}
	if c.left, err = isTouched(ctx, tx); err != nil {
		return c, err
	}
	c.whole = c.whole || touched.anyProduct
	c.attributes = st.attributes != st.current.attributes && st.attributes != unknownVersion
	c.content = c.content || touched.anyProduct || len(touched.keys) > 0 || c.attributes
	c.keys = append(c.keys, touched.keys...)

	now := s.Now().UnixMicro()
	if st.categories != st.current.categories || touched.allCategories {
		if c.categories, err = saveCategories(ctx, tx, version, now); err != nil {
			return c, err
		}
		if touched.allCategories {
			others, err := touchCategories(ctx, tx, version, now)
			if err != nil {
				return c, err
			}
			c.categories += others
		}
		c.content = c.content || c.categories > 0
	}

	if c.gone, err = numberDeleted(ctx, tx, version); err != nil {
		return c, err
	}
	c.content = c.content || len(c.gone) > 0

	slices.Sort(c.keys)
	c.keys = slices.Compact(c.keys)
	deleted, err := isAnyDeleted(ctx, tx) // the log may have their keys
	if err == nil && deleted {
		c.keys, err = existingKeys(ctx, tx, c.keys)
	}
	return c, err
}

// findLogged adds what the log of products has since the head, up to maxLogged rows.
func (s *Service) findLogged(ctx context.Context, tx store.Tx, st *state, c *collected) error {
	c.upTo, c.priceAt = st.current.catalog, st.current.priceVersions
	raised := st.current.catalog - st.catalog
	c.content = raised != st.current.priceVersions-st.priceVersions
	if raised < 0 || st.current.floor > st.catalog {
		c.whole = raised != 0
		return nil
	}

	log, err := readLog(ctx, tx, st.catalog, st.current.catalog, s.maxLogged+1)
	if err != nil {
		return err
	}

	if len(log) > s.maxLogged {
		last := log[len(log)-1].version
		log = slices.DeleteFunc(log, func(l logged) bool { return l.version == last })
		if len(log) == 0 {
			c.whole = true
			return nil
		}
		c.upTo = last - 1
		if !c.content {
			c.priceAt = st.priceVersions + c.upTo - st.catalog
		}
	}

	for _, l := range log {
		if l.key <= 0 { // any product, or any with remainders in a stock that was deleted
			c.whole = true
			c.keys = nil
			return nil
		}
		c.keys = append(c.keys, l.key)
	}
	return nil
}
