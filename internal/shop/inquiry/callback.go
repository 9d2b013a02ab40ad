package inquiry

import (
	"strings"
	"time"

	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/wire"
)

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
