package storeapi

import (
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/search"
)

// readProductQuery reads the filters and the sort order of a list of products.
func readProductQuery(r *httpapi.Request) (search.Query, error) {
	var query search.Query
	for _, read := range []func(*httpapi.Request, *search.Query) error{readCategoryParam, readTextParam,
		readPriceParams, readInStockParam, readFeatureParams, readOptionParams, readSortParam} {
		if err := read(r, &query); err != nil {
			return query, err
		}
	}
	chosen := slices.Concat(query.Features, query.Options)
	values := 0
	for _, c := range chosen {
		values += len(c.Values)
	}
	if len(chosen) > search.MaxChoices || values > search.MaxValues {
		return query, httpapi.BadParam("features",
			"and options may name %d features and options with %d values together; this names %d with %d",
			search.MaxChoices, search.MaxValues, len(chosen), values)
	}
	return query, nil
}

func readCategoryParam(r *httpapi.Request, query *search.Query) error {
	v, err := r.Param("category")
	if err != nil || v == "" {
		return err
	}
	query.Category = new(idOrZero[catalog.Category](v))
	return nil
}

// idOrZero parses an id. It returns the zero id, which no resource has, for text that is not an id.
func idOrZero[Resource any](text string) id.Of[Resource] {
	i, err := id.Parse[Resource](text)
	if err != nil {
		return id.Of[Resource]{}
	}
	return i
}

func readTextParam(r *httpapi.Request, query *search.Query) (err error) {
	query.Text, err = r.SearchText()
	return err
}

func readPriceParams(r *httpapi.Request, query *search.Query) error {
	given, err := r.BracketParams("price")
	if err != nil {
		return err
	}
	var bounds boundsParam
	for _, g := range given {
		if len(g.Keys) != 1 || !bounds.set(g.Keys[0], g) {
			return httpapi.BadParam(g.Name, "is not known; price[from] and price[to] are")
		}
	}
	query.PriceFrom, err = moneyParam(bounds.from)
	if err != nil {
		return err
	}
	query.PriceTo, err = moneyParam(bounds.to)
	if err == nil && query.PriceFrom != nil && query.PriceTo != nil && *query.PriceFrom > *query.PriceTo {
		err = httpapi.BadParam("price[from]", "is above price[to]: no price lies between them")
	}
	return err
}

// boundsParam holds the query parameters […][from] and […][to].
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
func numberParam(g *httpapi.BracketParam) (string, error) {
	if g == nil || (len(g.Values) == 1 && g.Values[0] == "") {
		return "", nil // an empty form field
	}
	if len(g.Values) > 1 {
		return "", httpapi.BadParam(g.Name, "is given %d times; once is right", len(g.Values))
	}
	d, ok := catalog.ParseDecimal(strings.TrimSpace(g.Values[0]))
	if !ok || len(g.Values[0]) > 100 {
		return "", httpapi.BadParam(g.Name, "must be a plain decimal number such as 1990.50")
	}
	return d.String(), nil
}

func moneyParam(g *httpapi.BracketParam) (*catalog.Money, error) {
	text, err := numberParam(g)
	if err != nil || text == "" {
		return nil, err
	}
	units, err := wire.ParseFixed(text, catalog.MoneyDecimals, catalog.MoneyDigits)
	if err != nil {
		return nil, httpapi.BadParam(g.Name,
			"must be an amount with at most %d digits before the point and %d behind it",
			catalog.MoneyDigits, catalog.MoneyDecimals)
	}
	return new(catalog.Money(units)), nil
}

func floatParam(g *httpapi.BracketParam) (*float64, error) {
	text, err := numberParam(g)
	if err != nil || text == "" {
		return nil, err
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, httpapi.BadParam(g.Name, "is too large a number")
	}
	return &f, nil
}

func readInStockParam(r *httpapi.Request, query *search.Query) error {
	v, err := r.Param("in_stock")
	if err != nil {
		return err
	}
	switch v {
	case "true":
		query.InStock = true
	case "", "false":
	default:
		return httpapi.BadParam("in_stock", "must be true, or left out")
	}
	return nil
}

func readFeatureParams(r *httpapi.Request, query *search.Query) (err error) {
	query.Features, err = readChoices(r, "features")
	return err
}

func readOptionParams(r *httpapi.Request, query *search.Query) (err error) {
	query.Options, err = readChoices(r, "options")
	return err
}

// readChoices reads name[{id}][]={value_id}, and for features the bounds name[{id}][from] and name[{id}][to]. The last
// brackets may contain an index, as some client libraries write lists.
func readChoices(r *httpapi.Request, name string) ([]search.Choice, error) {
	given, err := r.BracketParams(name)
	if err != nil {
		return nil, err
	}
	var list []search.Choice
	bounds := map[catalog.AttributeID]*boundsParam{}
	for _, g := range given {
		if len(g.Keys) != 2 {
			return nil, badChoiceParam(g.Name, name)
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
			return nil, badChoiceParam(g.Name, name)
		}
		for _, v := range g.Values {
			if v != "" { // else an empty form field
				list[at].Values = append(list[at].Values, idOrZero[catalog.Value](v))
			}
		}
	}
	for i := range list {
		if err := readBounds(&list[i], bounds[list[i].ID]); err != nil {
			return nil, err
		}
	}
	// Choices that have only empty form fields do not filter.
	return slices.DeleteFunc(list,
		func(c search.Choice) bool { return len(c.Values) == 0 && c.From == nil && c.To == nil }), nil
}

func readBounds(c *search.Choice, b *boundsParam) (err error) {
	if c.From, err = floatParam(b.from); err != nil {
		return err
	}
	if c.To, err = floatParam(b.to); err != nil {
		return err
	}
	if c.From != nil && c.To != nil && *c.From > *c.To {
		return httpapi.BadParam(b.from.Name, "is above "+b.to.Name+": nothing lies between them")
	}
	return nil
}

func badChoiceParam(given, name string) error {
	if name == "options" {
		return httpapi.BadParam(given, "is not known; options[{option_id}][]={value_id} is")
	}
	return httpapi.BadParam(given,
		"is not known; features[{feature_id}][]={value_id}, features[{feature_id}][from] and features[{feature_id}][to] are")
}

// sortOrders maps the values of the query parameter sort to sort orders.
func sortOrders() map[string]search.Sort {
	return map[string]search.Sort{
		"": search.ByKey, "name": search.ByName, "-name": search.ByNameDesc, "price": search.ByPrice,
		"-price":     search.ByPriceDesc,
		"created_at": search.ByCreated, "-created_at": search.ByCreatedDesc,
	}
}

func readSortParam(r *httpapi.Request, query *search.Query) error {
	v, err := r.Param("sort")
	if err != nil {
		return err
	}
	sort, ok := sortOrders()[v]
	if !ok {
		return httpapi.BadParam("sort",
			"must be name, price or created_at, each with a - before it for the other direction")
	}
	query.Sort = sort
	return nil
}
