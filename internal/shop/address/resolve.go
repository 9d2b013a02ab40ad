package address

import (
	"context"
	"errors"
	"slices"
	"strings"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/slug"
	"vitrine/internal/shop/store"
)

// Kind is what a path leads to.
type Kind string

// The kinds.
const (
	ProductPath  Kind = "product"
	CategoryPath Kind = "category"
	RedirectPath Kind = "redirect"
)

// Resolution is what a path leads to.
type Resolution struct {
	Kind Kind
	// ID is the id of the product, the category or the redirect.
	ID id.Of[Resolution]
	// Canonical is the path of the product or category, or where the redirect ends: a path or a URL.
	Canonical string
	// IsRedirect reports that the path is not the canonical one.
	IsRedirect bool
	// Crumbs are the categories from the root to the category, or to the canonical category of the product. They are
	// empty for a redirect.
	Crumbs []Crumb
}

// Crumb is a category on the way from the root.
type Crumb struct {
	ID   catalog.CategoryID
	Name string
	Slug slug.Slug
}

// Resolve returns what a path of the store's site leads to, or fault.NotFound. A path as ReadPath returns it is looked
// up in this order: the present path of a product or, else, a category; a redirect of the store's own; a former path.
// Archived products are not found.
func Resolve(ctx context.Context, tx store.Tx, shop store.Store, path string) (_ Resolution, err error) {
	defer fault.AddContext(&err, "resolve the path %s", path)

	res := resolver{tx: tx, shop: shop}
	live, former, err := res.find(ctx, path)
	if err != nil {
		return Resolution{}, err
	}
	if live != nil {
		return *live, nil
	}

	target, err := findTarget(ctx, tx, path)
	switch {
	case err == nil:
		return res.followRedirect(ctx, path, target)
	case !errors.Is(err, database.ErrNoRows):
		return Resolution{}, err
	case former != nil:
		return *former, nil
	}
	return Resolution{}, ErrLeadsToNothing()
}

// resolver looks up the paths of a store.
type resolver struct {
	tx     store.Tx
	shop   store.Store
	former *store.FormerPaths // nil until they are read
}

// followRedirect returns what a chain of redirects leads to: the first product or category whose present path is on the
// way, else what has or had the path at the end, else the end. It returns fault.NotFound for a chain without an end,
// which addresses can make that have become ones of the site.
func (res *resolver) followRedirect(ctx context.Context, path string, target destination) (Resolution, error) {
	at := path
	for range maxHops {
		key := target.keyOn(res.shop)
		found, err := res.findOnWay(ctx, at, target.key)
		if found == nil && err == nil && key != "" {
			found, err = res.findAny(ctx, key)
		}
		if err != nil {
			return Resolution{}, err
		}
		if found != nil {
			found.IsRedirect = true
			return *found, nil
		}

		next, err := destination{}, database.ErrNoRows
		if key != target.key {
			next, err = findTarget(ctx, res.tx, key)
		}
		if errors.Is(err, database.ErrNoRows) {
			redirectID, err := redirectAt(ctx, res.tx, path)
			return Resolution{Kind: RedirectPath, ID: redirectID, Canonical: target.to, IsRedirect: true}, err
		}
		if err != nil {
			return Resolution{}, err
		}
		at = key
		target = next
	}
	return Resolution{}, ErrLeadsToNothing()
}

// findOnWay returns the first product or category whose present path is between a path and the end of the chain of
// redirects that begins there, or nil. A redirect from a present path is without effect, so the chain ends there.
func (res *resolver) findOnWay(ctx context.Context, from, end string) (*Resolution, error) {
	way, err := selectWay(ctx, res.tx, from)
	if err != nil {
		return nil, err
	}

	for _, path := range way {
		if path == end {
			continue
		}
		live, _, err := res.find(ctx, path)
		if live != nil || err != nil {
			return live, err
		}
	}
	return nil, nil
}

// findAny returns the product or category that has or had the path, or nil.
func (res *resolver) findAny(ctx context.Context, path string) (*Resolution, error) {
	live, former, err := res.find(ctx, path)
	if live != nil {
		return live, err
	}
	return former, err
}

// ErrLeadsToNothing returns the NotFound fault for a path that leads to nothing.
func ErrLeadsToNothing() error {
	return fault.New(fault.NotFound, "not_found", "This path leads to nothing.")
}

