package storeapi

import (
	"io"

	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/inquiry"
	"vitrine/internal/shop/protection"
)

// callbacks returns the handlers of callback requests.
func (api *API) callbacks() inquiries[inquiry.Callback] {
	return inquiries[inquiry.Callback]{
		api: api, noun: "callback request", path: "/v2/interactions/callback", action: protection.CallbackRequest,
		read: readCallback, append: (*inquiry.Callback).AppendJSON,
		id: func(c *inquiry.Callback) inquiry.CallbackID { return c.ID },
		uses: inquiryUses[inquiry.Callback]{
			submit: api.inquiries.SubmitCallback, list: api.inquiries.CallbackList, one: api.inquiries.Callback,
		},
	}
}

// readCallback reads a visitor's callback request and the captcha token.
func readCallback(body io.Reader) (c inquiry.Callback, token *string, err error) {
	r := wire.NewReader(body)
	numbered := false
	ok := r.Object(func(name string) {
		switch name {
		case "name":
			c.Name, _ = readGiven(r, inquiry.MaxLine, oneLine)
		case "phone":
			c.Phone, numbered = readContact(r, contact.CheckPhone)
		case "comment":
			c.Comment, _ = readGiven(r, inquiry.MaxText, manyLines)
		case "preferred_time":
			c.PreferredTime, _ = readGiven(r, inquiry.MaxLine, oneLine)
		case "recaptcha":
			token = readRecaptcha(r)
		}
	})
	if ok && !numbered {
		r.FailAt("phone", "required", "The phone number to call is needed, such as +49 30 1234567.")
	}
	return c, token, r.End()
}
