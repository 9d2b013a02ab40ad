package adminapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

const keysPath = "/api/store/keys"

func (api *API) keys(w http.ResponseWriter, r *httpapi.Request) error {
	page, err := r.Page()
	if err != nil {
		return err
	}
	return r.Read(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		keys, err := api.access.Keys(ctx, tx)
		if err != nil {
			return err
		}
		dates := r.Dates()
		writePage(out, page, keys, func(k access.Key) Key { return renderKey(k, dates) })
		return nil
	})
}

func (api *API) key(w http.ResponseWriter, r *httpapi.Request) error {
	keyID, err := keyInPath(r)
	if err != nil {
		return err
	}
	return r.Read(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		key, err := api.findKey(ctx, tx, keyID)
		if err != nil {
			return err
		}
		out.ETag = httpapi.ETag(keyVersion(key))
		out.WriteData(renderKey(key, r.Dates()))
		return nil
	})
}

func (api *API) createKey(w http.ResponseWriter, r *httpapi.Request) error {
	body, requested, err := httpapi.ReadJSON(r, httpapi.BodyLimit, readNewKey)
	if err != nil {
		return err
	}
	defer body.Close()
	return r.Write(w, body, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		key, token, err := api.access.CreateKey(ctx, tx, requested)
		if err != nil {
			return err
		}
		writeNewKey(r, out, key, token)
		return checkNewKeyScopes(r.Principal, key)
	})
}

func (api *API) rotateKey(w http.ResponseWriter, r *httpapi.Request) error {
	keyID, err := keyInPath(r)
	if err != nil {
		return err
	}
	body, overlap, err := readOverlap(r)
	if err != nil {
		return err
	}
	defer body.Close()
	return r.Write(w, body, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		key, token, err := api.access.RotateKey(ctx, tx, keyID, overlap)
		if err != nil {
			return renameOverlapField(err)
		}
		writeNewKey(r, out, key, token)
		return checkNewKeyScopes(r.Principal, key)
	})
}

func (api *API) revokeKey(w http.ResponseWriter, r *httpapi.Request) error {
	keyID, err := keyInPath(r)
	if err != nil {
		return err
	}
	return r.Write(w, r.NoBody(), false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
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

func keyInPath(r *httpapi.Request) (access.KeyID, error) {
	return httpapi.PathID[access.Key](r, "id", "key")
}

// findKey returns a key of the store. It reads all keys of the store, because a store has only a few.
func (api *API) findKey(ctx context.Context, tx store.Tx, keyID access.KeyID) (access.Key, error) {
	keys, err := api.access.Keys(ctx, tx)
	if err != nil {
		return access.Key{}, err
	}
	for _, key := range keys {
		if key.ID == keyID {
			return key, nil
		}
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
		return nil // it allows only what every visitor of the store may do
	case access.ExchangeToken:
		needed = access.Scopes{access.CatalogWrite} // its own scopes are names of catalogue entities
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
