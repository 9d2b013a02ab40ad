package routes

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/listview"
	"vitrine/internal/shop/mailing"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/mailtest"
	"vitrine/internal/testkit/storetest"
)

// jsonBodies are the bodies of successful requests by method and pattern. Names in capitals are placeholders for values
// and ids that request fills in.
var jsonBodies = map[string]string{
	"PUT /api/store/settings":          `{"name": "NEW"}`,
	"POST /api/store/keys":             `{"name": "x", "kind": "secret"}`,
	"PUT /api/store/keys/{id}":         `{"name": "y"}`,
	"POST /api/store/keys/{id}/rotate": `{}`,
	"PUT /api/me": `{"email": "NEW@north.example", "password": "` +
		apitest.OperatorPassword + `"}`,
	"POST /api/store/operators":                            `{"email": "NEW@north.example", "role": "viewer"}`,
	"PUT /api/store/operators/{id}":                        `{"role": "viewer"}`,
	"POST /api/store/webhook-receivers":                    `{"url": "http://127.0.0.1:1/", "webhook_types": ["*"]}`,
	"PUT /api/store/webhook-receivers/{id}":                `{"enabled": false}`,
	"POST /api/store/webhook-receivers/{id}/test":          `{"type": "order.submitted"}`,
	"POST /api/store/webhook-receivers/{id}/rotate-secret": `{}`,
	"POST /api/store/webhook-receivers/{id}/recover":       `{"since": "2026-11-14T00:00:00Z"}`,
	"POST /v2/variant-options": `{"name": "Size", "values": [{"name": "S"}, ` +
		`{"name": "M"}]}`,
	"PUT /v2/variant-options/{id}":                `{"name": "Length"}`,
	"POST /v2/variant-options/{id}/impact":        `{}`,
	"POST /v2/variant-options/{id}/merge":         `{"from": ["VALUE"], "into": "OTHER"}`,
	"PUT /v2/product-variants/{id}":               `{"name": "Length"}`,
	"DELETE /v2/product-variants/{id}":            `{"removed_values": ["VALUE"]}`,
	"POST /v2/features":                           `{"name": "Fabric", "values": [{"name": "Wool"}, {"name": "Silk"}]}`,
	"PUT /v2/features/{id}":                       `{"name": "Cloth"}`,
	"POST /v2/features/{id}/impact":               `{}`,
	"POST /v2/features/{id}/merge":                `{"from": ["VALUE"], "into": "OTHER"}`,
	"POST /v2/categories":                         `{"name": "Tops"}`,
	"PUT /v2/categories/{id}":                     `{"name": "Shirts"}`,
	"POST /v2/stocks":                             `{"name": "Main"}`,
	"POST /v2/redirects":                          `{"from": "/NEW", "to": "/sale"}`,
	"PUT /v2/feeds/{name}":                        `{"format": "csv", "new_key": true}`,
	"POST /v2/price-lists":                        `{"name": "Wholesale"}`,
	"PUT /v2/price-lists/{id}":                    `{"name": "Club"}`,
	"POST /v2/customer-groups":                    `{"name": "Dealers", "price_lists": []}`,
	"PUT /v2/customer-groups/{id}":                `{"name": "Partners"}`,
	"PUT /v2/customers/{id}":                      `{"group_id": "GROUP"}`,
	"PUT /v2/stocks/{id}":                         `{"name": "Side"}`,
	"PUT /v2/images/{id}":                         `{"alt": "x"}`,
	"POST /v2/products":                           `{"name": "Shirt"}`,
	"PUT /v2/products/{id}":                       `{"name": "Blouse"}`,
	"POST /v2/products/{id}/variants":             `{"price": 5, "sku": "NEW"}`,
	"PUT /v2/products/{id}/variants/{variant_id}": `{"price": 6}`,
	"PUT /v2/search/synonyms":                     `{"groups": [["lamp", "NEW"]]}`,
	"PUT /v2/search/pins":                         `[{"query": "NEW", "products": ["PRODUCT"]}]`,
	"POST /v2/search/clicks":                      `{"query": "lamp", "product_id": "PRODUCT"}`,
	"POST /v2/auth/passwordless/request":          `{"email": "NEW@shop.example"}`,
	"POST /v2/auth/passwordless/confirm":          `{"request_id": "LOGIN", "code": "CODE"}`,
	"PUT /v2/me":                                  `{"name": "Anna"}`,
	"POST /v2/orders":                             `{}`,
	"PUT /v2/orders/{id}":                         `{"comment": "soon"}`,
	"POST /v2/orders/{id}/items":                  `{"variant_id": "VARIANT", "quantity": 1}`,
	"PUT /v2/orders/{id}/items/{item_id}":         `{"quantity": 2}`,
	"POST /v2/orders/{id}/submit":                 `{"contact": {"name": "Anna", "phone": "+491234567"}}`,
	"POST /v2/orders/{id}/cancel":                 `{}`,
	"POST /v2/feedback":                           `{"name": "Anna", "message": "Hello"}`,
	"POST /v2/interactions/callback":              `{"name": "Anna", "phone": "+491234567"}`,
	"POST /v2/sync-gate/{token}/products": `{"payload": [{"id": "NEW", "name": "Shirt", ` +
		`"variants": [{"id": 1, "price": 5}]}]}`,
	"POST /v2/sync-gate/{token}/variant-options": `{"payload": [{"id": "NEW", "name": "Size"}]}`,
	"POST /v2/sync-gate/{token}/features":        `{"payload": [{"id": "NEW", "name": "Fabric"}]}`,
	"POST /v2/sync-gate/{token}/categories":      `{"payload": [{"id": "NEW", "name": "Tops"}]}`,
	"POST /v2/sync-gate/{token}/stocks":          `{"payload": [{"id": "NEW", "name": "Main"}]}`,
	"POST /v2/sync-gate/{token}/price-lists":     `{"payload": [{"id": "opt", "name": "NEW"}]}`,
	"POST /v2/sync-gate/{token}/remainders": `{"payload": [{"product_id": "p", "variant_id": "v", ` +
		`"stock_id": "NEW", "quantity": 1}]}`,
	"POST /v2/sync-gate/{token}/commerceml": `<КоммерческаяИнформация/>`,
	"POST /v2/sync-gate/{token}/prices":     `{"payload": [{"product_id": "p", "variant_id": "v", "price": 5}]}`,
}

