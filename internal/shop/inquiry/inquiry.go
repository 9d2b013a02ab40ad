// Package inquiry owns feedback and callback requests of a store's visitors. Each of them is stored together with its
// event in one transaction. What the visitor sent is immutable; the shop keeps beside it who handles the request, and
// how far that is. The callers check the captcha.
package inquiry

import (
	"bytes"
	"time"

	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/schema"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/event/payload"
	"vitrine/internal/shop/store"
)

// Maximum lengths of texts, in characters.
const (
	MaxLineLength = 255    // of a name or a preferred time
	MaxTextLength = 10_000 // of a message or a comment
)

// MaxExtraBytes is the maximum size of the unknown members of a feedback request in total, in bytes.
const MaxExtraBytes = 16 << 10

// Filter selects inquiries. The zero value selects all.
type Filter struct {
	// Search holds words. Each must be the prefix of a word of the inquiry: of a name, an e-mail address, a phone
	// number or a text.
	Search string
	// From is inclusive, Before exclusive; zero means no bound.
	From, Before time.Time
}

// CallbackID is the public id of a callback request.
type CallbackID = id.Of[Callback]

// Callback is a visitor's request to be called back. All fields but the phone number are optional and may be "".
type Callback struct {
	ID            CallbackID
	Name          string
	Phone         string
	Comment       string
	PreferredTime string // in the visitor's own words
	CreatedAt     time.Time
}

// AppendJSON appends the callback request as responses and events show it.
func (c *Callback) AppendJSON(b []byte, dates *locale.Dates) []byte {
	return wire.AppendJSON(b, payload.Callback{
		ID: schema.ID(c.ID), Name: schema.NullIfZero(c.Name), Phone: c.Phone, Comment: schema.NullIfZero(c.Comment),
		PreferredTime: schema.NullIfZero(c.PreferredTime), CreatedAt: schema.NewDate(c.CreatedAt, dates),
	})
}

// searchText returns the text that a search matches.
func (c *Callback) searchText() string {
	return store.PersonText([]string{c.Name, c.Comment, c.PreferredTime}, c.Phone)
}

// FeedbackID is the public id of a piece of feedback.
type FeedbackID = id.Of[Feedback]

// Feedback is a message of a visitor to a store.
type Feedback struct {
	ID      FeedbackID
	Name    string
	Email   string // optional
	Phone   string // optional
	Message string
	// Extra holds the unknown members of the request, as a JSON object without its braces:
	// "topic":"Delivery","rating":5. Their names differ from the members of payload.Feedback.
	Extra     string
	CreatedAt time.Time
}

// AppendJSON appends the feedback as responses and events show it. The unknown members precede created_at, the last
// member.
func (f *Feedback) AppendJSON(b []byte, dates *locale.Dates) []byte {
	text := wire.AppendJSON(nil, payload.Feedback{
		ID: schema.ID(f.ID), Name: f.Name, Email: schema.NullIfZero(f.Email), Phone: schema.NullIfZero(f.Phone),
		Message: f.Message, CreatedAt: schema.NewDate(f.CreatedAt, dates),
	})
	last := bytes.LastIndex(text, []byte(`,"created_at":`))
	b = append(b, text[:last]...)
	if f.Extra != "" {
		b = append(append(b, ','), f.Extra...)
	}
	return append(b, text[last:]...)
}

// searchText returns the text that a search matches.
func (f *Feedback) searchText() string {
	return store.PersonText([]string{f.Name, f.Email, f.Message}, f.Phone)
}
