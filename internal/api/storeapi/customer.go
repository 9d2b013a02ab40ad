package storeapi

import (
	"context"
	"io"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/store"
)

// listCustomers lists the customers of the store for its administrators.
func (api *API) listCustomers(w http.ResponseWriter, r *httpapi.Request) error {
	var f customer.Filter
	var err error
	if f.Search, err = r.SearchText(); err != nil {
		return err
	}
	period, err := r.Period()
	if err != nil {
		return err
	}
	f.From, f.Before = period.From, period.Before
	dates := r.Dates()
	return httpapi.RespondListOf(w, r,
		func(ctx context.Context, tx store.Tx, limit, offset int64) ([]customer.Customer, int64, error) {
			return api.customers.Customers(ctx, tx, f, limit, offset)
		}, func(c *customer.Customer) spec.Customer { return customerOf(c, dates) })
}

func (api *API) showCustomer(w http.ResponseWriter, r *httpapi.Request) error {
	customerID, err := httpapi.PathID[access.Customer](r, "id", "customer")
	if err != nil {
		return err
	}
	return api.readCustomer(w, r, customerID)
}

// showMe responds with the customer who is signed in.
func (api *API) showMe(w http.ResponseWriter, r *httpapi.Request) error {
	return api.readCustomer(w, r, r.Principal.CustomerID)
}

func (api *API) readCustomer(w http.ResponseWriter, r *httpapi.Request, customerID customer.ID) error {
	if _, err := r.Extras(); err != nil {
		return err
	}
	return r.Read(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		c, err := api.customers.Customer(ctx, tx, customerID)
		if err == nil {
			respondCustomer(r, out, &c)
		}
		return err
	})
}

// editMe changes the profile of the customer who is signed in.
func (api *API) editMe(w http.ResponseWriter, r *httpapi.Request) error {
	body, e, err := readBody(r, readProfile)
	if err != nil {
		return err
	}
	defer body.Close()
	return r.Write(w, body, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		c, err := api.customers.EditCustomer(ctx, tx, r.Principal.CustomerID, e, r.IfMatch())
		if err == nil {
			respondCustomer(r, out, &c)
		}
		return err
	})
}

// readProfile reads an edit of a profile. It ignores read-only members (the login addresses, the dates), so that a
// client may send back a profile it has read.
func readProfile(body io.Reader) (customer.Edit, error) {
	var e customer.Edit
	r := wire.NewReader(body)
	err := r.Document(func(name string) {
		var s string
		switch name {
		case "name":
			s, _ = readFormText(r, wire.MaxName, singleLine)
			e.Name = &s
		case "email":
			s, _ = readContact(r, contact.CheckEmail)
			e.Email = &s
		case "phone":
			s, _ = readContact(r, contact.CheckPhone)
			e.Phone = &s
		}
	})
	return e, err
}

// respondCustomer writes a customer with its ETag to the response.
func respondCustomer(r *httpapi.Request, out *httpapi.Response, c *customer.Customer) {
	out.ETag = httpapi.ETag(c.Version)
	out.WriteData(customerOf(c, r.Dates()))
}

func customerOf(c *customer.Customer, dates *locale.Dates) spec.Customer {
	shape := spec.Customer{
		ID: openapi.ID(c.ID), Email: openapi.OrNull(c.Email), Phone: openapi.OrNull(c.Phone),
		Login:     spec.CustomerLogin{Email: openapi.OrNull(c.LoginEmail), Phone: openapi.OrNull(c.LoginPhone)},
		CreatedAt: openapi.NewDate(c.CreatedAt, dates), UpdatedAt: openapi.NewDate(c.UpdatedAt, dates),
	}
	if c.Name != "" {
		shape.Name = openapi.NotNull(c.Name)
	}
	return shape
}
