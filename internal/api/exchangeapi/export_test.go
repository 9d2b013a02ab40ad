package exchangeapi_test

import (
	"strings"
	"testing"

	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
)

func TestExport_needsItsScope(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		_, pushes := s.NewKey(access.NewKey{Kind: access.ExchangeToken, Name: "pushes",
			Scopes: []string{"products", "stocks"}})
		_, reads := s.NewKey(access.NewKey{Kind: access.ExchangeToken, Name: "reads",
			Scopes: []string{"exchange:read"}})
		_, both := s.NewKey(access.NewKey{Kind: access.ExchangeToken, Name: "both",
			Scopes: []string{"exchange:read", "stocks"}})
		for _, entity := range access.EntityScopes() {
			path := gatePrefix + pushes + "/" + string(entity)
			s.WantProblem("403 forbidden", "GET", path, nil, apitest.As(""))

			if r := s.OK(200, "GET", gatePrefix+reads+"/"+string(entity), nil,
				apitest.As("")); r.Header.Get("X-Export-Total") != "0" {
				t.Errorf("the export of %s has the headers %v", entity, r.Header)
			}

			s.OK(200, "GET", gatePrefix+string(entity), nil, apitest.As(reads))
			s.WantProblem("403 forbidden", "GET", gatePrefix+reads+"/"+string(entity)+"?assign_ids=true", nil,
				apitest.As(""))
		}

		s.WantProblem("403 forbidden", "POST", gatePrefix+reads+"/stocks", `{"payload": []}`, apitest.As(""))
		s.WantProblem("401 invalid_exchange_token", "GET", gatePrefix+"xt_wrong/stocks", nil, apitest.As(""))
		s.WantProblem("400 malformed_query", "GET", gatePrefix+reads+"/stocks?assign_id=true", nil, apitest.As(""))
		s.OK(200, "GET", gatePrefix+both+"/stocks?assign_ids=true", nil, apitest.As(""))
	})
}

// "*" stands for the entities that can be pushed. Reading must be named.
func TestExport_isNotPartOfEverything(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		_, all := s.NewKey(access.NewKey{Kind: access.ExchangeToken, Name: "all"})
		s.OK(200, "POST", gatePrefix+all+"/stocks", `{"payload": [{"id": "1", "name": "Main"}]}`, apitest.As(""))
		refused := s.Do("GET", gatePrefix+all+"/stocks", nil, apitest.As(""))
		if refused.Status != 403 || !strings.Contains(refused.Text("detail"), "exchange:read") ||
			!strings.Contains(refused.Text("detail"), "Keys") {
			t.Errorf("the export with * got %d %s, want a refusal that says what lacks and where to get it",
				refused.Status, refused.Body)
		}
		_, named := s.NewKey(access.NewKey{Kind: access.ExchangeToken, Name: "named",
			Scopes: []string{"*", "exchange:read"}})
		s.OK(200, "GET", gatePrefix+named+"/stocks", nil, apitest.As(""))
		s.OK(200, "GET", gatePrefix+s.Exchange+"/stocks", nil, apitest.As("")) // that of a new store
	})
}

// The ids that an export of prices or quantities assigns are those of products and variants, so it needs their scope.
// The log says which token did it, once.
func TestExport_assigningIDsNeedsTheScopeOfWhatChanges(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		s.OK(201, "POST", "/v2/products", `{"name": "Mug", "variants": [{"price": 3}]}`)
		_, prices := s.NewKey(access.NewKey{Kind: access.ExchangeToken, Name: "prices",
			Scopes: []string{"exchange:read", "prices", "remainders"}})
		for _, entity := range []string{"prices", "remainders"} {
			s.WantProblem("403 forbidden", "GET", gatePrefix+prices+"/"+entity+"?assign_ids=true", nil, apitest.As(""))
		}

		if got := s.Get("/v2/products").Text("data.0.external_id"); got != "null" {
			t.Errorf("the product has the external id %q", got)
		}

		key, products := s.NewKey(access.NewKey{Kind: access.ExchangeToken, Name: "Ledger",
			Scopes: []string{"exchange:read", "products"}})
		for range 2 {
			s.OK(200, "GET", gatePrefix+products+"/prices?assign_ids=true", nil, apitest.As(""))
		}

		var actors []string
		for _, e := range s.LogEntries() {
			if e.Action == "exchange.ids_assigned" {
				actors = append(actors, string(e.Actor.Kind)+" "+e.Actor.ID+" "+e.Actor.Name+" "+e.Object.Label)
			}
		}

		if want := "token " + key.ID.String() + " test products"; len(actors) != 1 || actors[0] != want {
			t.Errorf("the log has %q, want %q once", actors, want)
		}
	})
}

