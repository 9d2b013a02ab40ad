package productapi

import (
	"net/url"
	"slices"
	"strings"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/search"
)

// rangeSign stands between the bounds of a flat filter, either of which may be empty.
const rangeSign = ".."

// readFlatPrice reads price={from}..{to}.
func readFlatPrice(r *httpapi.Request) (bounds boundsParam) {
	text, _ := r.Query.Param("price")
	if text == "" { // absent, or an empty form field
		return bounds
	}
	if !bounds.setFlat("price", text) {
		r.Query.BadParam("price", "must be {from}..{to}, such as 500..1990.50; either end may be empty")
	}
	return bounds
}

// setFlat sets the bounds of the filter name from the text {from}..{to}. It reports whether the text has this form.
func (b *boundsParam) setFlat(name, text string) bool {
	from, to, ok := strings.Cut(text, rangeSign)
	if !ok {
		return false
	}
	addFlatBound(&b.from, name+" (from)", from)
	addFlatBound(&b.to, name+" (to)", to)
	return true
}

// addFlatBound adds the text to a bound, unless it is empty.
func addFlatBound(bound **httpapi.BracketParam, name, text string) {
	if text == "" {
		return
	}
	if *bound == nil {
		*bound = &httpapi.BracketParam{Name: name}
	}
	(*bound).Values = append((*bound).Values, text)
}

// readFlatChoices reads name={id}:{value_id},{value_id} and, for features, name={id}:{from}..{to}. The parameter may be
// repeated, also with the same id. The choices are in the order in which the form with brackets has them.
func readFlatChoices(r *httpapi.Request, name string) []search.Choice {
	var list []search.Choice
	bounds := map[catalog.AttributeID]*boundsParam{}
	for _, text := range r.Query.Params(name) {
		if text == "" { // an empty form field
			continue
		}

		given, chosen, ok := strings.Cut(text, ":")
		if !ok {
			badFlatChoice(r, name)
			return nil
		}

		attributeID := idOrZero[catalog.Attribute](given)
		at := slices.IndexFunc(list, func(c search.Choice) bool { return c.ID == attributeID })
		if at < 0 {
			at = len(list)
			list = append(list, search.Choice{ID: attributeID, Field: name + "[" + given + "]"})
			bounds[attributeID] = &boundsParam{}
		}

		if strings.Contains(chosen, rangeSign) {
			if name != "feature" {
				badFlatChoice(r, name)
			}
			bounds[attributeID].setFlat(name+"="+given, chosen)
			continue
		}

		for v := range strings.SplitSeq(chosen, ",") {
			if v = strings.TrimSpace(v); v != "" {
				list[at].Values = append(list[at].Values, idOrZero[catalog.Value](v))
			}
		}
	}

	slices.SortStableFunc(list, func(a, b search.Choice) int { return strings.Compare(a.Field, b.Field) })
	return finishChoices(r, list, bounds)
}

func badFlatChoice(r *httpapi.Request, name string) {
	if name == "option" {
		r.Query.BadParam(name, "must be {option_id}:{value_id},{value_id}")
		return
	}
	r.Query.BadParam(name, "must be {feature_id}:{value_id},{value_id} or, for a range, {feature_id}:{from}..{to}")
}

// BracketFilters replaces the flat filters of a query by those with brackets, which the forms of pages have. It leaves
// what is not of the flat form.
func BracketFilters(params url.Values) {
	move := func(name string, add func(text string) bool) {
		kept := slices.DeleteFunc(slices.Clone(params[name]), add)
		if params[name] = kept; len(kept) == 0 {
			params.Del(name)
		}
	}
	addBounds := func(name, text string) bool {
		from, to, ok := strings.Cut(text, rangeSign)
		if ok && from != "" {
			params.Add(name+"[from]", from)
		}
		if ok && to != "" {
			params.Add(name+"[to]", to)
		}
		return ok
	}

	move("price", func(text string) bool { return addBounds("price", text) })
	for _, name := range []string{"feature", "option"} {
		move(name, func(text string) bool {
			given, chosen, ok := strings.Cut(text, ":")
			bracketed := name + "s[" + given + "]"
			if !ok || addBounds(bracketed, chosen) {
				return ok
			}
			for v := range strings.SplitSeq(chosen, ",") {
				params.Add(bracketed+"[]", strings.TrimSpace(v))
			}
			return true
		})
	}
}
