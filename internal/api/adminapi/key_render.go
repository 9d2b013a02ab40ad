package adminapi

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/access"
)

// writeNewKey writes the response for a new key: the key and its token, which no later response contains. It returns an
// error, which rolls the transaction back, if the principal may not create such a key.
func writeNewKey(r *httpapi.Request, out *httpapi.Response, key access.Key, token string) error {
	out.Created(keysPath + "/" + key.ID.String())
	out.WriteResource(keyVersion(key), CreatedKey{Key: renderKey(key, r.Dates()), Token: token})
	return checkNewKeyScopes(r.Principal, key)
}

func renderKey(k access.Key, dates *locale.Dates) Key {
	return Key{
		ID: openapi.ID(k.ID), Kind: string(k.Kind), Name: k.Name, Hint: k.Hint, Scopes: k.Scopes,
		CreatedAt: openapi.NewDate(k.CreatedAt, dates),
		ExpiresAt: openapi.DateOrNull(k.ExpiresAt, dates), RevokedAt: openapi.DateOrNull(k.RevokedAt, dates),
		LastUsedAt: openapi.DateOrNull(k.LastUsedAt, dates),
	}
}
