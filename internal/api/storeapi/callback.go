package storeapi

import (
	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/inquiry"
	"vitrine/internal/shop/protection"
)

func (api *API) callbackHandlers() inquiryHandlers[inquiry.Callback] {
	return inquiryHandlers[inquiry.Callback]{
		api: api, noun: "callback request", path: "/v2/interactions/callback", action: protection.CallbackRequest,
		read: readCallback, append: (*inquiry.Callback).AppendJSON,
		id: func(c *inquiry.Callback) inquiry.CallbackID { return c.ID },
		useCases: inquiryUseCases[inquiry.Callback]{
			submit: api.inquiries.SubmitCallback, list: api.inquiries.CallbackList, find: api.inquiries.Callback,
		},
	}
}

// readCallback reads a visitor's callback request and the captcha token.
func readCallback(r *wire.Reader) (c inquiry.Callback, token *string) {
	hasPhone := false

	ok := r.Object(func(name string) {
		switch name {
		case "name":
			c.Name, _ = readFormText(r, inquiry.MaxLineLength, singleLine)
		case "phone":
			c.Phone, hasPhone = readContact(r, contact.CheckPhone)
		case "comment":
			c.Comment, _ = readFormText(r, inquiry.MaxTextLength, multiLine)
		case "preferred_time":
			c.PreferredTime, _ = readFormText(r, inquiry.MaxLineLength, singleLine)
		case "recaptcha":
			token = readRecaptcha(r)
		}
	})
	if ok && !hasPhone {
		r.FailAt("phone", "required", "The phone number to call is needed, such as +49 30 1234567.")
	}

	return c, token
}