// forms are the bodies of successful requests to the pages of the administration.
var forms = map[string]url.Values{
	"POST /orders/confirm":                 {"id": {"ORDER"}},
	"POST /orders/complete":                {"id": {"ORDER"}},
	"POST /orders/cancel":                  {"id": {"ORDER"}},
	"POST /views/{list}":                   {"name": {"NEW"}, "query": {"q=lamp"}, "shared": {"1"}},
	"POST /views/{list}/{id}":              {"name": {"NEW"}, "shared": {"1"}, "version": {"1"}},
	"POST /views/{list}/{id}/delete":       {},
	"POST /settings/redirects":             {"from": {"/NEW"}, "to": {"/sale"}},
	"POST /settings/redirects/{id}/delete": {},
	"POST /settings/feeds":                 {"name": {"NEW"}, "format": {"csv"}},
	"POST /settings/feeds/{name}":          {"format": {"yml"}, "version": {"1"}},
	"POST /settings/feeds/{name}/key":      {},
	"POST /settings/feeds/{name}/delete":   {},
	"POST /login":                          {"email": {"EMAIL"}, "password": {apitest.OperatorPassword}},
	"POST /logout":                         {},
	"POST /customers/erase":                {"address": {"zoe@mail.example"}},
	"POST /customers/{id}/group":           {"group": {"GROUP"}, "version": {"CUSTOMER"}},
	"POST /customers/{id}/note":            {"note": {"NEW"}, "version": {"CUSTOMER"}},
	"POST /customers/{id}/merge":           {"with": {"OTHERCUSTOMER"}},
	"POST /invitation/{token}":             {"password": {apitest.OperatorPassword}},
	"POST /exchange/connect":               {"password": {apitest.OperatorPassword}},
	"POST /exchange/1c":                    {"missing": {"keep"}, "more": {"NEW"}},
	"POST /exchange/1c/token":              {"password": {apitest.OperatorPassword}},
	"POST /exchange/{id}/apply":            {},
	"POST /exchange/{id}/discard":          {},
	"POST /exchange/{id}/columns":          {"column_0": {"id"}, "column_1": {"name"}},
	"POST /exchange/{id}/revert":           {},
	"POST /exchange/{id}/undo":             {"all": {"1"}},
	"POST /webhooks/check":                 {"receiver": {"RECEIVER"}, "headers": {"x"}, "body": {"x"}},
	"POST /webhooks": {"url": {"http://127.0.0.1:1/"}, "access": {"all"},
		"password": {apitest.OperatorPassword}},
	"POST /webhooks/{id}": {"action": {"disable"}},
	"POST /webhooks/{id}/edit": {"url": {"http://127.0.0.1:1/x"}, "access": {"all"}, "version": {"1"},
		"password": {apitest.OperatorPassword}},
	"POST /webhooks/{id}/rotate": {"password": {apitest.OperatorPassword}},
	"POST /webhooks/{id}/delete": {"version": {"1"}},
	"POST /deliveries/{id}":      {},
	"POST /settings": {"version": {"VERSION"}, "name": {"NEW"}, "timezone": {"UTC"}, "locale": {"en"},
		"currency": {"EUR"}},
	"POST /settings/sites": {"version": {"VERSION"}, "cors_origins": {"https://NEW.example"}},
	"POST /settings/captcha": {"version": {"VERSION"}, "recaptcha.provider": {"hcaptcha"},
		"recaptcha.public_key": {"NEW"}, "recaptcha.on_provider_error": {"reject"}},
	"POST /settings/messages/{kind}":      {"subject": {"NEW"}, "text": {"{{number}}"}, "version": {"MAILS"}},
	"POST /settings/messages/{kind}/test": {"subject": {"Order"}, "text": {"{{number}}"}},
	"POST /settings/messages/mails": {"kinds": {"new_order"}, "recipients": {"anna@shop.example"},
		"version": {"MAILS"}},
	"POST /settings/messages": {"to": {"anna@shop.example"}},
	"POST /settings/mail-server": {"host": {"127.0.0.1"}, "port": {"SMTP"}, "encryption": {"none"},
		"from": {"shop@shop.example"}, "version": {"0"}, "password": {apitest.OperatorPassword}},
	"POST /settings/team/invite": {"email": {"NEW@team.example"}, "role": {"viewer"}, "how": {"link"},
		"password": {apitest.OperatorPassword}},
	"POST /settings/team/{id}": {"role": {"owner"}, "enabled": {"1"}, "version": {"MEMBER"},
		"password": {apitest.OperatorPassword}},
	"POST /settings/team/{id}/sessions": {},
	"POST /settings/team/{id}/remove":   {"password": {apitest.OperatorPassword}},
	"POST /account/email":               {"email": {"NEW@account.example"}, "password": {apitest.OperatorPassword}},
	"POST /account/email/cancel":        {},
	"POST /email/{token}":               {},
	"POST /unsubscribe/{token}":         {},
	"POST /password":                    {"email": {"EMAIL"}},
	"POST /password/{token}":            {"password": {apitest.OperatorPassword}},
	"POST /account/password": {"new_password": {apitest.OperatorPassword},
		"repeat_password": {apitest.OperatorPassword}, "password": {apitest.OperatorPassword}},
	"POST /account/language":               {"language": {"ru"}},
	"POST /account/codes":                  {"password": {apitest.OperatorPassword}},
	"POST /account/codes/enable":           {"setup": {"SETUP"}, "code": {"CODE"}},
	"POST /account/codes/disable":          {"password": {apitest.OperatorPassword}},
	"POST /account/codes/recovery":         {"password": {apitest.OperatorPassword}},
	"POST /account/sessions/{session}/end": {},
	"POST /account/sessions/end":           {},
	"POST /login/code":                     {"pending": {"PENDING"}, "code": {"RECOVERY"}},
	"POST /invitation/{token}/join":        {},
	"POST /stores":                         {"store": {"STORE"}},
	"POST /language":                       {"language": {"ru"}},
	"POST /keys": {"kind": {"secret"}, "name": {"x"}, "access": {"all"},
		"password": {apitest.OperatorPassword}},
	"POST /keys/{id}/rotate": {"overlap_hours": {"1"}, "password": {apitest.OperatorPassword}},
	"POST /keys/{id}/revoke": {},
}

