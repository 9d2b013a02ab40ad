package e2e

import (
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

// agentsRoute matches a route in the guide for coding agents, without its query.
var agentsRoute = regexp.MustCompile("`(GET|POST|PUT|DELETE) ([^`?]+)[^`]*`")

func TestAgentsGuide_namesRoutesAndParametersThatExist(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		guide := string(s.Get("/llms.txt", apitest.As("")).Body)
		document := string(s.Get("/openapi.json", apitest.As("")).Body)

		routes := agentsRoute.FindAllStringSubmatch(guide, -1)
		if len(routes) < 10 {
			t.Fatalf("the guide names %d routes", len(routes))
		}
		for _, route := range routes {
			method, path := strings.ToLower(route[1]), route[2]
			_, rest, found := strings.Cut(document, `"`+path+`":{`)
			operations, _, _ := strings.Cut(rest, `"/v2/`)
			if !found || !strings.Contains(operations, `"`+method+`":{`) {
				t.Errorf("the guide names %s %s, which is not in the OpenAPI document", route[1], path)
			}
		}

		for _, query := range []string{"/v2/store?with=settings", "/v2/navigation", "/v2/suggest?q=lamp",
			"/v2/products?with=images,facets&dates=iso", "/v2/products?price=1..2"} {
			if !strings.Contains(guide, strings.SplitN(query, "?", 2)[0]) {
				t.Errorf("the guide does not name %s", query)
			}
			s.Get(query)
		}
	})
}
