package adminapi

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/schema"
	"vitrine/internal/shop/access"
)

// writeNewKey writes the response for a new key: the key and its token, which no later response contains. It returns an
// error, which rolls the transaction back, if the principal may not create such a key.
func writeNewKey(r *httpapi.Request, out *httpapi.Response, key access.Key, token string) error {
	out.Created(keysPath + "/" + key.ID.String())
	out.WriteResource(keyVersion(key), CreatedKey{Key: renderKey(key, r.Dates()), Token: token})
	return r.Principal.MayIssue(key)
}

// keyMembers returns the members that a token is limited to, or null.
func keyMembers(k access.Key) schema.Nullable[[]string] {
	if k.Members == 0 {
		return schema.Nullable[[]string]{}
	}
	return schema.NotNull(k.Members.Words())
}

func renderKey(k access.Key, dates *locale.Dates) Key {
	return Key{
		ID: schema.ID(k.ID), Kind: string(k.Kind), Name: k.Name, Hint: k.Hint, Scopes: k.Scopes, Members: keyMembers(k),
		GroupID:   schema.IDOrNull(k.GroupID),
		CreatedAt: schema.NewDate(k.CreatedAt, dates),
		ExpiresAt: schema.DateOrNull(k.ExpiresAt, dates), RevokedAt: schema.DateOrNull(k.RevokedAt, dates),
		LastUsedAt: schema.DateOrNull(k.LastUsedAt, dates),
	}
}
