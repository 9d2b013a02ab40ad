package productapi

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
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
	readPriceParams(r, &query)
	inStock, _ := r.Query.Param("in_stock")
	if query.InStock = inStock == "true"; !query.InStock && inStock != "" && inStock != "false" {
		r.Query.BadParam("in_stock", "must be true, or left out")
	}

	query.Features = readChoices(r, "features")
	query.Options = readChoices(r, "options")
	readSort(r, &query)

	chosen := slices.Concat(query.Features, query.Options)
	values := 0
	for _, c := range chosen {
		values += len(c.Values)
	}

	if len(chosen) > search.MaxChoices || values > search.MaxValues {
		r.Query.BadParam("features",
			"and options may name %d features and options with %d values together; this names %d with %d",
			search.MaxChoices, search.MaxValues, len(chosen), values)
	}

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

// readNames reads a query parameter that names products, separated by commas. It returns nil if the query does not have
// the parameter. The parameter what describes its content.
func readNames[Name any](
	r *httpapi.Request, param, what string, parse func(text string) (Name, bool),
) []Name {
	list, given := r.Query.Param(param)
	if !given {
		return nil
	}

	texts := strings.Split(list, ",")
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

func readPriceParams(r *httpapi.Request, query *search.Query) {
	var bounds boundsParam
	for _, g := range r.Query.BracketParams("price") {
		if len(g.Keys) != 1 || !bounds.set(g.Keys[0], g) {
			r.Query.BadParam(g.Name, "is not known; price[from] and price[to] are")
		}
	}
	query.PriceFrom, query.PriceTo = moneyParam(r, bounds.from), moneyParam(r, bounds.to)
	if query.PriceFrom != nil && query.PriceTo != nil && *query.PriceFrom > *query.PriceTo {
		r.Query.BadParam("price[from]", "is above price[to]: no price lies between them")
	}
}

// boundsParam has the query parameters that end in [from] and [to]. A bound is nil if it is absent.
type boundsParam struct{ from, to *httpapi.BracketParam }

// set stores the parameter as the bound that key names. It reports whether key names a bound.
func (b *boundsParam) set(key string, g httpapi.BracketParam) bool {
	switch key {
	case "from":
		b.from = &g
	case "to":
		b.to = &g
	default:
		return false
	}
	return true
}

// numberParam returns the text of a bound, which must be a plain decimal number, or an empty string if the bound is
// absent.
func numberParam(r *httpapi.Request, g *httpapi.BracketParam) string {
	if g == nil || (len(g.Values) == 1 && g.Values[0] == "") {
		return "" // an empty form field
	}
	if len(g.Values) > 1 {
		r.Query.BadParam(g.Name, "is given %d times; once is right", len(g.Values))
	}
	d, ok := money.ParseDecimal(strings.TrimSpace(g.Values[0]))
	if !ok || len(g.Values[0]) > 100 {
		r.Query.BadParam(g.Name, "must be a plain decimal number such as 1990.50")
		return ""
	}
	return d.String()
}

func moneyParam(r *httpapi.Request, g *httpapi.BracketParam) *money.Money {
	text := numberParam(r, g)
	if text == "" {
		return nil
	}
	units, broken := wire.ParseFixed(text, money.MoneyDecimals, money.MoneyDigits)
	if broken != nil {
		r.Query.BadParam(g.Name, "must be an amount with at most %d digits before the point and %d behind it",
			money.MoneyDigits, money.MoneyDecimals)
	}
	return new(money.Money(units))
}

func floatParam(r *httpapi.Request, g *httpapi.BracketParam) *float64 {
	text := numberParam(r, g)
	if text == "" {
		return nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		r.Query.BadParam(g.Name, "is too large a number")
	}
	return &f
}

// readChoices reads name[{id}][]={value_id}, and for features the bounds name[{id}][from] and name[{id}][to]. The last
// brackets may contain an index, because some client libraries send lists in that form.
func readChoices(r *httpapi.Request, name string) []search.Choice {
	var list []search.Choice
	bounds := map[catalog.AttributeID]*boundsParam{}
	for _, g := range r.Query.BracketParams(name) {
		if len(g.Keys) != 2 {
			badChoiceParam(r, g.Name, name)
			return nil
		}

		attributeID := idOrZero[catalog.Attribute](g.Keys[0])
		at := slices.IndexFunc(list, func(c search.Choice) bool { return c.ID == attributeID })
		if at < 0 {
			at = len(list)
			list = append(list, search.Choice{ID: attributeID, Field: name + "[" + g.Keys[0] + "]"})
			bounds[attributeID] = &boundsParam{}
		}

		if name == "features" && bounds[attributeID].set(g.Keys[1], g) {
			continue
		}

		if strings.Trim(g.Keys[1], "0123456789") != "" {
			badChoiceParam(r, g.Name, name)
		}

		for _, v := range g.Values {
			if v != "" { // else an empty form field
				list[at].Values = append(list[at].Values, idOrZero[catalog.Value](v))
			}
		}
	}

	for i := range list {
		readBounds(r, &list[i], bounds[list[i].ID])
	}

	// Choices that have only empty form fields do not filter.
	return slices.DeleteFunc(list,
		func(c search.Choice) bool { return len(c.Values) == 0 && c.From == nil && c.To == nil })
}

func readBounds(r *httpapi.Request, c *search.Choice, b *boundsParam) {
	c.From, c.To = floatParam(r, b.from), floatParam(r, b.to)
	if c.From != nil && c.To != nil && *c.From > *c.To {
		r.Query.BadParam(b.from.Name, "is above %s: nothing lies between them", b.to.Name)
	}
}

func badChoiceParam(r *httpapi.Request, given, name string) {
	if name == "options" {
		r.Query.BadParam(given, "is not known; options[{option_id}][]={value_id} is")
		return
	}
	r.Query.BadParam(given, "is not known; features[{feature_id}][]={value_id}, features[{feature_id}][from] and "+
		"features[{feature_id}][to] are")
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
