package httpapi

import (
	"strings"
	"time"
)

// Period is a half-open span of time: From is its first instant, and the field Before is the first instant after it. If
// a field is zero, the span has no bound on that side.
type Period struct {
	From, Before time.Time
}

// Period returns the period between the query parameters since and until, both inclusive. Each is an ISO 8601 time with
// its offset, or a date, which is a day in the timezone of the store. A time without a fraction is the whole second,
// since responses show times to the second.
func (q *Query) Period() (p Period) {
	p.From, _ = q.instantParam("since")
	_, p.Before = q.instantParam("until")
	return p
}

// Day returns the query parameter with this name, a date such as 2026-11-14, as its midnight in UTC, and whether the
// query has it.
func (q *Query) Day(name string) (day time.Time, given bool) {
	v, given := q.Param(name)
	if !given {
		return day, false
	}
	day, err := time.Parse(time.DateOnly, v)
	if err != nil {
		q.BadParam(name, "must be a date such as 2026-11-14")
	}
	return day, err == nil
}

// instantParam parses a query parameter as a day, a second or a microsecond. It returns the first instant of that span
// and the first instant after it, or zero times without the parameter.
func (q *Query) instantParam(name string) (first, after time.Time) {
	v, given := q.Param(name)
	if !given {
		return first, after
	}
	if day, err := time.ParseInLocation(time.DateOnly, v, q.request.Principal.Store.Zone()); err == nil {
		return day, day.AddDate(0, 0, 1)
	}

	// A plus sign that was not percent-encoded arrives as a space. A valid time has no other space.
	t, err := time.Parse(time.RFC3339Nano, strings.Replace(v, " ", "+", 1))
	if err != nil {
		q.BadParam(name, "must be a date such as 2026-11-14, "+
			"or a time with its offset such as 2026-11-14T12:00:05Z or 2026-11-14T15:00:05%%2B03:00")
	}

	if t.Nanosecond() == 0 {
		return t, t.Add(time.Second)
	}

	return t, t.Add(time.Microsecond)
}
