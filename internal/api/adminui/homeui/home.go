package homeui

import (
	"context"
	"net/http"
	"strings"
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/catalog/firstslug"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/protection"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

// moneyUnit is the number of units of money.Money in one unit of a currency.
const moneyUnit = 10_000

// maxSoldOut is the number up to which variants of which nothing is left are counted.
const maxSoldOut = 1000

// homeBody is the data of the page.
type homeBody struct {
	Period period
	// Steps are shown instead of the figures until the shop has its first order.
	Steps []step
	Done  int
	// Slugs is how far the addresses of products of an older program are.
	Slugs firstslug.Progress
	figures
	OrdersChart, RevenueChart, RefusedChart frame.Chart
}

// figures are the numbers of the period and of now.
type figures struct {
	Days              []order.DayTotals
	Orders, Cancelled int64
	// Revenue is the revenue of InCurrency orders. OtherCurrency is the number of orders in another currency than the
	// store's.
	InCurrency, OtherCurrency int64
	Revenue                   money.Money
	Carts                     int64
	// Refused counts the requests of the period that the captcha refused, by day of the period.
	Refused       int64
	refusedPerDay []int64
	// SoldOut is the number of variants of which nothing is left, up to maxSoldOut; MoreSoldOut says that there are
	// more.
	SoldOut      int64
	MoreSoldOut  bool
	FailedPushes int64
	// FailingReceivers are those that fail now, and those that were turned off because of that.
	FailingReceivers int64
}

// Average returns the average revenue of an order, rounded to hundredths.
func (f figures) Average() money.Money {
	if f.InCurrency == 0 {
		return 0
	}
	const hundredth = moneyUnit / 100
	unit := 2 * hundredth * money.Money(f.InCurrency)
	return (2*f.Revenue + unit/2) / unit * hundredth
}

// Conversion returns how many of 100 carts became orders, or -1 if no cart was counted.
func (f figures) Conversion() int64 {
	placed := f.Orders + f.Cancelled
	if f.Carts == 0 {
		return -1
	}
	return min(100, placed*100/f.Carts)
}

func (ui *UI) homePage(w http.ResponseWriter, r *httpapi.Request) error {
	p := readPeriod(r, ui.pages.Language(r), ui.Now())

	body, err := frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (body homeBody, err error) {
		body.Period = p
		if body.Slugs, err = firstslug.ReadProgress(ctx, tx); err != nil {
			return body, err
		}

		started, err := order.HasOrders(ctx, tx)
		if err != nil {
			return body, err
		}

		if !started && !r.URL.Query().Has("figures") {
			body.Steps, err = ui.readSteps(ctx, tx, r)
			return body, err
		}

		body.figures, err = ui.readFigures(ctx, tx, r.Principal.Store, p)
		return body, err
	})
	if err != nil {
		return err
	}

	for _, s := range body.Steps {
		if s.Done {
			body.Done++
		}
	}

	v := ui.pages.NewView(r, "Home", "home", nil)
	if body.Steps == nil {
		body.drawCharts(v)
	}

	v.Body = body
	return ui.pages.RenderDays(w, "home", v, p.form)
}

func (ui *UI) readFigures(
	ctx context.Context, tx store.Tx, shop store.Store, p period,
) (f figures, err error) {
	if f.Days, err = order.PerDay(ctx, tx, shop, p.From, p.To); err != nil {
		return f, err
	}
	for _, d := range f.Days {
		f.Orders += d.Orders
		f.Cancelled += d.Cancelled
		f.InCurrency += d.InCurrency
		f.Revenue += d.Revenue
	}

	f.OtherCurrency = f.Orders - f.InCurrency
	from, to := store.DayNumber(p.From), store.DayNumber(p.To)
	carts, err := store.CountsPerDay(ctx, tx, order.CartsCount, from, to)
	if err != nil {
		return f, err
	}

	for _, c := range carts {
		f.Carts += c.Count
	}

	refused, err := store.CountsPerDay(ctx, tx, protection.RefusedCount, from, to)
	if err != nil {
		return f, err
	}

	f.refusedPerDay = make([]int64, to-from+1)
	for _, c := range refused {
		f.Refused += c.Count
		f.refusedPerDay[c.Day-from] += c.Count
	}

	if f.FailedPushes, err = ui.Exchange.Runs.CountFailed(ctx, tx, p.From, p.before()); err != nil {
		return f, err
	}

	out := view.LevelFilter{State: view.RanOut}
	if f.SoldOut, f.MoreSoldOut, err = view.CountLevels(ctx, tx, out, maxSoldOut); err != nil {
		return f, err
	}

	receivers, _, err := ui.Webhooks.Receivers(ctx, tx, webhook.MaxReceivers, 0)
	for _, receiver := range receivers {
		if receiver.Enabled && receiver.FailingSince != nil || !receiver.Enabled && receiver.DisabledReason != nil {
			f.FailingReceivers++
		}
	}

	return f, err
}

// drawCharts makes the charts of the figures.
func (b *homeBody) drawCharts(v frame.View) {
	labels := make([]string, len(b.Days))
	orders := frame.Series{Name: v.T("Orders")}
	cancelled := frame.Series{Name: v.T("Cancelled"), Color: "bad"}
	revenue := frame.Series{Name: v.T("Revenue"), Color: "good"}
	refused := frame.Series{Name: v.T("Refused"), Color: "warn"}

	for i, d := range b.Days {
		labels[i] = dayLabel(v, d.Day)
		addPoint(&orders, v.Number(d.Orders), float64(d.Orders))
		addPoint(&cancelled, v.Number(d.Cancelled), float64(d.Cancelled))
		addPoint(&revenue, v.Money(d.Revenue, v.Store.Currency), float64(d.Revenue)/moneyUnit)
		n := int64(0)

		if i < len(b.refusedPerDay) {
			n = b.refusedPerDay[i]
		}

		addPoint(&refused, v.Number(n), float64(n))
	}

	chart := func(kind, title string, series ...frame.Series) frame.Chart {
		return frame.Chart{Kind: kind, Title: title, Column: v.T("Day"), Labels: labels, Series: series}
	}
	b.OrdersChart = chart("stacked", v.T("Orders per day"), orders, cancelled)
	b.RevenueChart = chart("bars", v.T("Revenue per day"), revenue)
	b.RefusedChart = chart("bars", v.T("Refused by the captcha per day"), refused)
}

// addPoint appends a number to a series.
func addPoint(s *frame.Series, text string, value float64) {
	s.Texts, s.Values = append(s.Texts, text), append(s.Values, value)
}

// dayLabel returns a day without its year.
func dayLabel(v frame.View, day time.Time) string {
	return strings.TrimSuffix(v.Date(day), " "+day.Format("2006"))
}
