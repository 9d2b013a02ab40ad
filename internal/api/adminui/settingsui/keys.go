package settingsui

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

// keyUI serves the pages of the keys.
type keyUI struct{ *UI }

// keyList is the data of the page that lists the keys. Both lists begin with the newest key.
type keyList struct{ Active, Inactive []keyRow }

type keyRow struct {
	access.Key
	State frame.State
	// KindName and ScopeNames say in words for whom the key is and what it may do.
	KindName   string
	ScopeNames []string
	// MemberNames are the members of products that accounting writes; none if it writes all.
	MemberNames []string
	// Expiry is nil if the key never expires. Ended is nil if the key is active. LastUsed is nil if it was never used.
	Expiry, Ended, LastUsed *frame.Timestamp
}

// MaskedToken returns the prefix and the last characters of the token. The whole token is shown only at its creation.
func (k keyRow) MaskedToken() string {
	prefix, end, found := strings.Cut(k.Hint, "_")
	if !found {
		return k.Hint
	}
	return prefix + "_…" + end
}

// expiryWarning is how long before its expiry a key is marked as ending soon.
const expiryWarning = 7 * 24 * time.Hour

func (ui keyUI) keyRow(r *httpapi.Request, k access.Key) keyRow {
	at := func(t *time.Time) *frame.Timestamp { return ui.pages.NewOptionalTimestamp(r, t) }
	l := ui.pages.Language(r)
	row := keyRow{Key: k, State: frame.State{Code: "good", Text: l.T("Active")}, KindName: kindName(l, k.Kind),
		Expiry: at(k.ExpiresAt), LastUsed: at(k.LastUsedAt)}
	for _, scope := range k.Scopes {
		row.ScopeNames = append(row.ScopeNames, keyScopeName(l, k.Kind, scope))
	}

	for _, f := range k.Members.Fields() {
		row.MemberNames = append(row.MemberNames, l.T(f.Plural))
	}

	switch now := ui.Now(); {
	case k.RevokedAt != nil:
		row.State, row.Ended = frame.State{Code: "off", Text: l.T("Revoked")}, at(k.RevokedAt)
	case !k.Active(now):
		row.State = frame.State{Code: "off", Text: l.T("Expired")}
		row.Ended = row.Expiry
	case k.ExpiresAt != nil && k.ExpiresAt.Sub(now) < expiryWarning:
		row.State = frame.State{Code: "warn", Text: l.T("Ends soon")}
	}

	return row
}

func (ui keyUI) keysPage(w http.ResponseWriter, r *httpapi.Request) error {
	keys, err := frame.InStore(r, ui.Read(r), ui.Access.Keys)
	if err != nil {
		return err
	}
	var list keyList
	for _, k := range slices.Backward(keys) {
		if k.Active(ui.Now()) {
			list.Active = append(list.Active, ui.keyRow(r, k))
		} else {
			list.Inactive = append(list.Inactive, ui.keyRow(r, k))
		}
	}
	return ui.pages.Render(w, http.StatusOK, "keys", ui.pages.NewView(r, "Keys", "settings", list))
}

// keyFromPath returns the key whose id is in the path, or fault.NotFound if the store has no such key.
func (ui keyUI) keyFromPath(r *httpapi.Request) (access.Key, error) {
	keyID := keyIDFromPath(r)
	return frame.InStore(r, ui.Read(r), func(ctx context.Context, tx store.Tx) (access.Key, error) {
		return ui.findKey(ctx, tx, keyID)
	})
}

func keyIDFromPath(r *httpapi.Request) access.KeyID {
	return httpapi.PathID[access.Key](r, "id", "key")
}

// findKey returns a key of the store, or fault.NotFound. It reads all keys of the store, because a store has only a
// few.
func (ui keyUI) findKey(ctx context.Context, tx store.Tx, keyID access.KeyID) (access.Key, error) {
	keys, err := ui.Access.Keys(ctx, tx)
	if err != nil {
		return access.Key{}, err
	}
	i := slices.IndexFunc(keys, func(k access.Key) bool { return k.ID == keyID })
	if i < 0 {
		return access.Key{}, fault.Missing("key")
	}
	return keys[i], nil
}

// keyView returns the data of a page about one key.
func (ui keyUI) keyView(r *httpapi.Request, title string, body any) frame.View {
	v := ui.pages.NewView(r, title, "settings", body)
	v.Crumbs = []frame.Link{{Text: v.T("Keys"), URL: "/keys"}}
	return v
}

func (ui keyUI) revokeKeyPage(r *httpapi.Request) (frame.View, error) {
	key, err := ui.keyFromPath(r)
	return ui.keyView(r, "Revoke the key", ui.keyRow(r, key)), err
}

func (ui keyUI) revokeKey(w http.ResponseWriter, r *httpapi.Request) error {
	keyID := keyIDFromPath(r)
	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (none struct{}, err error) {
		return none, ui.Access.RevokeKey(ctx, tx, keyID)
	})
	return ui.Done(w, r, err, "/keys", ui.pages.Language(r).T("The key is revoked and does not work any more."))
}
