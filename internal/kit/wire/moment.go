package wire

import "time"

// Moment reads a time: a string in ISO 8601 with an offset, or a date object as the API returns it. Of
// the object it uses only iso_utc.
func Moment(r *Reader) (at time.Time, ok bool) {
	text := func() {
		s, isString := r.String()
		if !isString {
			return
		}

		t, err := time.Parse(time.RFC3339, s)
		if at, ok = t, err == nil; !ok {
			r.Failf("invalid_date",
				"This must be a date and time in ISO 8601 with an offset, such as 2027-01-31T12:00:00+00:00.")
		}
	}
	if !r.IsObject() {
		text()
		return at, ok
	}

	r.ObjectWith(func(name string) {
		if name == "iso_utc" {
			text()
		}
	}, Required{Member: "iso_utc",
		Message: "A date object must hold iso_utc; a string in ISO 8601 does as well."})
	return at, ok
}
