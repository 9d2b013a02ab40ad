package item

import (
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/seo"
	"vitrine/internal/shop/slug"
	"vitrine/internal/shop/store"
)

// Category returns the item type of categories.
func Category() Type[catalog.CategoryPush] {
	return Type[catalog.CategoryPush]{"categories", maxItemBytes,
		[]string{"id", "version", "name", "parent_id", "slug", "seo", "description", "deleted"}, readCategoryPush}
}

// Stock returns the item type of stocks.
func Stock() Type[catalog.StockPush] {
	return Type[catalog.StockPush]{"stocks", maxItemBytes, []string{"id", "version", "name", "deleted"}, readStockPush}
}

// PriceList returns the item type of price lists.
func PriceList() Type[catalog.PriceListPush] {
	return Type[catalog.PriceListPush]{"price-lists", maxItemBytes,
		[]string{"id", "version", "name", "currency", "deleted"}, readPriceListPush}
}

// readCategoryPush reads {id, version?, name?, parent_id?, slug?, seo?, description?, deleted?}. A parent_id of
// null moves the category to the root.
func readCategoryPush(f *itemReader) catalog.CategoryPush {
	var p catalog.CategoryPush

	f.item(&p.ID, &p.Version, func(name string) bool {
		switch name {
		case "name":
			p.Name = wire.OrNil(rule.ReadName(f.Reader))
		case "parent_id":
			p.Root = f.Null()
			if !p.Root {
				p.Parent = wire.OrNil(rule.ReadExternalID(f.Reader))
			}
		case "slug":
			p.Slug = wire.OrNil(slug.Read(f.Reader))
		case "seo":
			p.SEO = wire.OrNil(seo.Read(f.Reader))
		case "description":
			p.Description = wire.OrNil(catalog.ReadDescription(f.Reader))
		case "deleted":
			f.readMark(&p.Mark, name)
		default:
			return isReadOnly(name)
		}

		return true
	})

	f.warnOfMarked(p.Mark)
	f.setName(p.Name, "")
	p.Digest = itemDigest(p)
	return p
}

// readStockPush reads {id, version?, name?, deleted?}.
func readStockPush(f *itemReader) catalog.StockPush {
	var p catalog.StockPush
	f.item(&p.ID, &p.Version, func(name string) bool {
		switch name {
		case "name":
			p.Name = wire.OrNil(rule.ReadName(f.Reader))
		case "deleted":
			f.readMark(&p.Mark, name)
		default:
			return isReadOnly(name)
		}
		return true
	})

	f.warnOfMarked(p.Mark)
	f.setName(p.Name, "")
	p.Digest = itemDigest(p)
	return p
}

// readPriceListPush reads {id, version?, name?, currency?, deleted?}.
func readPriceListPush(f *itemReader) catalog.PriceListPush {
	var p catalog.PriceListPush

	f.item(&p.ID, &p.Version, func(name string) bool {
		switch name {
		case "name":
			p.Name = wire.OrNil(rule.ReadName(f.Reader))
		case "currency":
			if !f.Null() {
				p.Currency = wire.OrNil(wire.As(f.Reader, f.String, store.CheckCurrency))
			}
		case "deleted":
			f.readMark(&p.Mark, name)
		default:
			return isReadOnly(name)
		}

		return true
	})

	f.warnOfMarked(p.Mark)
	p.Digest = itemDigest(p)
	return p
}

// isReadOnly reports whether a member is a read-only member of the API's entities. Items may contain such members,
// which are skipped, so that clients can push what they have read from the API.
func isReadOnly(name string) bool {
	return name == "external_id" || name == "created_at" || name == "updated_at"
}
