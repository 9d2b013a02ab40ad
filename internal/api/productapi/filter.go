package productapi

import (
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/search"
)

// readFilters reads the filters by price, features and options. They come either in the flat form that
// flat_filter.go reads, or with brackets, but not in both.
func readFilters(r *httpapi.Request, query *search.Query) {
	flat := r.Query.HasAny("feature", "option", "price")
	if flat && r.Query.HasBrackets("features", "options", "price") {
		r.Query.BadParam("feature", "and option and price are one form of the filters, and those with brackets, "+
			"such as features[{feature_id}][], are another: send all filters in one form")
		return
	}

	name := "features"
	if flat {
		name = "feature"
		readPrice(r, query, readFlatPrice(r))
		query.Features = readFlatChoices(r, "feature")
		query.Options = readFlatChoices(r, "option")
	} else {
		readPrice(r, query, readBracketPrice(r))
		query.Features = readBracketChoices(r, "features")
		query.Options = readBracketChoices(r, "options")
	}

	chosen := slices.Concat(query.Features, query.Options)
	values := 0
	for _, c := range chosen {
		values += len(c.Values)
	}

	if len(chosen) > search.MaxChoices || values > search.MaxValues {
		r.Query.BadParam(name,
			"and the one of options may name %d features and options with %d values together; this names %d with %d",
			search.MaxChoices, search.MaxValues, len(chosen), values)
	}
}

// readBracketPrice reads price[from] and price[to].
func readBracketPrice(r *httpapi.Request) (bounds boundsParam) {
	for _, g := range r.Query.BracketParams("price") {
		if len(g.Keys) != 1 || !bounds.set(g.Keys[0], g) {
			r.Query.BadParam(g.Name, "is not known; price[from] and price[to] are")
		}
	}
	return bounds
}

// readPrice reads the bounds of the price.
func readPrice(r *httpapi.Request, query *search.Query, bounds boundsParam) {
	query.PriceFrom, query.PriceTo = moneyParam(r, bounds.from), moneyParam(r, bounds.to)
	if query.PriceFrom != nil && query.PriceTo != nil && *query.PriceFrom > *query.PriceTo {
		r.Query.BadParam(bounds.from.Name, "is above %s: no price lies between them", bounds.to.Name)
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

// readBracketChoices reads name[{id}][]={value_id}, and for features the bounds name[{id}][from] and
// name[{id}][to]. The last brackets may contain an index, because some client libraries send lists in that form.
func readBracketChoices(r *httpapi.Request, name string) []search.Choice {
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

	return finishChoices(r, list, bounds)
}

// finishChoices reads the bounds of the choices and leaves out those that have only empty form fields, which do not
// filter.
func finishChoices(
	r *httpapi.Request, list []search.Choice, bounds map[catalog.AttributeID]*boundsParam,
) []search.Choice {
	for i := range list {
		readBounds(r, &list[i], bounds[list[i].ID])
	}
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
