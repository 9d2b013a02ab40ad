package homeui

import (
	"strconv"
	"time"

	"vitrine/internal/api/adminui/frame"
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
	// form has what the form sent. If that is wrong, the page shows the default period.
	form frame.Days
}

// readPeriod reads the period of the query: ?days=7, 30 or 90, or ?from= and ?to=. It reports other days through
// r.Query.BadParam.
func readPeriod(r *httpapi.Request, l *frame.Language, now time.Time) period {
	query := r.URL.Query()
	zone := r.Principal.Store.Zone()
	now = now.In(zone)
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, zone)
	p := period{Days: defaultDays, To: today}

	switch days := query.Get("days"); {
	case query.Get("from") != "" || query.Get("to") != "":
		if p.form = readForm(r, l); p.form.Errors == nil {
			p.Days, p.From, p.To = 0, p.form.First, p.form.After.AddDate(0, 0, -1)
			return p
		}
	case days == "7", days == "30", days == "90":
		p.Days, _ = strconv.Atoi(days)
	case days != "":
		r.Query.BadParam("days", "must be 7, 30 or 90")
	}

	p.From = today.AddDate(0, 0, 1-p.Days)
	return p
}

// readForm reads the days of the form, which needs both.
func readForm(r *httpapi.Request, l *frame.Language) frame.Days {
	days := frame.ReadDays(r, l, "from", "to")
	for name, text := range map[string]string{"from": days.From, "to": days.To} {
		if text == "" {
			days.Reject(name, l.T("Write a day such as 2026-11-14."))
		}
	}
	if days.Errors == nil && days.After.Sub(days.First) > (maxDays+1)*24*time.Hour {
		days.Reject("to", l.T("A period has at most a year."))
	}
	return days
}

// Form returns the days to show in the form, and what is wrong with them.
func (p period) Form() frame.Days {
	if p.form.Errors != nil {
		return p.form
	}
	return frame.Days{From: p.FromDate(), To: p.ToDate()}
}

// FromDate returns the first day as in the form.
func (p period) FromDate() string { return p.From.Format(dateLayout) }

// ToDate returns the last day as in the form.
func (p period) ToDate() string { return p.To.Format(dateLayout) }

// before returns the midnight after the last day.
func (p period) before() time.Time { return p.To.AddDate(0, 0, 1) }
