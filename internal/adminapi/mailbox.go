package adminapi

import (
	"context"
	"net/http"

	"vitrine/internal/database"
	"vitrine/internal/httpapi"
	"vitrine/internal/locale"
	"vitrine/internal/post"
	"vitrine/internal/wire"
)

// mailbox answers with the letters that nobody was there to carry, the newest first.
func (api *API) mailbox(w http.ResponseWriter, r *httpapi.Request) error {
	page, err := r.Page()
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store") // login codes are among them
	return r.Read(w, true, func(ctx context.Context, q database.Querier, out *httpapi.Answer) error {
		letters, total, err := api.post.Mailbox(ctx, q, r.Principal.Store.ID, page.PerPage, page.Offset())
		if err != nil {
			return err
		}
		dates := r.Dates()
		out.Data()
		out.B = append(out.B, '[')
		for i := range letters {
			out.Item(i)
			out.B = appendLetter(out.B, &letters[i], dates)
		}
		out.B = append(out.B, ']')
		out.Meta(page, total)
		out.End()
		return nil
	})
}

func appendLetter(b []byte, l *post.Kept, dates *locale.Dates) []byte {
	b = append(b, `{"id":"`...)
	b = l.ID.Append(b)
	b = append(b, `","to":`...)
	b = wire.AppendString(b, l.To)
	b = append(b, `,"subject":`...)
	b = wire.AppendString(b, l.Subject)
	b = append(b, `,"text":`...)
	b = wire.AppendString(b, l.Text)
	b = append(b, `,"created_at":`...)
	b = dates.AppendJSON(b, l.CreatedAt)
	return append(b, '}')
}
