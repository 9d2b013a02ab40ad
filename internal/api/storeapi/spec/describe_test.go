package spec

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/api/httpapi"
)

func TestDescribe_panicsIfRoutesAndDocumentationDiffer(t *testing.T) {
	t.Parallel()
	panics := func(routes []httpapi.Route) (said string) {
		defer func() { said = fmt.Sprint(recover()) }()
		Describe(routes)
		return "nothing"
	}
	var all []httpapi.Route
	for _, key := range slices.Sorted(maps.Keys(storeRouteDocs())) {
		method, path, _ := strings.Cut(key, " ")
		all = append(all, httpapi.Route{Method: method, Path: path})
	}

	if got := panics(slices.Clone(all)); got != "<nil>" {
		t.Errorf("Describe panics with %s, though all routes are described", got)
	}

	if got := panics(append(slices.Clone(all), httpapi.Route{Method: "GET",
		Path: "/v2/unheard-of"})); !strings.Contains(got, "GET /v2/unheard-of is routed and not described") {
		t.Errorf("for a route without documentation Describe panics with %s", got)
	}

	if got := panics(slices.Clone(all)[1:]); !strings.Contains(got,
		all[0].Method+" "+all[0].Path+" is described and not routed") {
		t.Errorf("for documentation without a route Describe panics with %s", got)
	}
}
