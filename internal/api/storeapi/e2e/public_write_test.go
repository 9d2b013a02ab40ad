package e2e

import (
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/protection"
	"vitrine/internal/testkit/apitest"
)

// captchaExempt lists the public writes without a captcha and the reason for each. All public writes are rate-limited
// by client address and by store, except clicks, which use no database.
var captchaExempt = map[string]string{
	"POST /v2/auth/passwordless/confirm": "needs a login request, which is protected, and limits attempts",
	"DELETE /v2/auth/session":            "ends the session of the caller",
	"PUT /v2/me":                         "needs a customer token",
	"POST /v2/orders": "a draft reserves no stock and emits no event; its submission is " +
		"protected",
	"PUT /v2/orders/{id}":                    "edits a draft of the caller",
	"POST /v2/orders/{id}/items":             "edits a draft of the caller",
	"PUT /v2/orders/{id}/items/{item_id}":    "edits a draft of the caller",
	"DELETE /v2/orders/{id}/items/{item_id}": "edits a draft of the caller",
	"POST /v2/search/clicks":                 "is counted in memory, of bounded size",
}

// Every route that lets visitors change something is protected by a captcha action or is exempt, and every action
// protects a route. A protected route refuses requests without a token.
func TestPublicWrites_areProtectedOrExempt(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, database.SQLite)
	actions := []map[string]any{}
	for _, a := range protection.Actions() {
		actions = append(actions, map[string]any{"id": a})
	}

	s.DoAdmin("PUT", "/api/store/settings", map[string]any{"recaptcha": map[string]any{
		"active": true, "public_key": "public", "secret_key": "secret", "site_url": "https://shop.example",
		"actions": actions,
	}})
	protected := map[string]protectedOperation{}
	for _, o := range protectedOperations() {
		protected[o.route] = o
	}

	found := map[string]bool{}
	for _, route := range s.App.API().Routes() {
		// 1C sends its token as a password, which the handler checks before anything else.
		isOneC := strings.HasSuffix(route.Path, "/commerceml")
		if route.Needs == "" && route.Method != http.MethodGet && !isOneC {
			t.Errorf("%s %s is a write that needs no credential, so it has no limit", route.Method, route.Path)
		}
		if !route.PublicWrite() {
			continue
		}

		name := route.Method + " " + route.Path
		found[name] = true
		o, ok := protected[name]
		if ok == (captchaExempt[name] != "") {
			t.Errorf("%s must be either protected or exempt", name)
		}
		if !ok {
			continue
		}

		// The captcha is required for every credential, and is checked before the order is looked up.
		for _, token := range []string{s.Publishable, s.Secret} {
			s.WantProblem("401 captcha_required", route.Method, o.path(unknownID), o.body, apitest.As(token))
		}
	}

	for name, o := range protected {
		if !found[name] {
			t.Errorf("%s, protected by %s, is not a public write", name, o.action)
		}
	}

	for name := range captchaExempt {
		if !found[name] {
			t.Errorf("%s is exempt, but is not a public write", name)
		}
	}

	if len(protected) != len(protection.Actions()) {
		t.Errorf("%d actions protect %d routes", len(protection.Actions()), len(protected))
	}
}
