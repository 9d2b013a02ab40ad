// Package inquiry owns feedback and callback requests of a store's visitors. Each is stored with an event in one
// transaction and is immutable. The captcha is checked by the callers.
package inquiry

import (
	"strings"
	"time"

	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/wire"
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
	b = append(b, `{"id":"`...)
	b = c.ID.Append(b)
	b = append(b, `","name":`...)
	b = appendStringOrNull(b, c.Name)
	b = append(b, `,"phone":`...)
	b = wire.AppendString(b, c.Phone)
	b = append(b, `,"comment":`...)
	b = appendStringOrNull(b, c.Comment)
	b = append(b, `,"preferred_time":`...)
	b = appendStringOrNull(b, c.PreferredTime)
	b = append(b, `,"created_at":`...)
	b = dates.AppendJSON(b, c.CreatedAt)
	return append(b, '}')
}

// searchText returns the text that a search matches.
func (c *Callback) searchText() string {
	return locale.SearchText(c.Name, c.Phone, phoneDigits(c.Phone), c.Comment, c.PreferredTime)
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
	// "topic":"Delivery","rating":5. No name is one of those that AppendJSON writes.
	Extra     string
	CreatedAt time.Time
}

// AppendJSON appends the feedback as responses and events show it, including the unknown members.
func (f *Feedback) AppendJSON(b []byte, dates *locale.Dates) []byte {
	b = append(b, `{"id":"`...)
	b = f.ID.Append(b)
	b = append(b, `","name":`...)
	b = wire.AppendString(b, f.Name)
	b = append(b, `,"email":`...)
	b = appendStringOrNull(b, f.Email)
	b = append(b, `,"phone":`...)
	b = appendStringOrNull(b, f.Phone)
	b = append(b, `,"message":`...)
	b = wire.AppendString(b, f.Message)
	if f.Extra != "" {
		b = append(b, ',')
		b = append(b, f.Extra...)
	}
	b = append(b, `,"created_at":`...)
	b = dates.AppendJSON(b, f.CreatedAt)
	return append(b, '}')
}

// searchText returns the text that a search matches.
func (f *Feedback) searchText() string {
	return locale.SearchText(f.Name, f.Email, f.Phone, phoneDigits(f.Phone), f.Message)
}

// phoneDigits returns a phone number without its plus, so that a search without the plus finds it. It returns "" for a
// number without a plus.
func phoneDigits(phone string) string {
	rest, plus := strings.CutPrefix(phone, "+")
	if !plus {
		return "" // the number itself matches
	}
	return rest
}

// appendStringOrNull appends s as a JSON string, or null if it is empty.
func appendStringOrNull(b []byte, s string) []byte {
	if s == "" {
		return append(b, "null"...)
	}
	return wire.AppendString(b, s)
}