// find returns the product or category whose present path this is, as live, or the one that it leads to otherwise, as
// former. Both are nil if there is none.
func (res *resolver) find(ctx context.Context, path string) (live, former *Resolution, err error) {
	for _, kind := range []Kind{ProductPath, CategoryPath} {
		found, err := res.findKind(ctx, kind, path)
		switch {
		case err != nil:
			return nil, nil, err
		case found == nil:
		case !found.IsRedirect:
			return found, nil, nil
		case former == nil:
			former = found
		}
	}
	return nil, former, nil
}

// findKind returns the product, or category, that a path leads to, or nil.
func (res *resolver) findKind(ctx context.Context, kind Kind, path string) (*Resolution, error) {
	pattern := res.shop.Paths.Product
	if kind == CategoryPath {
		pattern = res.shop.Paths.Category
	}

	if slugs, ok := pattern.Match(path); ok {
		if found, err := res.lookUp(ctx, kind, slugs, path); found != nil || err != nil {
			return found, err
		}
	}

	earlier, err := res.formerPatterns(ctx, kind)
	if err != nil {
		return nil, err
	}
	for _, pattern := range earlier {
		if slugs, ok := pattern.Match(path); ok {
			if found, err := res.lookUp(ctx, kind, slugs, path); found != nil || err != nil {
				return found, err
			}
		}
	}

	return nil, nil
}

// formerPatterns returns the earlier forms of the paths of a kind.
func (res *resolver) formerPatterns(ctx context.Context, kind Kind) ([]store.PathPattern, error) {
	if res.former == nil {
		former, err := store.FindFormerPaths(ctx, res.tx)
		if err != nil {
			return nil, err
		}
		res.former = &former
	}
	if kind == CategoryPath {
		return res.former.Category, nil
	}
	return res.former.Product, nil
}

// lookUp returns the product, or category, with the last of these slugs, or nil. A category is known by its own slug
// alone, so a path through categories that are renamed, moved or deleted leads to it, too.
func (res *resolver) lookUp(ctx context.Context, kind Kind, slugs, path string) (*Resolution, error) {
	last := slugs
	if kind == CategoryPath {
		last = slugs[strings.LastIndexByte(slugs, '/')+1:]
	}
	if _, broken := slug.Check(last); broken != nil || last != strings.TrimSpace(last) {
		return nil, nil
	}

	owner, err := slug.Find(ctx, res.tx, slug.Kind(kind), slug.Slug(last))
	if fault.KindOf(err) == fault.NotFound {
		return nil, nil
	}
	if err != nil || owner.Present == "" {
		return nil, err
	}

	found := &Resolution{Kind: kind, ID: id.Of[Resolution](owner.ID)}
	if kind == ProductPath {
		isLive := false
		if isLive, found.Crumbs, err = productCrumbs(ctx, res.tx, owner.Key); err != nil || !isLive {
			return nil, err
		}
		found.Canonical = ProductPathOf(res.shop, owner.Present)
	} else {
		found.Crumbs, err = categoryCrumbs(ctx, res.tx, owner.Key)
		if err != nil || len(found.Crumbs) == 0 || !HaveSlugs(found.Crumbs) {
			return nil, err
		}
		found.Canonical = CategoryPathOf(res.shop, found.Crumbs)
	}

	found.IsRedirect = strings.TrimSuffix(found.Canonical, "/") != path
	return found, nil
}

// ProductPathOf returns the path of a product with this slug.
func ProductPathOf(shop store.Store, product slug.Slug) string {
	return shop.Paths.Product.Path(string(product))
}

// HaveSlugs reports whether all categories on a way have a slug, which an old one gets some time after an upgrade.
func HaveSlugs(crumbs []Crumb) bool {
	return !slices.ContainsFunc(crumbs, func(c Crumb) bool { return c.Slug == "" })
}

// CategoryPathOf returns the path of the last of these categories.
func CategoryPathOf(shop store.Store, crumbs []Crumb) string {
	slugs := make([]string, len(crumbs))
	for i, c := range crumbs {
		slugs[i] = string(c.Slug)
	}
	return shop.Paths.Category.Path(strings.Join(slugs, "/"))
}
