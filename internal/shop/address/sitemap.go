package address

import (
	"context"
	"strings"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/seo"
	"vitrine/internal/shop/slug"
	"vitrine/internal/shop/store"
)

// SitemapSize is how many addresses a file of a sitemap has at most, which is the limit of sitemaps.org.
const SitemapSize = 50_000

// SitemapEntry is a page of the site.
type SitemapEntry struct {
	URL string
	// ChangedAt is zero for the home page.
	ChangedAt time.Time
}

// URL returns the address of a path of the site, or "" if the store has no site URL.
func URL(shop store.Store, path string) string {
	if shop.SiteURL == "" {
		return ""
	}
	site, query, _ := strings.Cut(shop.SiteURL, "?")
	url := strings.TrimSuffix(site, "/") + path
	if query != "" {
		url += "?" + query
	}
	return url
}

// SitemapFiles returns the number of files of the store's sitemap. It returns fault.Conflict if the store has no site
// URL.
func SitemapFiles(ctx context.Context, tx store.Tx, shop store.Store) (n int64, err error) {
	defer fault.AddContext(&err, "count the files of the sitemap")
	if shop.SiteURL == "" {
		return 0, errNoSite()
	}
	categories, products, err := countPages(ctx, tx)
	return filesOf(categories) + filesOf(products), err
}

// filesOf returns the number of files that list n pages. An empty list has a file, too: that of the categories begins
// with the home page.
func filesOf(n int64) int64 { return max(1, (n+SitemapSize-1)/SitemapSize) }

// SitemapFile calls fn with the pages of one file of the sitemap, counted from 1: the home page and the categories in
// the first files, then the products, by age. Pages that are not for search engines, or that have no slug yet, are left
// out. It returns fault.NotFound if there is no such file, and fault.Conflict if the store has no site URL.
func SitemapFile(
	ctx context.Context, tx store.Tx, shop store.Store, number int64, fn func(SitemapEntry) error,
) (err error) {
	defer fault.AddContext(&err, "read file %d of the sitemap", number)

	if shop.SiteURL == "" {
		return errNoSite()
	}
	categories, products, err := countPages(ctx, tx)
	if err != nil {
		return err
	}
	first := filesOf(categories) + 1

	switch {
	case number < 1 || number >= first+filesOf(products):
		return fault.New(fault.NotFound, "not_found", "The sitemap has no such file; its index names those it has.")
	case number < first:
		return categoryEntries(ctx, tx, shop, number, fn)
	}
	return eachProductPage(ctx, tx, (number-first)*SitemapSize, func(p sitemapPage) error {
		if p.slug == "" || p.seo.NoIndex {
			return nil
		}
		return fn(SitemapEntry{URL(shop, ProductPathOf(shop, p.slug)), p.changedAt})
	})
}

// sitemapPage is a product or a category as the sitemap lists it.
type sitemapPage struct {
	slug      slug.Slug
	seo       seo.Meta
	changedAt time.Time
}

// categoryEntries calls fn with the home page, if it is the first file, and with the categories of a file.
func categoryEntries(
	ctx context.Context, tx store.Tx, shop store.Store, number int64, fn func(SitemapEntry) error,
) error {
	if number == 1 {
		if err := fn(SitemapEntry{URL: URL(shop, "/")}); err != nil {
			return err
		}
	}

	tree, err := catalog.ReadCategoryTree(ctx, tx)
	if err != nil {
		return err
	}
	pages, err := selectCategoryPages(ctx, tx)
	if err != nil {
		return err
	}

	skip := (number - 1) * SitemapSize
	left := int64(SitemapSize)
	tree.Walk(func(n *catalog.CategoryNode) {
		if skip--; skip >= 0 || left == 0 || err != nil {
			return
		}
		left--
		page := pages[n.Key]
		if slugs, ok := slugsOf(n); ok && !page.seo.NoIndex {
			err = fn(SitemapEntry{URL(shop, shop.Paths.Category.Path(slugs)), page.changedAt})
		}
	})
	return err
}

// slugsOf returns the slugs from the root to a category, joined by slashes, and whether all of them have one.
func slugsOf(n *catalog.CategoryNode) (slugs string, ok bool) {
	list := make([]string, 0, 4)
	for _, up := range n.Path() {
		if up.Slug == "" {
			return "", false
		}
		list = append(list, string(up.Slug))
	}
	return strings.Join(list, "/"), true
}

// errNoSite returns the Conflict fault for what needs the addresses of pages.
func errNoSite() error {
	return fault.New(fault.Conflict, "no_site_url",
		"The store has no address of its site; set site_url in the settings first.")
}
