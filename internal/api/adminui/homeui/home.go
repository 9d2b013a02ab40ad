package homeui

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/firstslug"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
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
	Slugs   firstslug.Progress
	Waiting []waitingRow
	figures
	// Before are the figures of as many days before the period.
	Before earlier
	Best   []bestSeller
	// BestOfLast says that the best sellers are those of the newest order.MaxBestSellerOrders orders of the period.
	BestOfLast                bool
	OrdersChart, RevenueChart frame.Chart
}

// earlier are the figures with which those of the period are compared.
type earlier struct {
	Orders  int64
	Revenue money.Money
}

// bestSeller is a product of which much was ordered in the period.
type bestSeller struct {
	Name, Picture, Quantity string
	URL                     string // empty if the product was deleted
	Orders                  int64
}

// bestSellers is the number of best sellers that the page shows.
const bestSellers = 5

// figures are the numbers of the period and of now.
type figures struct {
	Days              []order.DayTotals
	Orders, Cancelled int64
	// Revenue is the revenue of InCurrency orders. OtherCurrency is the number of orders in another currency than the
	// store's.
	InCurrency, OtherCurrency int64
	Revenue                   money.Money
	Carts                     int64
	// SoldOut is the number of variants of which nothing is left, up to maxSoldOut; MoreSoldOut says that there are
	// more.
	SoldOut      int64
	MoreSoldOut  bool
	FailedPushes int64
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
	v := ui.pages.NewView(r, "Home", "home", nil)

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
			if body.Waiting, err = ui.readWaiting(ctx, tx, v); err != nil {
				return body, err
			}
			body.Steps, err = ui.readSteps(ctx, tx, r)
			return body, err
		}

		err = ui.fill(ctx, tx, v, &body)
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

	if body.Steps == nil {
		body.drawCharts(v)
	}

	v.Body = body
	return ui.pages.RenderDays(w, "home", v, p.form)
}

// fill reads what the page shows of a shop that has orders.
func (ui *UI) fill(ctx context.Context, tx store.Tx, v frame.View, body *homeBody) (err error) {
	p := body.Period
	if body.Waiting, err = ui.readWaiting(ctx, tx, v); err != nil {
		return err
	}
	if body.figures, err = ui.readFigures(ctx, tx, v.Store, p); err != nil {
		return err
	}

	days, err := order.PerDay(ctx, tx, v.Store, p.From.AddDate(0, 0, -len(body.Days)), p.From.AddDate(0, 0, -1))
	if err != nil {
		return err
	}
	for _, d := range days {
		body.Before.Orders += d.Orders
		body.Before.Revenue += d.Revenue
	}

	body.BestOfLast = body.Orders+body.Cancelled > order.MaxBestSellerOrders
	body.Best, err = readBestSellers(ctx, tx, v, p)
	return err
}

func readBestSellers(ctx context.Context, tx store.Tx, v frame.View, p period) (list []bestSeller, err error) {
	best, err := order.BestSellers(ctx, tx, p.From, p.before(), bestSellers)
	if err != nil {
		return nil, err
	}

	ids := make([]catalog.ProductID, len(best))
	for i := range best {
		ids[i] = best[i].ProductID
	}
	images, err := view.FirstImages(ctx, tx, ids)
	if err != nil {
		return nil, err
	}

	for _, sold := range best {
		b := bestSeller{Name: sold.Name, Quantity: v.Decimal(sold.Quantity), Orders: sold.Orders}
		if !sold.Deleted {
			b.URL = "/products/" + sold.ProductID.String()
		}
		if im := images[sold.ProductID]; im != nil {
			b.Picture = "/pictures/" + im.ID.String() + "/" + im.File(imagefile.Small)
		}
		list = append(list, b)
	}
	return list, nil
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

	if f.FailedPushes, err = ui.Exchange.Runs.CountFailed(ctx, tx, p.From, p.before()); err != nil {
		return f, err
	}

	out := view.LevelFilter{State: view.RanOut}
	f.SoldOut, f.MoreSoldOut, err = view.CountLevels(ctx, tx, out, maxSoldOut)
	return f, err
}

// compared says how a number differs from that of the period before, such as "+12 %", or "" if there is nothing to
// compare it with.
func compared(now, before int64) string {
	if before <= 0 {
		return ""
	}
	percent := math.Round((float64(now)/float64(before) - 1) * 100)
	switch {
	case percent == 0:
		return "±0 %"
	case percent > 0:
		return "+" + strconv.FormatFloat(percent, 'f', 0, 64) + " %"
	}
	return "−" + strconv.FormatFloat(-percent, 'f', 0, 64) + " %"
}

// OrdersCompared compares the number of orders with that of the period before.
func (b homeBody) OrdersCompared() string { return compared(b.Orders, b.Before.Orders) }

// RevenueCompared compares the revenue with that of the period before.
func (b homeBody) RevenueCompared() string {
	return compared(int64(b.Revenue), int64(b.Before.Revenue))
}

// drawCharts makes the charts of the figures.
func (b *homeBody) drawCharts(v frame.View) {
	labels := make([]string, len(b.Days))
	orders := frame.Series{Name: v.T("Orders")}
	cancelled := frame.Series{Name: v.T("Cancelled"), Color: "bad"}
	revenue := frame.Series{Name: v.T("Revenue"), Color: "good"}

	for i, d := range b.Days {
		labels[i] = dayLabel(v, d.Day)
		addPoint(&orders, v.Number(d.Orders), float64(d.Orders))
		addPoint(&cancelled, v.Number(d.Cancelled), float64(d.Cancelled))
		addPoint(&revenue, v.Money(d.Revenue, v.Store.Currency), float64(d.Revenue)/moneyUnit)
	}

	chart := func(kind, title string, series ...frame.Series) frame.Chart {
		return frame.Chart{Kind: kind, Title: title, Column: v.T("Day"), Labels: labels, Series: series}
	}
	b.OrdersChart = chart("stacked", v.T("Orders per day"), orders, cancelled)
	b.RevenueChart = chart("bars", v.T("Revenue per day"), revenue)
}

// addPoint appends a number to a series.
func addPoint(s *frame.Series, text string, value float64) {
	s.Texts, s.Values = append(s.Texts, text), append(s.Values, value)
}

// dayLabel returns a day without its year.
func dayLabel(v frame.View, day time.Time) string {
	return strings.TrimSuffix(v.Date(day), " "+day.Format("2006"))
}
