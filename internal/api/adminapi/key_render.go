package adminapi

import (
	"net/http"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/access"
)

// answerNewKey answers with a key and its token, which is shown here and never again.
func answerNewKey(r *httpapi.Request, out *httpapi.Answer, key access.Key, token string) {
	out.Status = http.StatusCreated
	out.Location = keysPath + "/" + key.ID.String()
	answerKey(r, out, key, token)
}

func answerKey(r *httpapi.Request, out *httpapi.Answer, key access.Key, token string) {
	out.ETag = httpapi.ETag(keyVersion(key))
	out.Data()
	out.B = appendKey(out.B, r.Dates(), key, token)
	out.End()
}

func keyWriter(r *httpapi.Request) func([]byte, access.Key) []byte {
	dates := r.Dates()
	return func(b []byte, key access.Key) []byte { return appendKey(b, dates, key, "") }
}

// appendKey writes a key, with its token if that is given.
func appendKey(b []byte, dates *locale.Dates, k access.Key, token string) []byte {
	b = append(b, `{"id":"`...)
	b = k.ID.Append(b)
	b = append(b, `","kind":`...)
	b = wire.AppendString(b, string(k.Kind))
	b = append(b, `,"name":`...)
	b = wire.AppendString(b, k.Name)
	b = append(b, `,"hint":`...)
	b = wire.AppendString(b, k.Hint)
	b = append(b, `,"scopes":`...)
	b = appendStrings(b, k.Scopes)
	b = append(b, `,"created_at":`...)
	b = dates.AppendJSON(b, k.CreatedAt)
	b = append(b, `,"expires_at":`...)
	b = appendTime(b, dates, k.ExpiresAt)
	b = append(b, `,"revoked_at":`...)
	b = appendTime(b, dates, k.RevokedAt)
	b = append(b, `,"last_used_at":`...)
	b = appendTime(b, dates, k.LastUsedAt)
	if token != "" {
		b = append(b, `,"token":`...)
		b = wire.AppendString(b, token)
	}
	return append(b, '}')
}

func appendTime(b []byte, dates *locale.Dates, at *time.Time) []byte {
	if at == nil {
		return append(b, "null"...)
	}
	return dates.AppendJSON(b, *at)
}

// answerPage writes one page of a list that was read whole.
func answerPage[T any](out *httpapi.Answer, page httpapi.Page, all []T, write func([]byte, T) []byte) {
	total := int64(len(all))
	// The offset of a page far behind the end overflows; every page behind the end is empty.
	from, to := total, total
	if page.Number <= (total+page.PerPage-1)/page.PerPage {
		from = page.Offset()
		to = min(total, from+page.PerPage)
	}
	out.Data()
	out.B = append(out.B, '[')
	for i, one := range all[from:to] {
		out.Item(i)
		out.B = write(out.B, one)
	}
	out.B = append(out.B, ']')
	out.Meta(page, total)
	out.End()
}
