package httpapi

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"vitrine/internal/kit/fault"
)

// maxEchoedName is how many characters of the name of an unknown parameter a fault repeats.
const maxEchoedName = 64

// queryParams returns the names of the query parameters that the route documents, in the order of the documentation.
// Every route with a credential also has the parameter dates.
func (r Route) queryParams() []string {
	var names []string
	for _, p := range r.QueryParams {
		names = append(names, p.Name)
	}
	switch {
	case r.Paged:
		names = append(names, "page", "per_page")
	case r.CursorPaged:
		names = append(names, "cursor", "per_page")
	}
	if r.Needs != "" {
		names = append(names, datesParam)
	}
	return names
}

// checksQuery reports whether the route refuses unknown query parameters. Pages and files do not: links to them may
// have any query.
func (r Route) checksQuery() bool {
	return r.Needs != "" && (strings.HasPrefix(r.Path, "/v2/") || strings.HasPrefix(r.Path, "/api/"))
}

// check fails the request if its query has a parameter that is not in the list known. A parameter with brackets is
// known by its name before them: the handler checks the brackets. check also reads the parameter dates.
func (q *Query) check(known []string) error {
	if q.request.URL.RawQuery == "" || !q.parse() {
		return q.request.err
	}

	for _, name := range slices.Sorted(maps.Keys(q.values)) {
		base := paramBase(name)
		if !slices.ContainsFunc(known,
			func(k string) bool { return k == name || (paramBase(k) == base && k != base) }) {
			q.BadParam(fmt.Sprintf("%.*q", maxEchoedName, name), "is not known here; %s", knownParamsText(name, known))
			return q.request.err
		}
	}

	if v, given := q.Param(datesParam); given {
		if q.isoDates = v == "iso"; !q.isoDates {
			q.BadParam(datesParam, "must be iso; leave it out for date objects")
		}
	}

	return q.request.err
}

// paramBase returns the name of a query parameter before its brackets.
func paramBase(name string) string {
	base, _, _ := strings.Cut(name, "[")
	return base
}

// knownParamsText lists the known parameters, after the one that the client most likely meant.
func knownParamsText(name string, known []string) string {
	if len(known) == 0 {
		return "there are no query parameters here"
	}
	list := strings.Join(known, ", ")
	if meant := closestParam(name, known); meant != "" {
		return "did you mean " + meant + "? Known are " + list
	}
	return "known are " + list
}

// closestParam returns the known parameter with the smallest edit distance to name, or an empty string if none is
// similar. The case of letters does not count. Parameters with brackets are compared as a whole and by their names; of
// those with the same name, the one whose brackets are most like those of name is returned.
func closestParam(name string, known []string) string {
	runes := []rune(strings.ToLower(name))
	name = string(runes[:min(len(runes), maxEchoedName)])
	closest := ""
	least, leastWhole := maxEchoedName, 0
	for _, k := range known {
		whole := fault.EditDistance(name, k)
		distance := min(whole, fault.EditDistance(paramBase(name), paramBase(k)))
		if distance < least || distance == least && whole < leastWhole {
			closest, least, leastWhole = k, distance, whole
		}
	}
	if length := len(paramBase(name)); least > max(2, length/2) || least >= length {
		return ""
	}
	return closest
}
