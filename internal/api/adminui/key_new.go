package adminui

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
)

// keyForm is the form of a new key.
type keyForm struct {
	Kind access.Kind
	Name string
	// Some says that the key may do only what is ticked.
	Some        bool
	Ticked      []string
	ExpiresDays int
	Wrong       wrongs
}

// Scopes and Entities are what can be ticked.
func (f keyForm) Scopes() access.Scopes { return access.APIScopes() }

// Entities are those of exchange tokens.
func (f keyForm) Entities() access.Scopes { return access.EntityScopes() }

// Has reports whether a scope is ticked.
func (f keyForm) Has(s access.Scope) bool { return slices.Contains(f.Ticked, string(s)) }

// Lives are how long a key may live, in days; 0 is for ever.
func (f keyForm) Lives() []int { return []int{0, 7, 30, 90, 365} }

func (ui *UI) newKeyPage(w http.ResponseWriter, r *httpapi.Request) error {
	return ui.render(w, http.StatusOK, "key_new", ui.view(r, "New key", "keys", keyForm{Kind: access.SecretKey}))
}

func (ui *UI) createKey(w http.ResponseWriter, r *httpapi.Request) error {
	if err := readForm(w, r); err != nil {
		return err
	}
	form := readKeyForm(r)
	if form.Some && len(form.Ticked) == 0 && form.Kind != access.PublishableKey {
		form.Wrong = wrongs{"scopes": {"Tick at least one, or choose everything."}}
		return ui.keyFormAgain(w, r, form)
	}
	wrong, err := ui.confirm(w, r, r.PostForm.Get("password"))
	if err != nil {
		return err
	}
	if wrong != "" {
		form.Wrong = wrongs{"password": {wrong}}
		return ui.keyFormAgain(w, r, form)
	}
	wanted := form.key(ui.Now())
	made, err := ui.make(r, func(ctx context.Context, q database.Querier) (access.Key, string, error) {
		return ui.Access.CreateKey(ctx, q, r.Principal.Store.ID, wanted)
	})
	if fault.KindOf(err) == fault.Invalid {
		form.Wrong = wrongFields(err, map[string][]string{"scopes": wanted.Scopes})
		return ui.keyFormAgain(w, r, form)
	}
	if err != nil {
		return err
	}
	return ui.render(w, http.StatusCreated, "key_made", ui.view(r, "Key created", "keys", made))
}

func (ui *UI) keyFormAgain(w http.ResponseWriter, r *httpapi.Request, form keyForm) error {
	v := ui.view(r, "New key", "keys", form)
	v.Bad = "No key was made: look at the marked fields."
	return ui.render(w, http.StatusUnprocessableEntity, "key_new", v)
}

func readKeyForm(r *httpapi.Request) keyForm {
	f := keyForm{Kind: access.Kind(r.PostForm.Get("kind")), Name: strings.TrimSpace(r.PostForm.Get("name")), Some: r.PostForm.Get("access") == "some"}
	// Both lists are in the form; only that of the kind counts.
	f.Ticked = r.PostForm["scopes"]
	if f.Kind == access.ExchangeToken {
		f.Ticked = r.PostForm["entities"]
	}
	f.ExpiresDays, _ = strconv.Atoi(r.PostForm.Get("expires_days"))
	return f
}

// key is what the form asks for.
func (f keyForm) key(now time.Time) access.NewKey {
	n := access.NewKey{Kind: f.Kind, Name: f.Name}
	if f.Some && f.Kind != access.PublishableKey {
		n.Scopes = append([]string{}, f.Ticked...) // not nil: nothing ticked is not everything
	}
	if f.ExpiresDays != 0 {
		at := now.AddDate(0, 0, f.ExpiresDays)
		n.ExpiresAt = &at
	}
	return n
}

// madeKey is the body of the page that shows a token, once.
type madeKey struct {
	keyRow
	Token string
	// Old is the key that this one takes the place of.
	Old *keyRow
}

// make runs fn, which makes a key, in a transaction.
func (ui *UI) make(r *httpapi.Request, fn func(context.Context, database.Querier) (access.Key, string, error)) (made madeKey, err error) {
	err = ui.DB.Write(r.Context(), func(q database.Querier) error {
		key, token, err := fn(r.Context(), q)
		made = madeKey{keyRow: ui.row(r, key), Token: token}
		return err
	})
	return made, err
}