// An export with assign_ids has what was made by the API, too; the ids stay.
func TestExport_assignsIDs(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		option := s.OK(201, "POST", "/v2/variant-options?with=values",
			`{"name": "Size", "values": [{"name": "S"}, {"name": "M"}]}`)
		optionID := option.Text("data.id")
		small := option.Text("data.values.0.id")
		medium := option.Text("data.values.1.id")
		category := s.OK(201, "POST", "/v2/categories", `{"name": "Wear"}`).Text("data.id")
		stock := s.OK(201, "POST", "/v2/stocks", `{"name": "Main"}`).Text("data.id")
		s.OK(201, "POST", "/v2/products", `{"name": "Shirt", "categories": ["`+category+`"], "variants": [`+
			`{"price": 1, "options": [{"option_id": "`+optionID+`", "value_id": "`+small+
			`"}], "remainders": [{"stock_id": "`+stock+`", "quantity": 2}]},`+
			`{"price": 2, "options": [{"option_id": "`+optionID+`", "value_id": "`+medium+`"}]}]}`)
		s.OK(201, "POST", "/v2/products", `{"name": "Mug", "external_id": "mug", "variants": [{"price": 3}]}`)

		read := func(entity, query, total, leftOut string) string {
			t.Helper()
			r := s.OK(200, "GET", gatePrefix+s.Exchange+"/"+entity+query, nil, apitest.As(""))
			h := r.Header
			if h.Get("X-Export-Total") != total || h.Get("X-Export-Left-Out") != leftOut ||
				h.Get("Content-Type") != "application/x-ndjson" {
				t.Errorf("%s%s has the headers %v, want %s lines and %s left out", entity, query, h, total, leftOut)
			}
			return string(r.Body)
		}
		for _, entity := range []string{"variant-options", "categories", "stocks"} {
			read(entity, "", "0", "1")
		}

		read("products", "", "1", "1")
		read("prices", "", "0", "2")
		read("products", "?assign_ids=true", "1", "1") // what the shirt refers to has no ids yet
		read("variant-options", "?assign_ids=true", "1", "0")
		read("categories", "?assign_ids=true", "1", "0")
		read("stocks", "?assign_ids=true", "1", "0")
		products := read("products", "", "2", "0")

		for _, id := range []string{optionID, small, medium, category, stock, `"single_variant":true`} {
			if !strings.Contains(products, id) {
				t.Errorf("the export has no %s:\n%s", id, products)
			}
		}

		read("prices", "", "2", "0")
		read("remainders", "", "1", "0")

		for _, entity := range []string{"stocks", "variant-options", "categories", "products", "prices", "remainders"} {
			body := read(entity, "", map[string]string{"products": "2", "prices": "2"}[entity]+
				map[string]string{"stocks": "1", "variant-options": "1", "categories": "1", "remainders": "1"}[entity],
				"0")
			r := s.OK(200, "POST", gatePrefix+s.Exchange+"/"+entity, body, apitest.As(""),
				header("Content-Type", "application/x-ndjson"))
			if r.Text("data.unchanged") != r.Text("data.received") {
				t.Errorf("pushing %s back: %s", entity, r.Body)
			}
		}
	})
}
