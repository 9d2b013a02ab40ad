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
	for _, key := range slices.Sorted(maps.Keys(documentation())) {
		method, path, _ := strings.Cut(key, " ")
		all = append(all, httpapi.Route{Method: method, Path: path})
	}
	if got := panics(slices.Clone(all)); got != "<nil>" {
		t.Errorf("all routes are described, yet it panics with %s", got)
	}
	if got := panics(append(slices.Clone(all), httpapi.Route{Method: "GET", Path: "/v2/unheard-of"})); !strings.Contains(got, "GET /v2/unheard-of is routed and not described") {
		t.Errorf("a route without documentation says %s", got)
	}
	if got := panics(slices.Clone(all)[1:]); !strings.Contains(got, all[0].Method+" "+all[0].Path+" is described and not routed") {
		t.Errorf("documentation without a route says %s", got)
	}
}
