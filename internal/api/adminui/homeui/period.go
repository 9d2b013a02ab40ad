package homeui

import (
	"strconv"
	"time"

	"vitrine/internal/api/httpapi"
)

const (
	// defaultDays is the number of days that the page shows if the query does not say. maxDays limits the period.
	defaultDays = 30
	maxDays     = 366
	// dateLayout is the format of the value of an HTML input of type date.
	dateLayout = "2006-01-02"
)

// period is the period that the page shows.
type period struct {
	// Days is 7, 30 or 90 for the last days, and 0 for other periods.
	Days int
	// From and To are the first and the last day, at midnight in the timezone of the store.
	From, To time.Time
}

// readPeriod reads the period of the query: ?days=7, 30 or 90, or ?from= and ?to=. It reports others through
// r.BadParam.
func readPeriod(r *httpapi.Request, now time.Time) period {
	query, zone := r.URL.Query(), r.Principal.Store.Zone()
	now = now.In(zone)
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, zone)
	p := period{Days: defaultDays, To: today}
	switch days := query.Get("days"); {
	case query.Get("from") != "" || query.Get("to") != "":
		p = period{From: readDate(r, "from", zone), To: readDate(r, "to", zone)}
		if p.To.Before(p.From) || p.To.Sub(p.From) > maxDays*24*time.Hour {
			r.BadParam("to", "must be a day after from, at most a year later")
		}
		return p
	case days == "7", days == "30", days == "90":
		p.Days, _ = strconv.Atoi(days)
	case days != "":
		r.BadParam("days", "must be 7, 30 or 90")
	}
	p.From = today.AddDate(0, 0, 1-p.Days)
	return p
}

// readDate reads a date of the query as its midnight.
func readDate(r *httpapi.Request, name string, zone *time.Location) time.Time {
	day, err := time.ParseInLocation(dateLayout, r.URL.Query().Get(name), zone)
	if err != nil {
		r.BadParam(name, "must be a date such as 2026-03-14")
	}
	return day
}

// FromDate and ToDate return the days as in the form.
func (p period) FromDate() string { return p.From.Format(dateLayout) }

// ToDate returns the last day as in the form.
func (p period) ToDate() string { return p.To.Format(dateLayout) }

// before returns the midnight after the last day.
func (p period) before() time.Time { return p.To.AddDate(0, 0, 1) }
