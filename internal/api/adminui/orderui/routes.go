// Package orderui serves the pages of orders, inquiries and customers.
package orderui

import (
	"embed"
	"net/url"
	"strconv"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/inquiry"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/privacy"
	"vitrine/internal/shop/webhook"
)

//go:embed templates/*.html
var templates embed.FS

// Deps are the services that the pages use.
type Deps struct {
	*frame.Frame
	Orders    *order.Service
	Inquiries *inquiry.Service
	Customers *customer.Service
	Webhooks  *webhook.Service
	Privacy   *privacy.Service
	Prices    *pricelist.Service
	Catalog   *catalog.Service
}

// UI serves the pages. It is safe for concurrent use.
type UI struct {
	Deps
	pages *frame.Pages
}

// New returns the pages. It panics if a template is invalid.
func New(d Deps) *UI { return &UI{Deps: d, pages: d.NewPages("orderui", templates, nil)} }

// Routes returns the routes of the pages. Inquiries are changed with the scope of orders.
func (ui *UI) Routes() []httpapi.Route {
	read, write := access.OrdersRead, access.OrdersWrite
	s := several{ui}
	return []httpapi.Route{
		frame.Page("GET", "/orders", read, ui.ordersPage),
		frame.Download("/orders.csv", read, ui.exportOrders(frame.CSV)),
		frame.Download("/orders.xlsx", read, ui.exportOrders(frame.XLSX)),
		frame.Page("GET", "/orders/print", read, s.showLogged("orders_print", audit.OrdersPrinted, s.printView)),
		frame.Page("GET", "/orders/picking-list", read,
			s.showLogged("orders_picking", audit.OrdersPrinted, s.pickingView)),
		frame.Page("GET", "/orders/confirm", write, s.showTicked("order_changes", s.severalView(order.Confirmed))),
		frame.LongAction("/orders/confirm", write, s.changeSeveral(order.Confirmed)),
		frame.LongAction("/orders/unconfirm", write, s.unconfirmSeveral),
		frame.Page("GET", "/orders/complete", write, s.showTicked("order_changes", s.severalView(order.Completed))),
		frame.LongAction("/orders/complete", write, s.changeSeveral(order.Completed)),
		frame.Page("GET", "/orders/cancel", write, s.showTicked("order_changes", s.severalView(order.Cancelled))),
		frame.LongAction("/orders/cancel", write, s.changeSeveral(order.Cancelled)),
		frame.Page("GET", "/orders/new", write, ui.newOrderPage),
		frame.Page("POST", "/orders/new", write, ui.enterOrder),
		frame.Page("GET", "/orders/{id}", read, ui.orderPage),
		frame.Page("GET", "/orders/{id}/print", read, ui.printPage),
		frame.Page("POST", "/orders/{id}/update", write, ui.updateOrder),
		frame.Page("GET", "/orders/{id}/edit", write, ui.editPage),
		frame.Page("POST", "/orders/{id}/edit", write, ui.editOrder),
		frame.Page("GET", "/orders/{id}/confirm", write, ui.transitionPage(order.Confirmed)),
		frame.Page("POST", "/orders/{id}/confirm", write, ui.change(order.Confirmed)),
		frame.Page("GET", "/orders/{id}/complete", write, ui.transitionPage(order.Completed)),
		frame.Page("POST", "/orders/{id}/complete", write, ui.change(order.Completed)),
		frame.Page("GET", "/orders/{id}/cancel", write, ui.transitionPage(order.Cancelled)),
		frame.Page("POST", "/orders/{id}/cancel", write, ui.change(order.Cancelled)),
		frame.Page("POST", "/orders/{id}/unconfirm", write, ui.unconfirm),
		frame.Page("POST", "/orders/{id}/reopen", write, ui.reopen),

		frame.Page("GET", "/inquiries", access.InquiriesRead, ui.inquiriesPage),
		frame.Page("GET", "/inquiries/{id}", access.InquiriesRead, ui.inquiryPage),
		frame.Page("POST", "/inquiries/{id}/take", write, ui.handle(takeInquiry)),
		frame.Page("POST", "/inquiries/{id}/done", write, ui.handle(finishInquiry)),
		frame.Page("POST", "/inquiries/{id}/reopen", write, ui.handle(reopenInquiry)),
		frame.Page("POST", "/inquiries/{id}/note", write, ui.saveNote),

		frame.Page("GET", "/customers", access.CustomersRead, ui.customersPage),
		frame.Download("/customers.csv", access.CustomersRead, ui.exportCustomers(frame.CSV)),
		frame.Download("/customers.xlsx", access.CustomersRead, ui.exportCustomers(frame.XLSX)),
		frame.Page("GET", "/customers/{id}", access.CustomersRead, ui.pages.Show("customer", ui.customerView)),
		frame.Page("POST", "/customers/{id}/group", access.CustomersWrite, ui.moveToGroup),
		frame.Page("POST", "/customers/{id}/note", access.CustomersWrite, ui.saveCustomerNote),
		frame.Page("GET", "/customers/{id}/merge", access.CustomersWrite, merging{ui}.mergePage),
		frame.Page("POST", "/customers/{id}/merge", access.CustomersWrite, merging{ui}.mergeCustomers),
		// Only owners have this scope.
		frame.Page("GET", "/customers/erase", access.StoreWrite, ui.erasePage),
		frame.LongAction("/customers/erase", access.StoreWrite, ui.erase),
		frame.Download("/customers/export", access.StoreWrite, ui.exportPerson),
	}
}

// rowsPerPage is the number of rows of a page of a list.
const rowsPerPage = 50

// versionField returns the precondition that the object of a form has the version with which the form was rendered.
func versionField(r *httpapi.Request) fault.Precondition {
	want, err := strconv.ParseInt(r.PostForm.Get("version"), 10, 64)
	if err != nil {
		r.Fail(fault.New(fault.Malformed, "malformed_form", "The form is incomplete. Open the page again."))
	}
	return func(version int64) bool { return version == want }
}

// versionFields are the fields of a form that checks the version.
func versionFields(version int64) url.Values {
	return url.Values{"version": {strconv.FormatInt(version, 10)}}
}

// bounded formats a count that stands for any larger number if it is more than most: "1,000+".
func bounded(l *frame.Language, n, most int64) string {
	if n > most {
		return l.Number(most) + "+"
	}
	return l.Number(n)
}