// request creates the entities that a route needs, and returns a function that makes a request which succeeds.
func (c *routeWalk) request(route httpapi.Route) func() *http.Request {
	c.t.Helper()
	name := route.Method + " " + route.Path
	c.requestCount++
	path := c.path(route)
	replace := []string{"NEW", fmt.Sprintf("new%d", c.requestCount), "EMAIL", c.email}

	text := jsonBodies[name]
	if strings.Contains(text, "VARIANT") {
		_, variant := c.createProduct()
		replace = append(replace, "VARIANT", variant)
	}

	if strings.Contains(text, "PRODUCT") {
		product, _ := c.createProduct()
		replace = append(replace, "PRODUCT", product)
	}

	if strings.Contains(text, "GROUP") {
		replace = append(replace, "GROUP", c.createFromBody("/v2/customer-groups"))
	}

	if strings.Contains(text, "LOGIN") {
		login, code := c.requestLogin()
		replace = append(replace, "LOGIN", login, "CODE", code)
	}

	if strings.Contains(text, "VALUE") {
		resource := strings.TrimSuffix(strings.Replace(path, "product-variants", "variant-options", 1), "/merge")
		values := c.Get(resource + "/values")
		replace = append(replace, "VALUE", values.Text("data.0.id"))
		if strings.Contains(text, "OTHER") {
			replace = append(replace, "OTHER", values.Text("data.1.id"))
		}
	}

	text = strings.NewReplacer(replace...).Replace(text)
	contentType := "application/json"
	token := c.Secret

	form, isForm := forms[name]
	if !isForm {
		form, isForm = catalogueForms[name]
		replace = append(replace, c.catalogueReplacements(name, path)...)
	}

	switch {
	case isForm:
		if name == "POST /webhooks/check" {
			form = maps.Clone(form)
			form.Set("receiver", c.createReceiver())
		}

		if form.Get("version") == "CUSTOMER" {
			group := c.createFromBody("/v2/customer-groups")
			page := c.page(path[:strings.LastIndex(path, "/")])
			replace = append(replace, "GROUP", group, "CUSTOMER", renderedVersion.FindStringSubmatch(page)[1])
		}

		if form.Get("id") == "ORDER" {
			orderID, _ := c.createOrder(strings.TrimPrefix(path, "/orders"))
			replace = append(replace, "ORDER", orderID)
		}

		if form.Get("version") == "MAILS" {
			replace = append(replace, "MAILS", c.versionOn("/settings/messages"))
		}

		if form.Get("port") == "SMTP" {
			replace = append(replace, "SMTP", c.mailServerPort())
		}

		if form.Get("with") == "OTHERCUSTOMER" {
			c.requestCount++ // somebody else
			c.signInCustomer()
			other := c.Get("/v2/customers").Text("data.0.id")
			form = apitest.FormFields(c.t, c.page(path+"?with="+other), path)
		}
		if name == "POST /customers/erase" { // somebody to erase
			body := fmt.Sprintf(`{"name": "Zoe", "message": "Hello", "email": %q}`, form.Get("address"))
			c.OK(201, "POST", "/v2/feedback", body)
		}
		if category, ok := strings.CutSuffix(path, "/image/remove"); ok { // a picture to remove
			c.OK(200, "PUT", "/v2"+category, map[string]any{"image": c.createImage().Text("data.id")})
		}

		replace = append([]string{"EMAIL", url.QueryEscape(c.email), "VERSION", c.versionOn("/settings"),
			"NEW", fmt.Sprintf("new%d", c.requestCount), "MEMBER", c.memberVersion}, replace...)

	case name == "POST /exchange/upload":
		text = uploadBody
		contentType = `multipart/form-data; boundary="b"`
	case name == "POST /v2/images":
		text = c.pngBody()
		contentType = "image/png"
	case name == "POST /products/{id}/images", name == "POST /categories/{id}/image":
		text = c.pictureBody()
		contentType = `multipart/form-data; boundary="b"`
	case isShopPage(route) && route.Method == http.MethodPost:
		form = c.shopForm(path)
		isForm = true
	}

	switch {
	case strings.HasPrefix(route.Path, "/v2/me"), route.Path == "/v2/auth/session":
		token = c.signInCustomer()
	case strings.HasPrefix(route.Path, "/v2/auth"):
		token = c.Publishable
	}

	session := ""
	if needs, ok := c.accountRequest(name); ok {
		session = needs.session
		replace = append(replace, needs.replace...)
		if needs.path != "" {
			path = needs.path
		}
	}

	if isForm {
		text = strings.NewReplacer(replace...).Replace(form.Encode())
		contentType = formType
	}

	if name == "PUT /api/me" {
		token = ""
		session = c.newOperatorSession()
	}

	if c.isPage(route) {
		token = ""
	}

	if c.isPage(route) && session == "" {
		if session = c.session; name == "POST /logout" || name == "POST /login/code" ||
			strings.Contains(text, "password=") {
			session = c.disposableSession()
		}
	}

	return func() *http.Request {
		var r *http.Request
		if text == "" && !isForm {
			r = httptest.NewRequest(route.Method, path, nil)
		} else {
			r = httptest.NewRequest(route.Method, path, strings.NewReader(text))
			r.Header.Set("Content-Type", contentType)
		}

		r.RemoteAddr = "127.0.0.1:1000"
		r.Host = "localhost" // /metrics answers only this machine

		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}

		if session != "" {
			r.AddCookie(&http.Cookie{Name: "__Host-vitrine", Value: session})
		}

		return r
	}
}

