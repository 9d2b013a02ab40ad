package webhookui

import (
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/webhook"
)

// The periods of the chart in hours. For a week it has a bar for each six hours, so that it can be read on a phone.
const (
	dayHours  = 24
	weekHours = 7 * 24
)

// period is the period of a chart.
type period struct {
	Hours int
	step  int // hours of a bar
}

// readPeriod returns the period that the query asks for: a day, or a week with ?period=week.
func readPeriod(r *httpapi.Request) period {
	if r.URL.Query().Get("period") == "week" {
		return period{weekHours, 6}
	}
	return period{dayHours, 1}
}

// Week reports whether the period is a week.
func (p period) Week() bool { return p.Hours == weekHours }

// start returns the beginning of the first bar. The last bar includes now.
func (p period) start(now time.Time) time.Time {
	step := time.Duration(p.step) * time.Hour
	return now.Truncate(step).Add(step - time.Duration(p.Hours)*time.Hour)
}

// attemptChart draws the attempts of a period.
func (ui *UI) attemptChart(r *httpapi.Request, p period, hours []webhook.AttemptHour) frame.Chart {
	l := ui.pages.Language(r)
	zone := r.Principal.Store.Zone()
	start := p.start(ui.Now())
	n := p.Hours / p.step
	c := frame.Chart{Kind: "stacked", Title: l.T("Requests to receivers"), Column: l.T("Time"),
		Labels: make([]string, n),
		Series: []frame.Series{{Name: l.T("Delivered"), Color: "good", Values: make([]float64, n)},
			{Name: l.T("Failed"), Color: "bad", Values: make([]float64, n)}}}

	for _, h := range hours {
		i := int(h.Hour.Sub(start)/time.Hour) / p.step
		if h.Hour.Before(start) || i >= n {
			continue
		}
		c.Series[0].Values[i] += float64(h.Delivered)
		c.Series[1].Values[i] += float64(h.Failed)
	}

	layout := "15:04"
	if p.Week() {
		layout = "2.01 15:04"
	}

	for i := range n {
		c.Labels[i] = start.Add(time.Duration(i*p.step) * time.Hour).In(zone).Format(layout)
		for s := range c.Series {
			c.Series[s].Texts = append(c.Series[s].Texts, l.Number(int64(c.Series[s].Values[i])))
		}
	}

	return c
}
