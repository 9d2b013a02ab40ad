// Package inquiry owns what visitors of a shop ask for without buying: feedback and calls back. Each is kept as it came, told to others as an
// event of the same transaction, and never changes. It does not judge whether a visitor is a person: that is done before.
package inquiry

import (
	"strings"
	"time"

	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/wire"
)

// The most characters that the texts of an inquiry may have.
const (
	MaxLine = 255    // of a name, or of a time to call at
	MaxText = 10_000 // of a message or a comment
)

// MaxExtra is how many bytes the members of feedback that nobody here knows may have together.
const MaxExtra = 16 << 10

// Filter leaves some of the inquiries. The zero value leaves all.
type Filter struct {
	// Search holds words, each of which must begin a word of the inquiry: of a name, an address, a number or a text.
	Search string
	// From is the first instant, Before the first that is past them; zero without such a bound.
	From, Before time.Time
}

// CallbackID names a request for a call.
type CallbackID = id.Of[Callback]

// Callback is a visitor's request to be called back. All but the phone number is "" where it was not given.
type Callback struct {
	ID            CallbackID
	Name          string
	Phone         string
	Comment       string
	PreferredTime string // in the visitor's own words
	CreatedAt     time.Time
}

// AppendJSON appends the request as answers and events show it.
func (c *Callback) AppendJSON(b []byte, dates *locale.Dates) []byte {
	b = append(b, `{"id":"`...)
	b = c.ID.Append(b)
	b = append(b, `","name":`...)
	b = appendGiven(b, c.Name)
	b = append(b, `,"phone":`...)
	b = wire.AppendString(b, c.Phone)
	b = append(b, `,"comment":`...)
	b = appendGiven(b, c.Comment)
	b = append(b, `,"preferred_time":`...)
	b = appendGiven(b, c.PreferredTime)
	b = append(b, `,"created_at":`...)
	b = dates.AppendJSON(b, c.CreatedAt)
	return append(b, '}')
}

// words is what a search finds the request by.
func (c *Callback) words() string {
	return locale.SearchText(c.Name, c.Phone, digits(c.Phone), c.Comment, c.PreferredTime)
}

// FeedbackID names a piece of feedback.
type FeedbackID = id.Of[Feedback]

// Feedback is what a visitor writes to a shop.
type Feedback struct {
	ID      FeedbackID
	Name    string
	Email   string // "" where none was given
	Phone   string // "" where none was given
	Message string
	// Extra are the members of the request that nobody here knows, as a JSON object without its braces: "topic":"Delivery","rating":5. Their
	// names are none of those that AppendJSON writes itself.
	Extra     string
	CreatedAt time.Time
}

// AppendJSON appends the feedback as answers and events show it, with the members that nobody here knows among the others.
func (f *Feedback) AppendJSON(b []byte, dates *locale.Dates) []byte {
	b = append(b, `{"id":"`...)
	b = f.ID.Append(b)
	b = append(b, `","name":`...)
	b = wire.AppendString(b, f.Name)
	b = append(b, `,"email":`...)
	b = appendGiven(b, f.Email)
	b = append(b, `,"phone":`...)
	b = appendGiven(b, f.Phone)
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

// words is what a search finds the feedback by.
func (f *Feedback) words() string {
	return locale.SearchText(f.Name, f.Email, f.Phone, digits(f.Phone), f.Message)
}

// digits is a phone number as somebody looks for it who leaves out its plus.
func digits(phone string) string {
	rest, plus := strings.CutPrefix(phone, "+")
	if !plus {
		return "" // it is found as it is
	}
	return rest
}

// appendGiven appends a text, or null where none was given.
func appendGiven(b []byte, s string) []byte {
	if s == "" {
		return append(b, "null"...)
	}
	return wire.AppendString(b, s)
}
