package feed

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/address"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/store"
)

const (
	// pageKeys is the number of products whose keys are read together, pageProducts of those that are read whole. A
	// description has at most 65,536 characters, so a page takes some 30 MiB at worst.
	pageKeys     = 2000
	pageProducts = 200
	// maxNames is the number of names of values that are kept.
	maxNames = 20_000
)

// Reading is a feed that is read.
type Reading struct {
	Feed *Feed
	Shop store.Store
	// BaseURL is the beginning of the addresses of images.
	BaseURL string
	// At is the time of the state that is read.
	At time.Time
}

// Render calls write with the parts of the feed, and returns what it has and leaves out. With a nil write it only
// counts. It returns fault.Conflict if the store has no site URL, if the feed refers to something that was deleted, or
// if its format does not know the currency of the store. It reads the products by pages from tx, which is a snapshot.
func Render(ctx context.Context, tx store.Tx, in Reading, write func(part []byte) (int, error)) (_ Report, err error) {
	defer fault.AddContext(&err, "render feed %s", in.Feed.Name)

	if in.Shop.SiteURL == "" {
		return Report{}, address.ErrNoSite()
	}
	p, broken, err := newPlan(ctx, tx, in.Shop, &in.Feed.Definition)
	if err != nil {
		return Report{}, err
	}
	if broken != nil {
		return Report{}, errBroken(broken)
	}

	to, err := newWriter(&in, p)
	if err != nil {
		return Report{}, err
	}
	w := &walk{Reading: in, plan: p, tx: tx, reporter: newReporter(), categories: categoriesByKey(p.tree)}
	w.clearNames()
	if write == nil {
		w.add = func(*offer) error { return nil }
		return w.run(ctx)
	}

	if _, err := write(to.begin(nil)); err != nil {
		return Report{}, err
	}
	var b []byte
	w.add = func(o *offer) error {
		b = to.offer(b[:0], o)
		_, err := write(b)
		return err
	}
	report, err := w.run(ctx)
	if err != nil {
		return Report{}, err
	}
	_, err = write(to.end(nil))
	return report, err
}

// writer writes a feed in one format.
type writer interface {
	begin(b []byte) []byte
	offer(b []byte, o *offer) []byte
	end(b []byte) []byte
}

// newWriter returns the writer of the feed's format.
func newWriter(in *Reading, p *plan) (writer, error) {
	if p.Format == YML {
		return newYML(in, p)
	}
	return newGoogle(in, p), nil
}

// walk reads the products of a feed.
type walk struct {
	Reading
	*plan
	tx       store.Tx
	reporter *reporter
	// categories are those of the tree by row key.
	categories map[int64]*treeCategory
	attributes map[int64]view.AttributeName
	values     map[int64]string
	add        func(o *offer) error
}

// treeCategory is a category of the tree with its depth, which is 1 at the root.
type treeCategory struct {
	*catalog.CategoryNode
	depth int
}

// categoriesByKey returns the categories of a tree by row key.
func categoriesByKey(tree *catalog.CategoryTree) map[int64]*treeCategory {
	list := make(map[int64]*treeCategory, tree.Total)
	tree.Walk(func(n *catalog.CategoryNode) {
		depth := 1
		if n.Parent != nil {
			depth += list[n.Parent.Key].depth
		}
		list[n.Key] = &treeCategory{n, depth}
	})
	return list
}

// run calls add for each offer and returns the report.
func (w *walk) run(ctx context.Context) (Report, error) {
	for after := int64(0); ; {
		keys, err := selectProductKeys(ctx, w.tx, after)
		if err != nil {
			return Report{}, err
		}
		if len(keys) == 0 {
			return w.reporter.report(), nil
		}
		after = keys[len(keys)-1]

		if w.plan.categories != nil {
			in, err := keysInCategories(ctx, w.tx, keys, w.plan.categories)
			if err != nil {
				return Report{}, err
			}
			keys = slices.DeleteFunc(keys, func(key int64) bool { return !in[key] })
		}
		for len(keys) > 0 {
			read, err := w.page(ctx, keys[:min(len(keys), pageProducts)])
			if err != nil {
				return Report{}, err
			}
			keys = keys[read:]
		}
	}
}

// page calls add for each offer of the first of these products, and returns how many of them it has read.
func (w *walk) page(ctx context.Context, keys []int64) (read int, err error) {
	parts := view.Parts{Categories: true, Features: true, Images: true, Variants: true, NoRemainders: true,
		Prices: w.Shop.OldPriceList != nil}
	rows, read, err := view.ReadRows(ctx, w.tx, keys, parts, catalog.Live)
	if err != nil {
		return 0, err
	}

	reader := pricelist.Reader{Chain: w.chain, Old: w.Shop.OldPriceList}
	if err := view.AddPrices(ctx, w.tx, rows, parts, reader); err != nil {
		return 0, err
	}
	if err := w.readNames(ctx, rows); err != nil {
		return 0, err
	}

	for i := range rows {
		if err := w.product(&rows[i]); err != nil {
			return 0, err
		}
	}
	return read, nil
}

// clearNames forgets all names.
func (w *walk) clearNames() {
	w.attributes = map[int64]view.AttributeName{}
	w.values = map[int64]string{}
}

// readNames reads the names of features, options and values that products refer to, unless they are known.
func (w *walk) readNames(ctx context.Context, rows []view.ProductRows) error {
	if len(w.values) > maxNames || len(w.attributes) > maxNames {
		w.clearNames()
	}

	var missing view.NameKeys
	add := func(list []catalog.ValueKeys) {
		for _, k := range list {
			if _, known := w.attributes[k.Attribute]; !known {
				w.attributes[k.Attribute] = view.AttributeName{}
				missing.Attributes = append(missing.Attributes, k.Attribute)
			}
			if _, known := w.values[k.Value]; !known {
				w.values[k.Value] = ""
				missing.Values = append(missing.Values, k.Value)
			}
		}
	}
	for i := range rows {
		add(rows[i].FeatureKeys)
		for _, list := range rows[i].OptionKeys {
			add(list)
		}
	}

	if len(missing.Attributes)+len(missing.Values) == 0 {
		return nil
	}
	found, err := view.ReadNames(ctx, w.tx, missing)
	for _, a := range found.Attributes {
		w.attributes[a.Key] = a
	}
	for _, v := range found.Values {
		w.values[v.Key] = v.Name
	}
	return err
}
