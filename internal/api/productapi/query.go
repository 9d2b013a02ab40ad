package productapi

import (
	"strings"
	"unicode/utf8"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/search"
)

// ReadQuery reads the filters and the sort order of a list of products. It reports errors through r.Fail.
func ReadQuery(r *httpapi.Request) (query search.Query) {
	query.IDs = readNames(r, "ids", "ids of products", func(text string) (catalog.ProductID, bool) {
		productID, err := id.Parse[catalog.Product](text)
		return productID, err == nil
	})
	query.ExternalIDs = readNames(r, "external_ids", "external ids of products, each with 1 to 255 characters",
		func(text string) (string, bool) {
			return text, text != "" && utf8.RuneCountInString(text) <= rule.MaxName
		})

	if v, _ := r.Query.Param("barcode"); v != "" {
		barcode, broken := catalog.CheckBarcode(v)
		if query.Barcode = barcode; broken != nil {
			r.Query.BadParam("barcode", "must be a barcode of 1 to %d characters", catalog.MaxBarcode)
		}
	}

	if v, _ := r.Query.Param("category"); v != "" {
		query.Category = new(idOrZero[catalog.Category](v))
	}

	query.Text = r.Query.SearchText()
	inStock, _ := r.Query.Param("in_stock")
	if query.InStock = inStock == "true"; !query.InStock && inStock != "" && inStock != "false" {
		r.Query.BadParam("in_stock", "must be true, or left out")
	}

	readFilters(r, &query)
	readSort(r, &query)
	return query
}

// readSort reads the sort order. Without one, products that words are searched for are sorted by relevance, unless the
// query names products, whose order it then is.
func readSort(r *httpapi.Request, query *search.Query) {
	sort, _ := r.Query.Param("sort")
	hasWords := strings.TrimSpace(query.Text) != ""
	order, known := sortOrders()[sort]
	switch {
	case !known:
		r.Query.BadParam("sort", "must be relevance, popularity, name, price or created_at, the last three also with "+
			"a - before them for the other direction")
	case order == search.ByRelevance && !hasWords:
		r.Query.BadParam("sort", "can be relevance only together with q, the words to search for")
	case sort == "" && hasWords && query.IDs == nil && query.ExternalIDs == nil:
		order = search.ByRelevance
	}
	query.Sort = order
}

// ReadArchived reads the query parameter archived of a list. It reports errors through r.Fail.
func ReadArchived(r *httpapi.Request) catalog.Archived {
	v, given := r.Query.Param("archived")
	if !given {
		return catalog.Live
	}
	which, known := map[string]catalog.Archived{"true": catalog.OnlyArchived, "any": catalog.AnyArchived}[v]
	switch {
	case !known:
		r.Query.BadParam("archived",
			"may be true, for what is archived alone, or any, for both; leave it out for neither")
	case !r.Principal.May(access.CatalogWrite):
		r.Fail(fault.New(fault.Denied, "forbidden",
			"Only a key with the scope %s sees what is archived; leave the query parameter archived out.",
			access.CatalogWrite))
	}
	return which
}

// readNames reads a query parameter that names products, separated by commas, and that may be repeated. It returns
// nil if the query does not have the parameter. The parameter what describes its content.
func readNames[Name any](
	r *httpapi.Request, param, what string, parse func(text string) (Name, bool),
) []Name {
	lists := r.Query.Params(param)
	if lists == nil {
		return nil
	}

	texts := strings.Split(strings.Join(lists, ","), ",")
	if len(texts) > search.MaxNames {
		r.Query.BadParam(param, "may name %d products; this names %d", search.MaxNames, len(texts))
		return nil
	}

	names := make([]Name, len(texts))
	for i, text := range texts {
		var ok bool
		if names[i], ok = parse(strings.TrimSpace(text)); !ok {
			r.Query.BadParam(param, "must be a list of %s, separated by commas", what)
			return nil
		}
	}

	return names
}

// idOrZero parses an id. It returns the zero id, which no resource has, for text that is not an id.
func idOrZero[Resource any](text string) id.Of[Resource] {
	i, err := id.Parse[Resource](text)
	if err != nil {
		return id.Of[Resource]{}
	}
	return i
}

// sortOrders maps the values of the query parameter sort to sort orders.
func sortOrders() map[string]search.Sort {
	return map[string]search.Sort{
		"": search.ByKey, "name": search.ByName, "-name": search.ByNameDesc, "price": search.ByPrice,
		"-price":     search.ByPriceDesc,
		"created_at": search.ByCreated, "-created_at": search.ByCreatedDesc, "relevance": search.ByRelevance,
		"popularity": search.ByPopularity,
	}
}
