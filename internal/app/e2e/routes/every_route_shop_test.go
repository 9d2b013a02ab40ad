package routes

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/bulk"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
)

// isShopPage reports whether a route is a page of orders, inquiries, customers or products, or the search.
func isShopPage(route httpapi.Route) bool {
	for _, prefix := range []string{"/orders", "/inquiries", "/customers", "/products", "/product-changes", "/pictures",
		"/search"} {
		if route.Path == prefix || strings.HasPrefix(route.Path, prefix+"/") ||
			strings.HasPrefix(route.Path, prefix+".") {
			return true
		}
	}
	return false
}

var picturePath = regexp.MustCompile(`/pictures/[^"]+`)

// renderedVersion finds the version with which the form of a page was rendered.
var renderedVersion = regexp.MustCompile(`name="version" value="(\d+)"`)

// shopPath returns the path of a shop page for a new entity in the state that the route needs.
func (c *routeWalk) shopPath(route httpapi.Route) string {
	c.t.Helper()
	resource, action, _ := strings.Cut(route.Path, "/{")
	_, action, _ = strings.Cut(action, "}")
	ids := map[string]string{}
	switch resource {
	case "/orders":
		if action == "" || action == "/print" || action == "/update" || action == "/edit" {
			action = "/confirm" // a submitted order has more than a cart
		}
		ids["id"], _ = c.createOrder(action)
	case "/orders/print", "/orders/picking-list", "/orders/confirm", "/orders/complete", "/orders/cancel":
		if route.Method == http.MethodGet {
			orderID, _ := c.createOrder("/complete") // a confirmed order
			return route.Path + "?id=" + orderID
		}
	case "/inquiries":
		ids["id"] = c.createFromBody("/v2/feedback")
		if action == "/reopen" {
			c.postForm("/inquiries/" + ids["id"] + "/take")
		}
	case "/customers":
		c.signInCustomer()
		ids["id"] = c.Get("/v2/customers").Text("data.0.id")
	case "/customers/export":
		c.signInCustomer()
		return route.Path + "?customer=" + c.Get("/v2/customers").Text("data.0.id")
	case "/products":
		ids = c.createShopProduct(route.Path)
	case "/products/values":
		return route.Path + "?kind=option&q=s&attribute=" + c.createFromBody("/v2/variant-options")
	case "/pictures":
		return picturePath.FindString(c.page("/products/" + c.createShopProduct(route.Path)["id"]))
	case "/product-changes":
		ids["id"] = c.createProductChange()
	case "/search":
		c.createOrder("/confirm")
		return route.Path + "?q=anna"
	}

	path := route.Path
	for name, value := range ids {
		path = strings.ReplaceAll(path, "{"+name+"}", value)
	}

	if strings.Contains(path, "{") {
		c.t.Fatalf("%s %s: the test cannot fill the parameters of %s; add them to routeWalk.shopPath", route.Method,
			route.Path, path)
	}

	return path
}

// createShopProduct creates a product in the state that a route needs, and returns the ids that its path names. The
// product has pictures if the route is about them.
func (c *routeWalk) createShopProduct(route string) map[string]string {
	c.t.Helper()
	productID, variant := c.createProduct()
	ids := map[string]string{"id": productID, "variant": variant}
	path := "/v2/products/" + productID
	switch {
	case strings.Contains(route, "image"):
		ids["image"] = c.createImage().Text("data.id")
		c.OK(200, "PUT", path, map[string]any{"images": []string{c.createImage().Text("data.id"), ids["image"]}})
	case strings.HasSuffix(route, "{variant}/restore"):
		c.OK(200, "POST", path+"/variants/"+variant+"/archive", nil)
	case strings.HasSuffix(route, "/restore"):
		c.OK(200, "POST", path+"/archive", nil)
	}
	return ids
}

// createProductChange archives a product by a change of many products, and returns the id of the change.
func (c *routeWalk) createProductChange() (changeID string) {
	c.t.Helper()
	text, _ := c.createProduct()
	productID, err := id.Parse[catalog.Product](text)
	if err != nil {
		c.t.Fatal(err)
	}

	c.Write(func(ctx context.Context, q database.Querier) error {
		tx := store.In(q, c.StoreID)
		p, err := c.App.Catalog.Products.Find(ctx, tx, productID, catalog.AnyArchived)
		if err != nil {
			return err
		}
		change, err := c.App.Bulk.Start(ctx, tx, bulk.Archive, bulk.Target{}, "Archive", []int64{p.Key})
		changeID = change.ID.String()
		return err
	})

	return changeID
}

