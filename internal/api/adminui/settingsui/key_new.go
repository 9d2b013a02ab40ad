package settingsui

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/store"
)

type keyForm struct {
	Kind access.Kind
	Name string
	// Restricted limits the key to the scopes in Selected; otherwise the key has all scopes.
	Restricted  bool
	Selected    []string
	ExpiresDays int
	// Scopes are what a program may do, and Entities what accounting may send. Extras are what accounting may do
	// beside that; they are never part of everything.
	Scopes, Entities, Extras []scopeChoice
	// Limited limits an exchange token to the members of products in Owned: the ticked elements of Members.
	Limited bool
	Owned   []string
	Members []memberChoice
	// Group is the id of the customer group whose prices the visitors of a site get, or "". Groups are the choices.
	Group  string
	Groups []pricelist.Group
	Errors frame.FieldErrors
}

// scopeChoice is something that a key may do, in words.
type scopeChoice struct {
	Value  access.Scope
	Text   string
	Chosen bool
}

// memberChoice is a member of products that accounting may write, in words.
type memberChoice struct {
	Value, Text string
	Chosen      bool
}

// memberChoices returns the members to choose from, in the language of the page.
func (f keyForm) memberChoices(l *frame.Language) (choices []memberChoice) {
	for _, one := range productfield.Fields {
		choices = append(choices, memberChoice{one.Name, l.T(one.Plural), slices.Contains(f.Owned, one.Name)})
	}
	return choices
}

// scopeChoices returns the choices of a form in the language of the page.
func (f keyForm) scopeChoices(l *frame.Language, scopes access.Scopes) (choices []scopeChoice) {
	for _, s := range scopes {
		choices = append(choices, scopeChoice{s, scopeName(l, s), slices.Contains(f.Selected, string(s))})
	}
	return choices
}

// ExpiryChoices returns the lifetimes to choose from, in days; 0 means that the key does not expire.
func (f keyForm) ExpiryChoices() []int { return []int{0, 7, 30, 90, 365} }

func (ui keyUI) newKeyPage(w http.ResponseWriter, r *httpapi.Request) error {
	groups, err := ui.readGroups(r)
	if err != nil {
		return err
	}
	form := keyForm{Kind: access.SecretKey, Groups: groups}
	return ui.pages.Render(w, http.StatusOK, "key_new", ui.keyFormView(r, form))
}

// readGroups returns the customer groups of the store.
func (ui keyUI) readGroups(r *httpapi.Request) ([]pricelist.Group, error) {
	return frame.InStore(r, ui.Read(r), func(ctx context.Context, tx store.Tx) ([]pricelist.Group, error) {
		groups, _, err := ui.Prices.Groups.List(ctx, tx, "", pricelist.MaxGroups, 0)
		return groups, err
	})
}

func (ui keyUI) keyFormView(r *httpapi.Request, form keyForm) frame.View {
	l := ui.pages.Language(r)
	form.Scopes = form.scopeChoices(l, access.APIScopes())
	form.Entities = form.scopeChoices(l, access.EntityScopes())
	form.Extras = form.scopeChoices(l, access.Scopes{access.ExchangeRead, access.ExchangeOrders})
	form.Members = form.memberChoices(l)
	return ui.keyView(r, "New key", form)
}

func (ui keyUI) createKey(w http.ResponseWriter, r *httpapi.Request) error {
	if frame.ParseForm(r); r.Err() != nil {
		return r.Err()
	}

	form := readKeyForm(r)
	form.Groups, _ = ui.readGroups(r) // a refused form is worth more than its list of groups
	if form.Restricted && len(form.Selected) == 0 && form.Kind != access.PublishableKey {
		form.Errors = frame.FieldErrors{"scopes": {ui.pages.Language(r).T("Tick at least one, or choose everything.")}}
		return ui.rejectKeyForm(w, r, form)
	}

	if form.Limited && len(form.Owned) == 0 && form.Kind == access.ExchangeToken {
		form.Errors = frame.FieldErrors{"members": {ui.pages.Language(r).T("Tick at least one, or choose everything.")}}
		return ui.rejectKeyForm(w, r, form)
	}

	requested := form.newKey(ui.Now())
	issued, err := frame.IssueCredential(ui.Frame, w, r, func(ctx context.Context, tx store.Tx) (issuedKey, error) {
		key, token, err := ui.Access.CreateKey(ctx, tx, requested)
		return issuedKey{keyRow: ui.keyRow(r, key), Token: token}, err
	})
	if fault.KindOf(err) == fault.Invalid {
		form.Errors = frame.NewFieldErrors(ui.pages.Language(r), err, map[string][]string{"scopes": requested.Scopes})
		return ui.rejectKeyForm(w, r, form)
	}

	if err != nil {
		return err
	}

	return ui.pages.Render(w, http.StatusCreated, "key_issued", ui.keyView(r, "Key created", issued))
}

func (ui keyUI) rejectKeyForm(w http.ResponseWriter, r *httpapi.Request, form keyForm) error {
	v := ui.keyFormView(r, form)
	return ui.pages.Reject(w, "key_new", v, v.T("No key was created: look at the marked fields."))
}

func readKeyForm(r *httpapi.Request) keyForm {
	f := keyForm{Kind: access.Kind(r.PostForm.Get("kind")), Name: strings.TrimSpace(r.PostForm.Get("name")),
		Restricted: r.PostForm.Get("access") == "some"}
	// The form has a list of scopes and two of accounting. The kind decides which of them count.
	f.Selected = r.PostForm["scopes"]
	if f.Kind == access.ExchangeToken {
		f.Selected = slices.Concat(r.PostForm["entities"], r.PostForm["extras"])
	}
	f.Limited = r.PostForm.Get("ownership") == "some"
	f.Owned = r.PostForm["members"]
	f.Group = r.PostForm.Get("group")
	f.ExpiresDays, _ = strconv.Atoi(r.PostForm.Get("expires_days"))
	return f
}

// newKey returns the key that the form requests.
func (f keyForm) newKey(now time.Time) access.NewKey {
	n := access.NewKey{Kind: f.Kind, Name: f.Name}

	switch {
	case f.Kind == access.PublishableKey:
	case f.Restricted:
		n.Scopes = append([]string{}, f.Selected...) // not nil: nil would mean all scopes
	case f.Kind == access.ExchangeToken:
		n.Scopes = append([]string{string(access.Everything)}, f.Selected...)
	}

	if f.Limited && f.Kind == access.ExchangeToken {
		n.Members = append([]string{}, f.Owned...) // not nil, as above
	}
	if f.Group != "" && f.Kind == access.PublishableKey {
		groupID, _ := id.Parse[access.CustomerGroup](f.Group) // no group has the zero id
		n.GroupID = &groupID
	}
	if f.ExpiresDays != 0 {
		n.ExpiresAt = new(now.AddDate(0, 0, f.ExpiresDays))
	}
	return n
}

// issuedKey is the data of the page that shows a new token. No other page shows it.
type issuedKey struct {
	keyRow
	Token string
	// Replaced is the key that was rotated, or nil for a key that replaces no other.
	Replaced *keyRow
}
