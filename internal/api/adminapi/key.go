package adminapi

import (
	"context"
	"errors"
	"hash/fnv"
	"net/http"
	"slices"
	"time"

	"vitrine/internal/api/confirm"
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
	var password string
	requested := httpapi.ReadJSON(r, func(in *wire.Reader) access.NewKey { return readNewKey(in, &password) })
	api.confirmPassword(r, password)
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		key, token, err := api.access.CreateKey(ctx, tx, requested)
		if err != nil {
			return err
		}
		return writeNewKey(r, out, key, token)
	})
}

func (api *API) editKey(w http.ResponseWriter, r *httpapi.Request) error {
	keyID := keyInPath(r)
	var password string
	e := httpapi.ReadJSON(r, func(in *wire.Reader) access.KeyEdit { return readKeyEdit(in, &password) })
	passwordRequired := api.confirmIfSent(r, password)
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		var before access.Key
		key, err := api.access.EditKey(ctx, tx, keyID, e, func(k access.Key) error {
			before = k
			if matches := r.IfMatch(); matches != nil && !matches(keyVersion(k)) {
				return fault.VersionChanged()
			}
			return nil
		})
		if err != nil {
			return err
		}

		if confirm.Key(before, key) {
			if err := passwordRequired(); err != nil {
				return err
			}
		}

		out.WriteResource(keyVersion(key), renderKey(key, r.Dates()))
		return r.Principal.MayIssue(key)
	})
}

func (api *API) rotateKey(w http.ResponseWriter, r *httpapi.Request) error {
	keyID := keyInPath(r)
	overlap := access.DefaultOverlap
	password := ""

	r.DecodeOptionalJSON(func(in *wire.Reader) {
		in.Object(func(name string) {
			switch {
			case in.Null():
			case name == "password":
				password, _ = in.String()
			case name == "overlap_hours":
				// The limit of six digits prevents an overflow of the duration. RotateKey checks the range.
				if hours, ok := in.Fixed(0, 6); ok {
					overlap = time.Duration(hours) * time.Hour
				}
			}
		})
	})

	api.confirmPassword(r, password)
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		key, token, err := api.access.RotateKey(ctx, tx, keyID, overlap)
		if err != nil {
			return renameField(err, "overlap", "overlap_hours")
		}
		return writeNewKey(r, out, key, token)
	})
}

func (api *API) revokeKey(w http.ResponseWriter, r *httpapi.Request) error {
	keyID := keyInPath(r)
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		key, err := api.findKey(ctx, tx, keyID)
		if err != nil {
			return err
		}
		if matches := r.IfMatch(); matches != nil && !matches(keyVersion(key)) {
			return fault.VersionChanged()
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

// renameField renames a field in a validation error to its name in the API.
func renameField(err error, from, to string) error {
	var f *fault.Error
	if errors.As(err, &f) && f.Kind == fault.Invalid {
		for i := range f.Fields {
			if f.Fields[i].Field == from {
				f.Fields[i].Field = to
			}
		}
	}
	return err
}

// keyVersion returns a version for the ETag of a key. It changes when a request changes, expires or revokes the key,
// but not when the key is used.
func keyVersion(k access.Key) int64 {
	version := k.CreatedAt.UnixMicro()
	for _, at := range []*time.Time{k.ExpiresAt, k.RevokedAt} {
		version *= 31
		if at != nil {
			version += at.UnixMicro()
		}
	}
	name := fnv.New32a()
	_, _ = name.Write([]byte(k.Name))
	if k.GroupID != nil {
		_, _ = name.Write(k.GroupID[:])
	}
	version = (version*31+int64(k.Members))*31 + int64(name.Sum32())
	return version & (1<<63 - 1)
}
