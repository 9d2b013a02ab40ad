package storeapi

import (
	"strings"
	"unicode"

	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/inquiry"
	"vitrine/internal/shop/protection"
)

func (api *API) feedbackHandlers() inquiryHandlers[inquiry.Feedback] {
	return inquiryHandlers[inquiry.Feedback]{
		api: api, noun: "feedback", path: "/v2/feedback", action: protection.FeedbackRequest,
		read: readFeedback, append: (*inquiry.Feedback).AppendJSON,
		id: func(f *inquiry.Feedback) inquiry.FeedbackID { return f.ID },
		useCases: inquiryUseCases[inquiry.Feedback]{
			submit: api.inquiries.SubmitFeedback, list: api.inquiries.FeedbackList, find: api.inquiries.Feedback,
		},
	}
}

// readFeedback reads a visitor's feedback and the captcha token. Unknown members are stored as sent. The members id and
// created_at, which only responses have, are ignored.
func readFeedback(r *wire.Reader) (f inquiry.Feedback, token *string) {
	var extra extraMembers
	hasName, hasMessage := false, false

	ok := r.Object(func(name string) {
		switch name {
		case "name":
			f.Name, hasName = readFormText(r, inquiry.MaxLineLength, singleLine)
		case "email":
			f.Email, _ = readContact(r, contact.CheckEmail)
		case "phone":
			f.Phone, _ = readContact(r, contact.CheckPhone)
		case "message":
			f.Message, hasMessage = readFormText(r, inquiry.MaxTextLength, multiLine)
		case "recaptcha":
			token = readRecaptcha(r)
		case "id", "created_at":
		default:
			extra.read(r, name)
		}
	})
	if ok && !hasName {
		r.FailAt("name", "required", "The name of who writes is needed, 1 to %d characters.", inquiry.MaxLineLength)
	}

	if ok && !hasMessage {
		r.FailAt("message", "required", "A message is needed, 1 to %d characters.", inquiry.MaxTextLength)
	}

	f.Extra = string(extra.b)
	return f, token
}

// extraMembers collects the unknown members of a JSON object, separated by commas. Their values stay as sent.
type extraMembers struct {
	b    []byte
	full bool
}

// read reads one member and appends it. It reports an error if the members together exceed inquiry.MaxExtraBytes.
func (e *extraMembers) read(r *wire.Reader, name string) {
	if strings.ContainsFunc(name, unicode.IsControl) {
		r.Failf("control_character", "The name of a member may hold no control character.")
		return
	}

	raw, ok := r.Raw()
	if !ok || e.full {
		return
	}
	if r.ReadNested(raw, func(in *wire.Reader) { ok = in.SkipText() }); !ok {
		return
	}

	if e.full = len(e.b)+len(name)+len(raw) > inquiry.MaxExtraBytes; e.full {
		r.Failf("too_long",
			"The members beside name, email, phone and message may have %d bytes together; with this one they have "+
				"more.", inquiry.MaxExtraBytes)
		return
	}

	if len(e.b) > 0 {
		e.b = append(e.b, ',')
	}

	e.b = wire.AppendString(e.b, name)
	e.b = append(e.b, ':')
	e.b = append(e.b, raw...)
}