// newOperatorSession creates an operator and returns the token of a session.
func (c *routeWalk) newOperatorSession() string {
	c.t.Helper()
	email := fmt.Sprintf("operator%d@north.example", c.requestCount)
	c.NewOperator(c.StoreID, email, access.Viewer)
	in, err := c.App.Accounts.Sessions.SignIn(c.t.Context(), account.Login{Email: email,
		Password: apitest.OperatorPassword})
	if err != nil {
		c.t.Fatal(err)
	}
	return in.Session
}

// invite invites an operator and returns the id and the token of the invitation.
func (c *routeWalk) invite() (id, token string) {
	c.t.Helper()
	c.Write(func(ctx context.Context, q database.Querier) error {
		o, invitation, err := c.App.Accounts.Operators.Invite(ctx, store.In(q, c.StoreID),
			fmt.Sprintf("invited%d@north.example", c.requestCount), access.Manager)
		id = o.ID.String()
		token = invitation
		return err
	})
	return id, token
}

// disposableSession returns a session that the request may end. It reuses the last one if possible, because signing in
// hashes a password, which is slow.
func (c *routeWalk) disposableSession() string {
	c.t.Helper()
	page := c.DoAdmin("GET", "/login", nil, apitest.As(""), apitest.Header("Cookie", "__Host-vitrine="+c.disposable))
	if page.Status != http.StatusSeeOther {
		c.disposable = c.newSession()
	}
	return c.disposable
}

