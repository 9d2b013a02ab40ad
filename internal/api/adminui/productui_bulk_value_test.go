package adminui_test

import (
	"net/url"
	"testing"
)

func TestBulk_offersToAddAnUnknownValue(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		c := newShelf(s)
		v := s.owner()
		const start, offer = "/product-changes/start", "Add the value “Felt” and change them"
		form := v.post("/product-changes", url.Values{"action": {"set-feature"}, "id": {c.product}}).
			wantStatus(200).omits("Add the value").form("bulk-preview")
		form.Set("feature", c.feature)
		form.Set("value", "Felt")
		form = v.post(start, form).wantStatus(422).contains("Material has no value “Felt”.", offer).form("bulk-preview")

		form.Set("feature", c.feature)
		form.Set("value", "Felt")
		form.Set("add_value", "1")
		v.post(start, form).wantStatus(303)
		v.get("/features/" + c.feature).contains(`value="Felt"`)

		// A value is never made in order to take it away.
		form.Set("action", "remove-feature")
		form.Set("value", "Cork")
		v.post(start, form).wantStatus(422).omits("Add the value")
		v.get("/features/" + c.feature).omits("Cork")
	})
}