// shopForm returns the form that a shop page sends to a path, with one field changed where a form must change
// something.
func (c *routeWalk) shopForm(path string) url.Values {
	c.t.Helper()
	parts := strings.Split(path, "/") // "", the resource, an id, the action
	entity := strings.Join(parts[:min(len(parts), 3)], "/")
	page := entity
	var changed url.Values

	switch resource, action := parts[1], parts[len(parts)-1]; {
	case path == "/orders/new":
		_, variant := c.createProduct()
		return url.Values{"contact.name": {c.newName()}, "found": {variant}, "found." + variant + ".quantity": {"1"}}
	case path == "/orders/unconfirm": // a form of the message after several confirmations
		orderID, _ := c.createOrder("/unconfirm")
		version := apitest.FormFields(c.t, c.page("/orders/"+orderID+"/complete"), "/orders/"+orderID+"/complete")
		parsed, err := id.Parse[order.Order](orderID)
		if err != nil {
			c.t.Fatal(err)
		}
		packed := base64.RawURLEncoding.EncodeToString(parsed[:])
		return url.Values{"orders": {packed + "." + version.Get("version")}}
	case resource == "orders" && action == "reopen": // a form of the order's page
	case resource == "orders" && action == "unconfirm": // a form of the message after a confirmation
		return apitest.FormFields(c.t, c.page(entity+"/complete"), entity+"/complete")
	case resource == "orders" && action == "update": // its first form marks the order as paid
	case resource == "orders" && action == "edit":
		page = path
		changed = url.Values{"comment": {c.newName()}}
	case resource == "orders" || action == "delete":
		page = path // it asks for a confirmation
	case action == "note":
		changed = url.Values{"note": {c.newName()}}
	case path == "/products/new":
		changed = url.Values{"name": {c.newName()}, "variant.0.price": {"5"}}
	case path == "/product-changes":
		productID, _ := c.createProduct()
		page = "/products"
		changed = url.Values{"id": {productID}, "action": {string(bulk.Archive)}}
	case path == "/products/download":
		c.createProduct() // it has no id in the exchange yet
		page = "/products"
		changed = url.Values{"format": {"csv"}}
	case path == "/product-changes/start":
		preview := c.DoAdmin("POST", "/product-changes", c.shopForm("/product-changes").Encode(), c.asOperator()...)
		return apitest.FormFields(c.t, string(preview.Body), path)
	case path == "/products/sheet":
		fields := apitest.FormFields(c.t, c.page(path), path)
		fields["text"][0] = c.newName()
		return fields
	case resource == "products" && path == entity:
		changed = url.Values{"name": {c.newName()}}
	case action == "remove":
		return url.Values{}
	case action == "order": // a script sends it
		list := c.Get("/v2" + entity + "?with=images")
		order := url.Values{}
		for i := list.Len("data.images") - 1; i >= 0; i-- {
			order.Add("image", list.Text(fmt.Sprintf("data.images.%d.id", i)))
		}
		return order
	}

	fields := apitest.FormFields(c.t, c.page(page), path)
	for name, values := range changed {
		fields[name] = values
	}

	return fields
}

func (c *routeWalk) newName() string { return fmt.Sprintf("new%d", c.requestCount) }

// pictureBody returns the form that uploads a picture.
func (c *routeWalk) pictureBody() string {
	c.t.Helper()
	return "--b\r\nContent-Disposition: form-data; name=file; filename=new.png\r\nContent-Type: image/png\r\n\r\n" +
		c.pngBody() + "\r\n--b--\r\n"
}

// asOperator returns the options of requests that send a form in the operator's session.
func (c *routeWalk) asOperator() []apitest.RequestOption {
	return []apitest.RequestOption{apitest.As(""), apitest.Header("Cookie", "__Host-vitrine="+c.session),
		apitest.Header("Content-Type", formType)}
}

// page returns a page of the administration as the operator sees it.
func (c *routeWalk) page(path string) string {
	c.t.Helper()
	page := c.DoAdmin("GET", path, nil, c.asOperator()...)
	if page.Status != http.StatusOK {
		c.t.Fatalf("GET %s: %d %s", path, page.Status, page.Body)
	}
	return string(page.Body)
}

// postForm sends the form of a shop page, which must succeed.
func (c *routeWalk) postForm(path string) {
	c.t.Helper()
	r := c.DoAdmin("POST", path, c.shopForm(path).Encode(), c.asOperator()...)
	if r.Status != http.StatusSeeOther {
		c.t.Fatalf("POST %s: %d %s", path, r.Status, r.Body)
	}
}
