package app

import (
	"context"
	"net"
	"net/http"
	"slices"

	"vitrine/internal/api/adminapi"
	"vitrine/internal/api/adminui"
	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/app/profile"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/address"
	"vitrine/internal/shop/catalog/pricelist"
)

// newAdmin creates the server of the administration: the JSON API, the pages, the routes for operations and the
// profiles.
func (a *App) newAdmin(deps httpapi.Deps, version, public string) (*httpapi.Server, error) {
	adminURL, err := configuredURL("--admin-url", a.cfg.AdminURL)
	if err != nil {
		return nil, err
	}

	api := adminapi.New(adminapi.Deps{Protection: a.Protection, Access: a.Access, Accounts: a.Accounts,
		Exchange: a.Exchange, OneC: a.OneC, Notify: a.Notify, Webhooks: a.Webhooks, AdminURL: adminURL}).Routes()
	document, err := openapi.NewDocumentWithoutStart(adminapi.About(version), api)
	if err != nil {
		return nil, err
	}

	pages := adminui.New(adminui.Deps{DB: a.DB, Stores: a.Stores, Protection: a.Protection, Access: a.Access,
		Accounts: a.Accounts, Audit: a.Audit, Exchange: a.Exchange, OneC: a.OneC, Notify: a.Notify,
		Mailing: a.mailing, Webhooks: a.Webhooks, Orders: a.orders, Inquiries: a.inquiries,
		Customers: a.Customers, Catalog: a.Catalog, Prices: pricelist.New(a.Catalog.Core()), Search: a.search,
		Addresses: address.New(a.Now), Feeds: a.feeds,
		Images: a.Images, Bulk: a.Bulk, Queue: a.Queue, Privacy: a.Privacy, Live: a.live,
		PublicURL: public, AdminURL: adminURL, APIURL: a.apiURL, Now: deps.Now, NoBackground: a.cfg.NoBackground})
	profiles := profile.New(a.mayReadMetrics, a.stopping.Load)
	deps.Authenticate, deps.Guard, deps.ProblemPage = a.byKeyOrSession, sameOrigin(), pages.Problem

	return httpapi.NewServer(deps, slices.Concat(api, document.Routes(), pages.Routes(), a.operations(),
		profiles.Routes())), nil
}

// apiURL returns the address of the API for a client of the administration: --public-url or, without it, the host by
// which the request reached the administration, with the port of the API.
func (a *App) apiURL(r *http.Request) string {
	if public, err := publicURL(a.cfg.PublicURL); err == nil && public != "" {
		return public
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	if len(a.listeners) > 0 {
		if _, port, err := net.SplitHostPort(a.listeners[0].Addr().String()); err == nil {
			host = net.JoinHostPort(host, port)
		}
	}
	return "http://" + host
}

// byKeyOrSession authenticates a request by its bearer token or, if it has none, by the session cookie of an operator.
// Publishable keys, customer tokens and exchange tokens are refused, even if they have the required scope.
func (a *App) byKeyOrSession(ctx context.Context, r *http.Request) (access.Principal, error) {
	token, ok := httpapi.Bearer(r)
	if !ok {
		if token, ok = frame.SessionToken(r); ok {
			return a.Accounts.Sessions.Authenticate(ctx, token)
		}
		return access.Principal{}, fault.New(fault.Unauthenticated, httpapi.CredentialRequired,
			"Send a secret key with the header Authorization: Bearer sk_…, or sign in at /login.")
	}
	p, err := a.byToken(ctx, token)
	if err == nil && p.Kind != access.SecretKey {
		return access.Principal{}, fault.New(fault.Denied, "forbidden",
			"The administration takes secret keys (sk_…) and operators who signed in, nothing else.")
	}
	return p, err
}

// sameOrigin returns a check that refuses requests sent by a page of another site, since the browser adds the session
// cookie to them. Requests without the headers Origin and Sec-Fetch-Site do not come from a browser and pass.
func sameOrigin() func(*http.Request) error {
	protection := http.NewCrossOriginProtection()
	return func(r *http.Request) error {
		if err := protection.Check(r); err != nil {
			return fault.New(fault.Denied, "cross_origin", "This request comes from the page of another site; "+
				"only those of this address may change something here.").Because(err)
		}
		return nil
	}
}
