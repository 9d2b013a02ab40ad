package frame

import (
	"net/http"
	"time"

	"vitrine/internal/api/httpapi"
)

// Days is a period of days in the query of a page, in the timezone of the store, both inclusive.
type Days struct {
	From, To string // as in the fields of the form; "" for no bound
	// First is the first instant of the period, and After the first one after it. They are zero without a bound, and if
	// Errors has messages.
	First, After time.Time
	Errors       FieldErrors
}

// ReadDays reads the period in the query parameters with these names. What a person can get wrong in the form is in
// Errors, and the page shows it beside the fields.
func ReadDays(r *httpapi.Request, l *Language, from, to string) (d Days) {
	d.From, d.First = d.read(r, l, from)
	var last time.Time
	if d.To, last = d.read(r, l, to); d.To != "" {
		d.After = last.AddDate(0, 0, 1)
	}
	if d.Errors == nil && d.From != "" && d.To != "" && last.Before(d.First) {
		d.Reject(to, l.T("This day is before the first one."))
	}
	if d.Errors != nil {
		d.First, d.After = time.Time{}, time.Time{}
	}
	return d
}

func (d *Days) read(r *httpapi.Request, l *Language, name string) (text string, first time.Time) {
	if text, _ = r.Query.Param(name); text == "" {
		return "", first
	}
	first, err := time.ParseInLocation(time.DateOnly, text, r.Principal.Store.Zone())
	if err != nil || first.Year() < 1 || first.Year() > 9998 {
		d.Reject(name, l.T("Write a day such as 2026-11-14."))
	}
	return text, first
}

// Reject adds a message to a field of the form.
func (d *Days) Reject(field, message string) {
	if d.Errors == nil {
		d.Errors = FieldErrors{}
	}
	d.Errors[field] = append(d.Errors[field], message)
}

// RenderDays writes the page of a list with a period. If the period is wrong, the page has everything and says so.
func (p *Pages) RenderDays(w http.ResponseWriter, name string, v View, d Days) error {
	if d.Errors != nil {
		return p.Reject(w, name, v, v.T("The period was not used: look at the marked fields."))
	}
	return p.Render(w, http.StatusOK, name, v)
}
