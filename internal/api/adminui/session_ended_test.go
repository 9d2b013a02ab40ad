package adminui_test

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/api/adminui"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
)

// If the session has ended when a form is sent, signing in leads to a page: the one that the form was sent from, or the
// nearest above the path of the form.
func TestSessionEnded_everyFormLeadsToAPage(t *testing.T) {
	t.Parallel()
	s := newFilledShop(t, 40, "")
	s.ids["operator"] = s.member(s.store.AdminEmail).ID.String()
	s.ids["job"] = "1" // of no job: the page of parked jobs has no example of one
	s.Write(func(ctx context.Context, q database.Querier) (err error) {
		_, s.ids["invitation"], err = s.App.Accounts.Operators.Invite(ctx, store.In(q, s.store.StoreID),
			"new@north.example",
			access.Viewer)
		return err
	})
	kinds := map[string]string{"orders": "order", "inquiries": "inquiry", "products": "product", "options": "option",
		"product-changes": "change", "categories": "category", "warehouses": "stock", "features": "feature",
		"values":   "value",
		"exchange": "run", "team": "operator", "keys": "key", "webhooks": "receiver", "deliveries": "delivery",
		"invitation": "invitation", "variants": "product", "images": "product", "sessions": "operator", "jobs": "job",
		"customers": "customer", "price-lists": "pricelist", "customer-groups": "group", "redirects": "redirect",
		"feeds": "feed", "messages": "mail", "views": "viewlist"}
	v := s.owner()
	stranger := &client{fixture: s.fixture}
	forms := 0

	for _, route := range adminui.New(adminui.Deps{}).Routes() {
		if route.Method != "POST" || route.Needs == "" {
			continue
		}

		parts := strings.Split(route.Path, "/")
		for i, part := range parts {
			if strings.HasPrefix(part, "{") {
				kind := kinds[parts[i-1]]
				if parts[1] == "views" && i == 3 {
					kind = "view"
				}
				if strings.HasSuffix(route.Path, "/columns") {
					kind = "supplied"
				}
				if parts[i] = s.ids[kind]; parts[i] == "" {
					t.Fatalf("%s: no example of %s", route.Path, part)
				}
			}
		}

		path := strings.Join(parts, "/")
		forms++

		// The page of a form that was refused has the path of the form.
		for _, referer := range []string{"", s.AdminURL + path, s.AdminURL + "/orders?q=ann",
			"https://evil.example/orders?q=ann"} {
			login := stranger.post(path, url.Values{}, "Referer", referer).wantStatus(303).Header.Get("Location")
			if !strings.HasPrefix(login, "/login") {
				t.Errorf("POST %s redirects to %s", path, login)
			}
			target := v.get(login).wantStatus(303).Header.Get("Location")
			if strings.HasPrefix(referer, s.AdminURL+"/orders?") && target != "/orders?q=ann" {
				t.Errorf("POST %s from %s leads to %s", path, referer, target)
			}

			if strings.Contains(target, "evil") || strings.HasPrefix(referer, "https://evil") &&
				target == "/orders?q=ann" {
				t.Errorf("POST %s follows the page of another site to %s", path, target)
			}

			page := v.get(target)
			if page.StatusCode == 303 { // the page of a step that the order does not allow now
				page = v.get(page.Header.Get("Location"))
			}

			if strings.HasSuffix(target, "/values/remove") || strings.HasSuffix(target, "/values/merge") {
				page.wantStatus(422).contains("Choose ") // the page of the option, without the ticks
				continue
			}

			page.wantStatus(200)
		}
	}

	if forms < 50 {
		t.Errorf("only %d forms found", forms)
	}

	stranger.get("/search?q=x", "HX-Request", "true", "Referer", s.AdminURL+"/products?q=a").wantStatus(401)
}

// The form of a product is long: what was written stays on the page, from which it can be sent again.
func TestSessionEnded_keepsTheFormOfAProduct(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	v := s.owner()
	v.get("/products/new").wantStatus(200).contains(`name="_keep"`)
	form := url.Values{"_keep": {"1"}, "name": {`Lamp "<b>`}, "description": {"Two\nlines"}, "variant": {"a", "b"}}
	stranger := &client{fixture: s}
	page := stranger.post("/products/new", form, "Referer", s.AdminURL+"/products/new").wantStatus(401).wantHTML().
		contains("Your session has ended", `href="/login?next=%2Fproducts%2Fnew"`, `target="_blank"`,
			`<form method="post" action="/products/new">`, `name="name" value="Lamp &#34;&lt;b&gt;"`,
			`name="variant" value="a"`, `name="variant" value="b"`)
	if !strings.Contains(page.text, "Two\nlines") {
		t.Error("the lines of a text are lost")
	}
	stranger.post("/products/new", form, "Accept-Language", "ru").wantStatus(401).contains("Сеанс закончился")
}

// A signed-in operator can go on from a page that says what is wrong.
func TestErrors_haveTheNavigationOfTheOperator(t *testing.T) {
	eachEngine(t, func(_ *testing.T, s *fixture) {
		v := s.owner()
		viewer := s.signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
		for _, path := range []string{"/nothing", "/orders/01a1e5be-efce-7959-b177-716e89ad5b54",
			"/deliveries?before=x"} {
			v.get(path).contains(`id="side"`, `href="/settings"`, s.store.AdminEmail)
			(&client{fixture: s}).get(path).omits(`id="side"`, "North Shop")
		}
		viewer.get("/keys").wantStatus(403).contains(`id="side"`).omits(`href="/keys"`)
	})
}
