package adminui_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/api/adminui"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
)

// Every page and form is refused to operators whose role does not include it, before its handler runs, and a refused
// form changes nothing. Forms that an operator of every role may send are listed.
func TestRoles_decideAboutEveryPageAndForm(t *testing.T) {
	t.Parallel()

	// own are the forms that concern only the operator or the browser, and change nothing of the store. Those of views
	// check themselves who may change shared ones.
	own := []string{"POST /login", "POST /login/code", "POST /logout", "POST /invitation/{}",
		"POST /invitation/{}/join",
		"POST /email/{}", "POST /unsubscribe/{}", "POST /password", "POST /password/{}", "POST /account/email/cancel",
		"POST /stores", "POST /language", "POST /account/email", "POST /account/password", "POST /account/language",
		"POST /account/codes", "POST /account/codes/enable", "POST /account/codes/disable",
		"POST /account/codes/recovery",
		"POST /account/sessions/{}/end", "POST /account/sessions/end",
		"POST /views/{}", "POST /views/{}/{}", "POST /views/{}/{}/delete",
		"POST /products/download"} // a reader gets the file, and changes nothing
	s := newFixture(t, database.SQLite)
	clients := map[access.Role]*client{access.Owner: s.owner()}
	for _, role := range []access.Role{access.Manager, access.Viewer} {
		clients[role] = s.signIn(s.newOperator(role), apitest.OperatorPassword)
	}

	reads := access.Scopes{access.CatalogRead, access.CustomersRead, access.InquiriesRead, access.OrdersRead,
		access.StoreRead, access.WebhooksRead}
	before := s.Dump()
	for _, route := range adminui.New(adminui.Deps{}).Routes() {
		path := placeholder.ReplaceAllString(strings.TrimSuffix(route.Path, "{$}"), "{}")
		name := route.Method + " " + path
		if route.Needs == "" || route.Needs == httpapi.AnyScope {
			if route.Method != "GET" && !slices.Contains(own, name) {
				t.Errorf("%s needs no scope", name)
			}
			continue
		}

		if route.Method != "GET" && slices.Contains(reads, route.Needs) && !slices.Contains(own, name) {
			t.Errorf("%s changes something, but needs only %s", name, route.Needs)
		}

		target := strings.ReplaceAll(path, "{}", "01a1e5be-efce-7959-b177-716e89ad5b54")
		for role, v := range clients {
			operator := access.Principal{Kind: access.OperatorSession, Operator: &access.Operator{Role: role}}
			if operator.May(route.Needs) {
				continue
			}

			if route.Method == "GET" {
				v.get(target).wantStatus(403).wantHTML().contains("Your role does not include this")
			} else {
				v.post(target, url.Values{}).wantStatus(403)
			}
		}
	}

	s.WantUnchanged(before, "a form was refused")
}
