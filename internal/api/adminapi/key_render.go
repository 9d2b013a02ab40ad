package adminapi

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/wire"
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

// writePage writes one page of the complete list all.
func writePage[T, Shape any](out *httpapi.Response, page httpapi.Page, all []T, shape func(T) Shape) {
	total := int64(len(all))
	// Pages after the last one are empty. Their offset may overflow, so it is not computed.
	from, to := total, total
	if page.Number <= (total+page.PerPage-1)/page.PerPage {
		from = page.Offset()
		to = min(total, from+page.PerPage)
	}
	out.BeginData()
	out.B = append(out.B, '[')
	for i, one := range all[from:to] {
		out.BeginItem(i)
		out.B = wire.AppendJSON(out.B, shape(one))
	}
	out.B = append(out.B, ']')
	out.AppendPageMeta(page, total)
	out.EndEnvelope()
}
