package storeapi_test

import (
	"testing"

	"vitrine/internal/apitest"
)

// A filter that is ignored gives wrong data, so those that this version does not have are refused.
func TestProducts_refusesFiltersThatItDoesNotHave(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Shop) {
		for _, query := range []string{"sort=name", "price[from]=1", "features[x][]=y", "in_stock=true", "archived=any", "category=x", "options[x][]=y"} {
			s.Refuse("400 malformed_query", "GET", "/v2/products?"+query, nil)
		}
		s.Get("/v2/products?colour=red")
	})
}