var versionField = regexp.MustCompile(`name="version" value="([0-9]+)"`)

// versionOn returns the version in the form of a page of the settings.
func (c *routeWalk) versionOn(path string) string {
	c.t.Helper()
	page := c.DoAdmin("GET", path, nil, apitest.As(""), apitest.Header("Cookie", "__Host-vitrine="+c.session))
	found := versionField.FindSubmatch(page.Body)
	if found == nil {
		c.t.Fatalf("GET %s returns %d %s", path, page.Status, page.Body)
	}
	return string(found[1])
}

// mailServerPort returns the port of a mail server on loopback, which is started once.
func (c *routeWalk) mailServerPort() string {
	c.t.Helper()
	if c.mailServer == nil {
		c.mailServer = mailtest.New(c.t, mailtest.Config{})
	}
	u, err := url.Parse(c.mailServer.URL(nil))
	if err != nil {
		c.t.Fatal(err)
	}
	return u.Port()
}

// removeMailServer removes the mail server that a request has set, so that messages are in the mailbox again.
func (c *routeWalk) removeMailServer() {
	c.t.Helper()
	if c.mailServer == nil {
		return
	}
	c.Write(func(ctx context.Context, q database.Querier) error {
		err := c.App.Notify.RemoveMailServer(ctx, store.In(q, c.StoreID), nil)
		if fault.KindOf(err) == fault.NotFound {
			return nil
		}
		return err
	})
}

// isPage reports whether a route is a page of the administration.
func (c *routeWalk) isPage(route httpapi.Route) bool {
	for _, prefix := range []string{"/login", "/logout", "/invitation", "/email", "/password", "/{$}",
		"/views", "/live", "/exchange", "/webhooks", "/deliveries", "/mailbox",
		"/settings", "/keys", "/account", "/stores", "/language", "/debug"} {
		if route.Path == prefix || strings.HasPrefix(route.Path, prefix+"/") {
			return true
		}
	}
	return isCataloguePage(route) || isShopPage(route)
}

