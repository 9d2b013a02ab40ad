package address

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/idna"

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

// URL returns the address of a path of the site, or "" if the store has no site URL. It has only ASCII characters: the
// host in Punycode, and others percent-encoded. The path is one of slugs.
func URL(shop store.Store, path string) string {
	if shop.SiteURL == "" {
		return ""
	}
	site, query, _ := strings.Cut(shop.SiteURL, "?")
	address := asciiURL(strings.TrimSuffix(site, "/")) + path
	if query != "" {
		address += "?" + asciiURL(query)
	}
	return address
}

// asciiURL returns a part of a URL with its host, if it has one, in Punycode, and with other characters that URLs have
// not percent-encoded.
func asciiURL(part string) string {
	if !strings.ContainsFunc(part, isNoURLCharacter) {
		return part
	}

	if u, err := url.Parse(part); err == nil && u.Host != "" {
		if host, err := idna.Lookup.ToASCII(u.Hostname()); err == nil {
			part = strings.Replace(part, u.Hostname(), host, 1)
		}
	}

	var b strings.Builder
	for _, c := range []byte(part) {
		if isNoURLCharacter(rune(c)) {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// isNoURLCharacter reports whether a character does not stand in a URL as it is.
func isNoURLCharacter(r rune) bool {
	return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"'<>\\^`{|}", r)
}

// SitemapFiles returns the number of files of the store's sitemap. It returns fault.Conflict if the store has no site
// URL.
func SitemapFiles(ctx context.Context, tx store.Tx, shop store.Store) (n int64, err error) {
	defer fault.AddContext(&err, "count the files of the sitemap")
	if shop.SiteURL == "" {
		return 0, ErrNoSite()
	}
	categories, products, err := countPages(ctx, tx)
	return filesOf(homePage+categories) + filesOf(products), err
}

// homePage is the number of home pages, which is the first page of the sitemap.
const homePage = 1

// filesOf returns the number of files that list n pages.
func filesOf(n int64) int64 { return (n + SitemapSize - 1) / SitemapSize }

// SitemapFile calls fn with the pages of one file of the sitemap. The first file is number 1. The first files have the
// home page and the categories, and those after them the products, by age. Pages that are not for search engines, or
// that have no slug yet, are left out. It returns fault.NotFound if there is no such file, and fault.Conflict if the
// store has no site URL.
func SitemapFile(
	ctx context.Context, tx store.Tx, shop store.Store, number int64, fn func(SitemapEntry) error,
) (err error) {
	defer fault.AddContext(&err, "read file %d of the sitemap", number)

	if shop.SiteURL == "" {
		return ErrNoSite()
	}
	categories, products, err := countPages(ctx, tx)
	if err != nil {
		return err
	}
	first := filesOf(homePage+categories) + 1

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
	from := (number - 1) * SitemapSize // the position of the first page of the file
	if from == 0 {
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

	at := int64(homePage)
	tree.Walk(func(n *catalog.CategoryNode) {
		position := at
		at++
		if position < from || position >= from+SitemapSize || err != nil {
			return
		}
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

// ErrNoSite returns the Conflict fault for what needs the addresses of pages.
func ErrNoSite() error {
	return fault.New(fault.Conflict, "no_site_url",
		"The store has no address of its site; set site_url in the settings first.")
}
