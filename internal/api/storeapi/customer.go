package storeapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/schema"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// listCustomers lists the customers of the store for its administrators.
func (api *API) listCustomers(w http.ResponseWriter, r *httpapi.Request) error {
	search := r.Query.SearchText()
	period := r.Query.Period()
	dates := r.Dates()
	f := customer.Filter{People: customer.SignedIn, Search: search, From: period.From, Before: period.Before}
	return httpapi.RespondList(w, r, httpapi.Filtered(f, api.customers.Customers),
		httpapi.AsJSON(func(c *customer.Customer) spec.Customer { return groupedCustomerOf(c, dates) }))
}

func (api *API) showCustomer(w http.ResponseWriter, r *httpapi.Request) error {
	return api.readCustomer(w, r, httpapi.PathID[access.Customer](r, "id", "customer"))
}

// showMe responds with the customer who is signed in.
func (api *API) showMe(w http.ResponseWriter, r *httpapi.Request) error {
	return api.readCustomer(w, r, r.Principal.CustomerID)
}

func (api *API) readCustomer(w http.ResponseWriter, r *httpapi.Request, customerID customer.ID) error {
	r.Query.Extras()
	return r.Read(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		c, err := api.customers.Customer(ctx, tx, customerID)
		return respondCustomer(r, out, &c, err)
	})
}

// editMe changes the profile of the customer who is signed in.
func (api *API) editMe(w http.ResponseWriter, r *httpapi.Request) error {
	e := readBody(r, readProfile)
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		c, err := api.customers.EditCustomer(ctx, tx, r.Principal.CustomerID, e, r.IfMatch())
		return respondCustomer(r, out, &c, err)
	})
}

// editCustomer puts a customer into a group, or into none.
func (api *API) editCustomer(w http.ResponseWriter, r *httpapi.Request) error {
	customerID := httpapi.PathID[access.Customer](r, "id", "customer")
	e := readBody(r, readCustomerEdit)
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		c, err := api.customers.EditCustomer(ctx, tx, customerID, e, r.IfMatch())
		return respondCustomer(r, out, &c, err)
	})
}

// readCustomerEdit reads the group of a customer. It ignores the members of the profile, so that a client may send back
// a customer it has read.
func readCustomerEdit(r *wire.Reader) (e customer.Edit) {
	r.Object(func(name string) {
		if name != "group_id" {
			return
		}
		if r.Null() {
			e.GroupID = &access.GroupID{}
			return
		}
		e.GroupID = wire.OrNil(wire.ID[access.CustomerGroup](r))
	})
	return e
}

// readProfile reads an edit of a profile. It ignores read-only members (the login addresses, the dates), so that a
// client may send back a profile it has read.
func readProfile(r *wire.Reader) (e customer.Edit) {
	r.Object(func(name string) {
		switch name {
		case "name":
			e.Name = formTextEdit(readFormText(r, rule.MaxName, singleLine))
		case "email":
			e.Email = formTextEdit(readContact(r, contact.CheckEmail))
		case "phone":
			e.Phone = formTextEdit(readContact(r, contact.CheckPhone))
		}
	})
	return e
}

// respondCustomer writes a customer with its ETag. The argument failure is the error of the use case: if it is not nil,
// respondCustomer returns it and writes nothing.
func respondCustomer(r *httpapi.Request, out *httpapi.Response, c *customer.Customer, failure error) error {
	if failure == nil {
		shape := customerOf
		if r.Principal.Kind == access.SecretKey {
			shape = groupedCustomerOf
		}
		out.WriteResource(c.Version, shape(c, r.Dates()))
	}
	return failure
}

func customerOf(c *customer.Customer, dates *locale.Dates) spec.Customer {
	shape := spec.Customer{
		ID: schema.ID(c.ID), Email: schema.OrNull(c.Email), Phone: schema.OrNull(c.Phone),
		Login:     spec.CustomerLogin{Email: schema.OrNull(c.LoginEmail), Phone: schema.OrNull(c.LoginPhone)},
		CreatedAt: schema.NewDate(c.CreatedAt, dates), UpdatedAt: schema.NewDate(c.UpdatedAt, dates),
	}
	if c.Name != "" {
		shape.Name = schema.NotNull(c.Name)
	}
	return shape
}

// groupedCustomerOf is customerOf with the group of the customer.
func groupedCustomerOf(c *customer.Customer, dates *locale.Dates) spec.Customer {
	shape := customerOf(c, dates)
	shape.GroupID = &schema.Nullable[schema.ID]{}
	if c.GroupID != nil {
		*shape.GroupID = schema.NotNull(schema.ID(*c.GroupID))
	}
	return shape
}