// path fills the parameters of the pattern of a route with the ids of new entities.
func (c *routeWalk) path(route httpapi.Route) string {
	c.t.Helper()
	if isShopPage(route) {
		return c.shopPath(route)
	}

	c.removeMailServer()
	path := strings.TrimSuffix(route.Path, "{$}")
	switch path {
	case "/v2/resolve":
		return path + "?path=" + c.createRedirect().Text("data.from")
	case "/v2/sitemap.xml", "/v2/sitemap/{file}":
		c.DoAdmin("PUT", "/api/store/settings", `{"site_url": "https://shop.example"}`)
	}
	if !strings.Contains(path, "{") {
		return path
	}
	if isCataloguePage(route) {
		return c.cataloguePath(route)
	}

	if !strings.HasPrefix(path, "/invitation") {
		path = strings.Replace(path, "{token}", c.Exchange, 1)
	}

	resource, action, _ := strings.Cut(route.Path, "/{")
	_, action, _ = strings.Cut(action, "}")
	ids := map[string]string{}
	switch resource {
	case "/v2/variant-options", "/v2/product-variants":
		ids["id"] = c.createFromBody("/v2/variant-options")
	case "/v2/features", "/v2/categories", "/v2/stocks", "/v2/feedback", "/v2/interactions/callback":
		ids["id"] = c.createFromBody(resource)
	case "/v2/price-lists", "/v2/customer-groups":
		c.deletePriceLists() // a store can have only a few
		ids["id"] = c.createFromBody(resource)
	case "/v2/products":
		ids["id"], ids["variant_id"] = c.createProduct()
		if strings.HasSuffix(route.Path, "restore") {
			c.OK(200, "POST",
				strings.NewReplacer("{id}", ids["id"], "{variant_id}", ids["variant_id"], "restore", "archive").
					Replace(route.Path), nil)
		}
	case "/v2/products/by-slug":
		productID, _ := c.createProduct()
		ids["slug"] = c.Get("/v2/products/" + productID).Text("data.slug")
	case "/v2/categories/by-slug":
		ids["slug"] = c.Get("/v2/categories/" + c.createFromBody("/v2/categories")).Text("data.slug")
	case "/v2/redirects", "/settings/redirects":
		ids["id"] = c.createRedirect().Text("data.id")
	case "/v2/feeds", "/settings/feeds":
		c.DoAdmin("PUT", "/api/store/settings", `{"site_url": "https://shop.example"}`)
		c.OK(201, "PUT", fmt.Sprintf("/v2/feeds/f%d", c.requestCount), `{"format": "google"}`)
		ids["name"] = fmt.Sprintf("f%d", c.requestCount)
	case "/views":
		ids["list"] = "orders"
		ids["id"] = c.createView()
	case "/settings/messages":
		ids["kind"] = "order_confirmed"
	case "/v2/sitemap":
		ids["file"] = "1.xml"
	case "/v2/images":
		ids["id"] = c.createImage().Text("data.id")
	case "/images":
		address, err := url.Parse(c.createImage().Text("data.url"))
		if err != nil {
			c.t.Fatal(err)
		}
		return address.Path
	case "/v2/customers":
		c.signInCustomer()
		ids["id"] = c.Get("/v2/customers").Text("data.0.id")
	case "/v2/orders":
		ids["id"], ids["item_id"] = c.createOrder(action)
	case "/v2/sync-gate", "/api/store/exchange-runs", "/exchange":
		ids["id"] = c.createRun(strings.HasSuffix(route.Path, "revert"))
		if action == "/apply" || action == "/discard" || action == "/columns" {
			ids["id"] = c.uploadFile()
		}
		if action == "/undo" {
			ids["id"] = c.applyFile()
		}
		if resource == "/exchange" && action == "/retry" {
			c.ParkRun(c.StoreID, ids["id"])
		}
	case "/settings/jobs":
		ids["key"] = strconv.FormatInt(c.ParkRun(c.StoreID, c.createRun(false)), 10)
	case "/api/store/keys", "/keys":
		ids["id"] = c.DoAdmin("POST", "/api/store/keys", `{"name": "x", "kind": "secret"}`).Text("data.id")
	case "/api/store/operators":
		ids["id"], _ = c.invite()
	case "/settings/team":
		ids["id"] = c.newMember()
	case "/account/sessions":
		return path // accountRequest fills it
	case "/debug/pprof":
		return resource + "/heap"
	case "/email":
		email := fmt.Sprintf("email%d@north.example", c.requestCount)
		c.NewOperator(c.StoreID, email, access.Viewer)
		p, err := c.App.Accounts.Sessions.Authenticate(c.t.Context(), c.signIn(email).Session)
		if err != nil {
			c.t.Fatal(err)
		}
		return "/email/" + c.requestEmail(p)
	case "/unsubscribe":
		l := mailing.Link{StoreID: c.StoreID, Kind: mailing.NewOrder, To: fmt.Sprintf("staff%d@north.example",
			c.requestCount)}
		token, err := mailing.New(mailing.Deps{Vault: c.App.Vault}).Token(l)
		if err != nil {
			c.t.Fatal(err)
		}
		return mailing.UnsubscribePath + token
	case "/password":
		if action == "" && !strings.Contains(route.Path, "{") {
			return route.Path
		}
		return "/password/" + c.requestPassword()
	case "/invitation":
		_, token := c.invite()
		return "/invitation/" + token + action
	case "/api/store/webhook-receivers", "/webhooks":
		ids["id"] = c.createReceiver()
	case "/api/store/webhook-deliveries", "/deliveries":
		ids["id"] = c.createDelivery()
	case "/assets":
		return regexp.MustCompile(`/assets/[^"]+\.css`).FindString(string(c.DoAdmin("GET", "/login", nil).Body))
	case "/demo":
		return "/demo/main.js"
	case "/docs":
		return regexp.MustCompile(`/docs/[^"]+`).FindString(string(c.Get("/docs").Body))
	}

	for name, value := range ids {
		path = strings.ReplaceAll(path, "{"+name+"}", value)
	}

	if strings.Contains(path, "{") {
		c.t.Fatalf("%s %s: the test cannot fill the parameters of %s; add them to routeWalk.path", route.Method,
			route.Path, path)
	}

	return path
}

// uploadBody is the form that uploads a file.
const uploadBody = "--b\r\nContent-Disposition: form-data; name=entity\r\n\r\nstocks\r\n" +
	"--b\r\nContent-Disposition: form-data; name=file; filename=stocks.csv\r\n\r\nid,name\n1,Main\n\r\n--b--\r\n"

