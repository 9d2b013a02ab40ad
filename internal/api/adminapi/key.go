package adminapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

const keysPath = "/api/store/keys"

func (api *API) keys(w http.ResponseWriter, r *httpapi.Request) error {
	dates := r.Dates()
	return respondShortList(w, r, api.access.Keys, func(k *access.Key) Key { return renderKey(*k, dates) })
}

func (api *API) key(w http.ResponseWriter, r *httpapi.Request) error {
	keyID := keyInPath(r)
	return r.Read(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		key, err := api.findKey(ctx, tx, keyID)
		if err != nil {
			return err
		}
		out.WriteResource(keyVersion(key), renderKey(key, r.Dates()))
		return nil
	})
}

func (api *API) createKey(w http.ResponseWriter, r *httpapi.Request) error {
	requested := httpapi.ReadJSON(r, readNewKey)
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		key, token, err := api.access.CreateKey(ctx, tx, requested)
		if err != nil {
			return err
		}
		return writeNewKey(r, out, key, token)
	})
}

func (api *API) rotateKey(w http.ResponseWriter, r *httpapi.Request) error {
	keyID, overlap := keyInPath(r), access.DefaultOverlap
	r.DecodeOptionalJSON(func(in *wire.Reader) {
		in.Object(func(name string) {
			if name != "overlap_hours" || in.Null() {
				return
			}
			// The limit of six digits prevents an overflow of the duration. RotateKey checks the range.
			if hours, ok := in.Fixed(0, 6); ok {
				overlap = time.Duration(hours) * time.Hour
			}
		})
	})
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		key, token, err := api.access.RotateKey(ctx, tx, keyID, overlap)
		if err != nil {
			return renameOverlapField(err)
		}
		return writeNewKey(r, out, key, token)
	})
}

func (api *API) revokeKey(w http.ResponseWriter, r *httpapi.Request) error {
	keyID := keyInPath(r)
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		if matches := r.IfMatch(); matches != nil {
			key, err := api.findKey(ctx, tx, keyID)
			if err != nil {
				return err
			}
			if !matches(keyVersion(key)) {
				return fault.VersionChanged()
			}
		}
		out.Status = http.StatusNoContent
		return api.access.RevokeKey(ctx, tx, keyID)
	})
}

func keyInPath(r *httpapi.Request) access.KeyID { return httpapi.PathID[access.Key](r, "id", "key") }

// findKey returns a key of the store. It reads all keys of the store, because a store has only a few.
func (api *API) findKey(ctx context.Context, tx store.Tx, keyID access.KeyID) (access.Key, error) {
	keys, err := api.access.Keys(ctx, tx)
	if err != nil {
		return access.Key{}, err
	}
	if i := slices.IndexFunc(keys, func(k access.Key) bool { return k.ID == keyID }); i >= 0 {
		return keys[i], nil
	}
	return access.Key{}, fault.Missing("key")
}

// checkNewKeyScopes refuses a new key whose scopes exceed those of the key that creates it. Otherwise a key with the
// scope keys:manage could get every other scope. It is called after the key was inserted, when its scopes are known;
// the error rolls the transaction back.
func checkNewKeyScopes(p access.Principal, created access.Key) error {
	if p.Kind != access.SecretKey {
		return nil
	}
	needed := created.Scopes
	switch created.Kind {
	case access.PublishableKey:
		return nil // a publishable key allows only what every visitor of the store may do
	case access.ExchangeToken:
		needed = access.Scopes{access.CatalogWrite} // the scopes of an exchange token are names of catalogue entities
	}
	for _, scope := range needed {
		if !p.May(scope) {
			return fault.New(fault.Denied, "scope_exceeded",
				"A key cannot make one that may do more than itself; this one lacks the scope %s.", scope)
		}
	}
	return nil
}

// renameOverlapField renames the field overlap in a validation error to overlap_hours, its name in the API.
func renameOverlapField(err error) error {
	var f *fault.Error
	if errors.As(err, &f) && f.Kind == fault.Invalid {
		for i := range f.Fields {
			if f.Fields[i].Field == "overlap" {
				f.Fields[i].Field = "overlap_hours"
			}
		}
	}
	return err
}

// keyVersion returns a version for the ETag of a key. It changes when a request sets the expiry or revokes the key, but
// not when the key is used.
func keyVersion(k access.Key) int64 {
	version := k.CreatedAt.UnixMicro()
	for _, at := range []*time.Time{k.ExpiresAt, k.RevokedAt} {
		version *= 31
		if at != nil {
			version += at.UnixMicro()
		}
	}
	return version & (1<<63 - 1)
}
