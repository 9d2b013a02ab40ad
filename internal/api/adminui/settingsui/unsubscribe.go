package settingsui

import (
	"net/http"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/mailing"
	"vitrine/internal/shop/store"
)

// unsubscribeBody is the data of the page on which somebody who works in the shop ends mails. Programs that look at the
// links of a mail open the page, so only its button ends them, or the one click of a mail program.
type unsubscribeBody struct {
	Token, To, Kind, Shop string
	// Ended says that the mails are not sent any more.
	Ended bool
}

// unsubscribing serves the page. It needs no session: the link has a token.
type unsubscribing struct{ *UI }

func (ui unsubscribing) page(w http.ResponseWriter, r *httpapi.Request) error {
	l, err := ui.linkFromPath(r)
	if err != nil {
		return err
	}
	return ui.render(w, r, l)
}

// end ends the mails of the link. A mail program sends List-Unsubscribe=One-Click (RFC 8058), the page an empty form.
func (ui unsubscribing) end(w http.ResponseWriter, r *httpapi.Request) error {
	if frame.ParseForm(r); r.Err() != nil {
		return r.Err()
	}
	l, err := ui.linkFromPath(r)
	if err != nil {
		return err
	}

	release, err := r.Work.AdmitWrite(r.Context())
	if err != nil {
		return err
	}
	defer release()

	ctx := r.Context()
	err = ui.DB.Write(ctx, func(q database.Querier) error { return ui.Mailing.Unsubscribe(ctx, q, l) })
	if err != nil {
		return err
	}
	return ui.render(w, r, l)
}

// linkFromPath returns what the token in the path is about, or fault.NotFound. A wrong token counts as a failed
// credential.
func (ui unsubscribing) linkFromPath(r *httpapi.Request) (mailing.Link, error) {
	succeeded, err := r.TryCredential()
	if err != nil {
		return mailing.Link{}, err
	}
	l, err := ui.Mailing.OpenLink(r.PathValue("token"))
	if err == nil {
		succeeded()
	}
	return l, err
}

func (ui unsubscribing) render(w http.ResponseWriter, r *httpapi.Request, l mailing.Link) error {
	b := unsubscribeBody{Token: r.PathValue("token"), To: l.To, Kind: mailTexts[l.Kind]}
	ctx := r.Context()
	shop, err := ui.Stores.Find(ctx, l.StoreID)
	if err != nil {
		return err
	}
	b.Shop = shop.Name
	wanted, err := database.Read(ctx, ui.DB, func(q database.Querier) (bool, error) {
		return ui.Mailing.Wants(ctx, store.In(q, l.StoreID), l)
	})
	if err != nil {
		return err
	}
	b.Ended = !wanted

	return ui.pages.Render(w, http.StatusOK, "unsubscribe", ui.pages.NewPublicView(r.Request, "Mails of the shop", b))
}
