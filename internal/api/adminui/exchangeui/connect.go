package exchangeui

import (
	"context"
	"net/http"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

// connectBody is the data of the page that says how to connect an accounting system.
type connectBody struct {
	// URL is the address of the store's API.
	URL string
	// Token is a new exchange token, or "" before one is made. No other page shows it.
	Token    string
	Entities []entityChoice
	// Tokens are the names of the exchange tokens that work.
	Tokens []string
	// Exports says that the new token may read exports, too.
	Exports bool
	Errors  frame.FieldErrors
}

// shownToken returns the token for the lines to paste.
func (b connectBody) shownToken() string {
	if b.Token == "" {
		return "xt_…"
	}
	return b.Token
}

// Curl returns a command that pushes a product. Its id is none that accounting has, so that it replaces no real one.
func (b connectBody) Curl() string {
	return "curl -X POST '" + b.URL + "/v2/sync-gate/products' \\\n" +
		"  -H 'Authorization: Bearer " + b.shownToken() + "' \\\n" +
		"  -H 'Content-Type: application/json' \\\n" +
		`  -d '{"payload": [{"id": "vitrine-test", "name": "T-shirt", "single_variant": true, "variant_price": 19.9}]}'`
}

// CurlFile returns a command that pushes a file.
func (b connectBody) CurlFile() string {
	return "curl -X POST '" + b.URL + "/v2/sync-gate/products' \\\n" +
		"  -H 'Authorization: Bearer " + b.shownToken() + "' \\\n" +
		"  -H 'Content-Type: application/x-ndjson' \\\n" +
		"  -T products.ndjson"
}

// Push returns a command that pushes a file with the program vitrine.
func (b connectBody) Push() string {
	return "VITRINE_EXCHANGE_TOKEN=" + b.shownToken() + " \\\n  vitrine push products.csv --to " + b.URL
}

// GateURL returns the address that pushes are sent to.
func (b connectBody) GateURL() string { return b.URL + "/v2/sync-gate/" }

func (ui *UI) connectPage(r *httpapi.Request) (frame.View, error) {
	body, err := ui.readConnectBody(r)
	return ui.connectView(r, body), err
}

func (ui *UI) readConnectBody(r *httpapi.Request) (body connectBody, err error) {
	keys, err := frame.InStore(r, ui.Read(r), func(ctx context.Context, tx store.Tx) ([]access.Key, error) {
		return ui.Access.Keys(ctx, tx)
	})
	for _, key := range keys {
		if key.Kind == access.ExchangeToken && key.Active(ui.Now()) {
			body.Tokens = append(body.Tokens, key.Name)
		}
	}
	body.URL, body.Entities = ui.APIURL(r.Request), entities(ui.pages.Language(r))
	return body, err
}

func (ui *UI) connectView(r *httpapi.Request, body connectBody) frame.View {
	v := ui.pages.NewView(r, "Connect accounting", "exchange", body)
	v.Crumbs = []frame.Link{{Text: v.T("Exchange"), URL: "/exchange"}}
	return v
}

// createToken makes an exchange token and shows the lines to paste with it.
func (ui *UI) createToken(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	body, err := ui.readConnectBody(r)
	if err != nil {
		return err
	}

	body.Exports = r.PostForm.Get("exports") != ""
	body.Token, err = ui.issueToken(w, r, ui.pages.Language(r).T("Accounting"), access.ExchangeRead, body.Exports)
	if fault.KindOf(err) == fault.Invalid {
		body.Errors = frame.NewFieldErrors(ui.pages.Language(r), err, nil)
		v := ui.connectView(r, body)
		return ui.pages.Reject(w, "connect", v, v.T("No token was made: look at the marked field."))
	}

	if err != nil {
		return err
	}

	return ui.pages.Render(w, http.StatusCreated, "connect", ui.connectView(r, body))
}

// issueToken makes an exchange token that may push all entities and, if it is allowed, has one more scope.
func (ui *UI) issueToken(
	w http.ResponseWriter, r *httpapi.Request, name string, extra access.Scope, allowed bool,
) (string, error) {
	scopes := access.Scopes{access.Everything}
	if allowed {
		scopes = append(scopes, extra)
	}
	return frame.IssueCredential(ui.Frame, w, r,
		func(ctx context.Context, tx store.Tx) (string, error) {
			_, token, err := ui.Access.CreateKey(ctx, tx,
				access.NewKey{Kind: access.ExchangeToken, Name: name, Scopes: scopes.Words()})
			return token, err
		})
}
