package httpapi

import (
	"strings"
	"time"
)

// Period is a span of time. From is its first instant, Before the first that is past it; either may be zero: no bound.
type Period struct {
	From, Before time.Time
}

// Period returns what since and until leave of a list, both inclusive: ISO 8601 times with their offset, or dates, which are days in the
// timezone of the store. A time that is given to the second is that whole second, as dates in answers are.
func (r *Request) Period() (p Period, err error) {
	if p.From, _, err = r.instant("since"); err != nil {
		return p, err
	}
	_, p.Before, err = r.instant("until")
	return p, err
}

// instant returns the first instant of what a query parameter names, and the first one after it; zero without the parameter.
func (r *Request) instant(name string) (first, after time.Time, err error) {
	v, err := r.Param(name)
	if err != nil || !r.Has(name) {
		return first, after, err
	}
	if day, err := time.ParseInLocation(time.DateOnly, v, r.Principal.Store.Zone()); err == nil {
		return day, day.AddDate(0, 0, 1), nil
	}
	// A + that was not percent-encoded arrives as a blank, and no other blank can stand there.
	t, err := time.Parse(time.RFC3339Nano, strings.Replace(v, " ", "+", 1))
	if err != nil {
		return first, after, badParam(name, "must be a date such as 2026-11-14, or a time with its offset such as 2026-11-14T12:00:05Z or 2026-11-14T15:00:05%%2B03:00")
	}
	if t.Nanosecond() == 0 {
		return t, t.Add(time.Second), nil
	}
	return t, t.Add(time.Microsecond), nil
}
