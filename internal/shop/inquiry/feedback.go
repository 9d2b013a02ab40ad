package inquiry

import (
	"time"

	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/wire"
)

// MaxExtra is how many bytes the members of feedback that nobody here knows may have together.
const MaxExtra = 16 << 10

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