// applyFile uploads a file and applies it, and returns the id of the run that has changed something.
func (c *routeWalk) applyFile() string {
	c.t.Helper()
	dryRunID, err := id.Parse[exchange.Run](c.uploadFile())
	if err != nil {
		c.t.Fatal(err)
	}

	var run exchange.Run
	err = c.App.DB.Write(c.t.Context(), func(q database.Querier) (err error) {
		run, err = c.App.Exchange.Pushes.QueueUpload(c.t.Context(), store.In(q, c.StoreID), dryRunID,
			id.New[access.Operator]())
		return err
	})
	if err != nil {
		c.t.Fatal(err)
	}
	c.waitForFile(run)
	c.waitForNone("the applied files are there", "SELECT COUNT(*) FROM exchange_runs "+
		"WHERE kept_until IS NULL AND spooled_bytes > 0")
	return run.ID.String()
}

// uploadFile uploads a file of a new stock and waits for the end of its dry run, whose id it returns.
func (c *routeWalk) uploadFile() string {
	c.t.Helper()
	run, err := c.App.Exchange.Pushes.Upload(c.t.Context(), c.StoreID, exchange.UploadedFile{
		Entity: exchange.Stocks, Name: "stocks.csv", By: id.New[access.Operator](),
		Body: strings.NewReader("id,name\n" + id.New[access.Operator]().String() + ",Main\n")})
	if err != nil {
		c.t.Fatal(err)
	}
	c.waitForFile(run)
	return run.ID.String()
}

// waitForFile waits for the end of a run.
func (c *routeWalk) waitForFile(run exchange.Run) {
	c.t.Helper()
	storetest.Eventually(c.t, "the file is checked", func() bool {
		return c.DoAdmin("GET", "/api/store/exchange-runs/"+run.ID.String(), nil).Text("data.status") == "completed"
	})
}

// createFromBody creates an entity with the body in jsonBodies and returns its id.
func (c *routeWalk) createFromBody(list string) string {
	c.t.Helper()
	return c.OK(201, "POST", list, jsonBodies["POST "+list]).Text("data.id")
}

// createRedirect creates a redirect for the present request.
// createView creates a shared view of the orders and returns its id.
func (c *routeWalk) createView() (viewID string) {
	c.t.Helper()
	c.Write(func(ctx context.Context, q database.Querier) error {
		everything := func(access.Scope) bool { return true }
		view, err := listview.Create(ctx, store.In(q, c.StoreID), listview.Orders,
			listview.Edit{Name: new("View"), Shared: new(true)}, listview.Author{May: everything})
		viewID = view.ID.String()
		return err
	})
	return viewID
}

func (c *routeWalk) createRedirect() *apitest.Response {
	c.t.Helper()
	return c.OK(201, "POST", "/v2/redirects", fmt.Sprintf(`{"from": "/from%d", "to": "/to"}`, c.requestCount))
}

// createProduct creates a product with one variant.
func (c *routeWalk) createProduct() (id, variant string) {
	c.t.Helper()
	r := c.OK(201, "POST", "/v2/products", `{"name": "Shirt", "variants": [{"sku": "S", "price": 10}]}`)
	return r.Text("data.id"), r.Text("data.variants.0.id")
}

// pngBody returns a PNG image.
func (c *routeWalk) pngBody() string {
	c.t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 4, 4))); err != nil {
		c.t.Fatal(err)
	}
	return b.String()
}

func (c *routeWalk) createImage() *apitest.Response {
	c.t.Helper()
	return c.OK(201, "POST", "/v2/images", c.pngBody(), apitest.Header("Content-Type", "image/png"))
}

// createOrder creates an order in the state that an action needs.
func (c *routeWalk) createOrder(action string) (id, item string) {
	c.t.Helper()
	_, variant := c.createProduct()
	id = c.createFromBody("/v2/orders")
	path := "/v2/orders/" + id
	item = c.OK(201, "POST", path+"/items", `{"variant_id": "`+variant+`", "quantity": 1}`).Text("data.items.0.id")
	needs := map[string][]string{"/confirm": {"submit"}, "/cancel": {"submit"}, "/complete": {"submit", "confirm"},
		"/unconfirm": {"submit", "confirm"}, "/reopen": {"submit", "cancel"}}
	for _, step := range needs[action] {
		c.OK(200, "POST", path+"/"+step, jsonBodies["POST /v2/orders/{id}/submit"])
	}
	return id, item
}

// createRun pushes products and returns the id of the run. If archived is set, the run archived a product and can be
// reverted.
func (c *routeWalk) createRun(archived bool) string {
	c.t.Helper()
	push := func(query, body string) string {
		return c.OK(200, "POST", "/v2/sync-gate/products"+query, body, apitest.As(c.Exchange)).Text("data.id")
	}
	one := fmt.Sprintf(`{"id": "run%d", "name": "x"}`, c.requestCount)
	if !archived {
		return push("", `{"payload": [`+one+`, {"id": {}}]}`)
	}
	push("", `{"payload": [`+one+`, {"id": "gone", "name": "x"}]}`)
	c.Clock.Advance(time.Second) // a product written at the time of a push does not count as missing
	return push("?archive_missing=true&max_archive_share=1", `{"payload": [`+one+`]}`)
}

// deletePriceLists deletes the price lists of the store.
func (c *routeWalk) deletePriceLists() {
	c.t.Helper()
	for _, listID := range c.Get("/v2/price-lists").Texts("data", "id") {
		c.OK(204, "DELETE", "/v2/price-lists/"+listID, nil)
	}
}

// createReceiver replaces the last receiver by a new one, because a store can have only a few.
func (c *routeWalk) createReceiver() string {
	c.t.Helper()
	c.deleteReceiver()
	c.waitForFanOut()
	c.receiverID = c.DoAdmin("POST", "/api/store/webhook-receivers", jsonBodies["POST /api/store/webhook-receivers"]).
		Text("data.id")
	return c.receiverID
}

// waitForFanOut waits until the events of all stores have their deliveries. A receiver that is created earlier gets
// deliveries of older events while the test compares the database.
func (c *routeWalk) waitForFanOut() {
	c.t.Helper()
	c.waitForNone("the stores with new events are", `
SELECT COUNT(*)
FROM event_sequences s
WHERE s.last > COALESCE((SELECT f.sequence FROM event_fanouts f WHERE f.store_id = s.store_id), 0)`)
}

// waitForRuns waits until the pushes of earlier requests have ended, which a worker applies.
func (c *routeWalk) waitForRuns() {
	c.t.Helper()
	c.waitForNone("the running pushes are", "SELECT COUNT(*) FROM exchange_runs WHERE status = 'running'")
}

// waitForNone waits until a query counts 0 rows.
func (c *routeWalk) waitForNone(what, sql string) {
	c.t.Helper()
	storetest.EventuallyEqual(c.t, what, 0, func() (n int64) {
		err := c.App.DB.Read(c.t.Context(), func(q database.Querier) error {
			return database.QueryRow(c.t.Context(), q, sql, nil, &n)
		})
		if err != nil {
			c.t.Fatal(err)
		}
		return n
	})
}

// deleteReceiver deletes the last receiver, if there is one.
func (c *routeWalk) deleteReceiver() {
	c.t.Helper()
	if c.receiverID != "" {
		c.DoAdmin("DELETE", "/api/store/webhook-receivers/"+c.receiverID, nil) // fails if a request has deleted it
	}
	c.receiverID = ""
}

// createDelivery sends a test event and returns the id of its delivery. It waits for the first attempt, which fails, so
// that the delivery does not change while the test compares responses. The next attempt is not due until the clock
// moves.
func (c *routeWalk) createDelivery() string {
	c.t.Helper()
	path := "/api/store/webhook-receivers/" + c.createReceiver() + "/test"
	id := c.DoAdmin("POST", path, `{"type": "order.submitted"}`).Text("data.id")
	storetest.Eventually(c.t, "the first attempt is recorded", func() bool {
		return c.DoAdmin("GET", "/api/store/webhook-deliveries/"+id, nil).Text("data.attempts_count") != "0"
	})
	return id
}

var sixDigits = regexp.MustCompile(`\b[0-9]{6}\b`)

// requestLogin requests a login code by mail and returns the id of the request and the code.
func (c *routeWalk) requestLogin() (request, code string) {
	c.t.Helper()
	address := fmt.Sprintf("customer%d@shop.example", c.requestCount)
	request = c.OK(202, "POST", "/v2/auth/passwordless/request", `{"email": "`+address+`"}`, apitest.As(c.Publishable)).
		Text("data.request_id")
	storetest.Eventually(c.t, "the code is in the mailbox", func() bool {
		mailbox := c.DoAdmin("GET", "/api/store/mailbox", nil)
		for i := range mailbox.Len("data") {
			if message := fmt.Sprintf("data.%d.", i); mailbox.Text(message+"to") == address {
				code = sixDigits.FindString(mailbox.Text(message + "text"))
				return true
			}
		}
		return false
	})
	return request, code
}

// signInCustomer signs a new customer in and returns the customer token.
func (c *routeWalk) signInCustomer() string {
	c.t.Helper()
	request, code := c.requestLogin()
	return c.OK(200, "POST", "/v2/auth/passwordless/confirm", map[string]string{"request_id": request, "code": code},
		apitest.As(c.Publishable)).Text("data.token")
}
