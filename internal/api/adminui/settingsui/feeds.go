package settingsui

import (
	"context"
	"net/http"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/feed"
	"vitrine/internal/shop/store"
)

const (
	feedsPath = "/settings/feeds"
	// newFeedPath is no path of a feed, whatever its name.
	newFeedPath = "/settings/new-feed"
)

// feedsPage is the data of the page with the feeds.
type feedsPage struct {
	Rows []feedRow
	// NoSite says that the store has no address of its site, so that no feed can be read.
	NoSite bool
}

// feedRow is a feed in the list.
type feedRow struct {
	Name, FormatName string
	Updated          frame.Timestamp
}

// formatNames are the names of the formats for people.
var formatNames = map[feed.Format]string{
	//messages: "Yandex Market (YML)" "Google Merchant Center (XML)" "Table with the columns of Google (CSV)"
	feed.YML: "Yandex Market (YML)", feed.Google: "Google Merchant Center (XML)",
	feed.CSV: "Table with the columns of Google (CSV)",
}

func (ui *UI) feedsView(r *httpapi.Request) (frame.View, error) {
	v := ui.pages.NewView(r, "Feeds", "settings", nil)
	list, err := frame.InStore(r, ui.Read(r), func(ctx context.Context, tx store.Tx) ([]feed.Feed, error) {
		list, _, err := ui.Feeds.List(ctx, tx, feed.MaxFeeds, 0)
		return list, err
	})
	if err != nil {
		return v, err
	}

	body := &feedsPage{NoSite: r.Principal.Store.SiteURL == ""}
	for _, f := range list {
		body.Rows = append(body.Rows, feedRow{f.Name, v.T(formatNames[f.Format]), v.Timestamp(f.UpdatedAt)})
	}
	v.Body = body
	return v, nil
}

// newFeedView returns the form of a new feed.
func (ui *UI) newFeedView(r *httpapi.Request) (frame.View, error) {
	v := ui.pages.NewView(r, "New feed", "settings", nil)
	form := &feedForm{IsNew: true, Path: feedsPath, Format: string(feed.YML), Mapping: map[string]string{}}
	v.Body = form
	return v, ui.addChoices(r, form)
}

// feedView returns the page of a feed: its address and its form.
func (ui *UI) feedView(r *httpapi.Request) (frame.View, error) {
	v := ui.pages.NewView(r, "Feed", "settings", nil)
	f, err := ui.findFeed(r)
	if err != nil {
		return v, err
	}

	form := newFeedForm(&f)
	form.Address = frame.Copy{ID: "address", Label: v.T("Address of the feed"), Rows: 3,
		Text: f.Address(ui.APIURL(r.Request))}
	v.Body = form
	return v, ui.addChoices(r, form)
}

// findFeed returns the feed that the path of the request names, or fault.NotFound.
func (ui *UI) findFeed(r *httpapi.Request) (feed.Feed, error) {
	return frame.InStore(r, ui.Read(r), func(ctx context.Context, tx store.Tx) (feed.Feed, error) {
		return ui.Feeds.Find(ctx, tx, r.PathValue("name"))
	})
}

// createFeed makes a feed. A name that another feed has is refused, since the form would replace that.
func (ui *UI) createFeed(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	form, edit, err := readFeedForm(r, &feed.Feed{})
	form.IsNew = true
	form.Path = feedsPath
	isNew := func(version int64) bool { return version == 0 }
	if err == nil {
		err = ui.putFeed(r, form.Name, edit, isNew)
	}
	if fault.KindOf(err) == fault.Stale {
		err = fault.OneField("name", "feed_exists",
			"There is a feed with this name already; edit that one, or write another name.")
	}

	if frame.Refused(err) {
		v := ui.pages.NewView(r, "New feed", "settings", form)
		return ui.rejectFeed(w, r, v, form, err)
	}
	return ui.Done(w, r, err, feedsPath+"/"+form.Name, ui.pages.Language(r).T("The feed is made."))
}

// saveFeed saves the form of a feed.
func (ui *UI) saveFeed(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	f, err := ui.findFeed(r)
	if err != nil {
		return err
	}
	form, edit, err := readFeedForm(r, &f)
	if err == nil {
		err = ui.putFeed(r, f.Name, edit, frame.RenderedVersion(r))
	}

	if frame.Refused(err) {
		v := ui.pages.NewView(r, "Feed", "settings", form)
		form.Address = frame.Copy{ID: "address", Label: v.T("Address of the feed"), Rows: 3,
			Text: f.Address(ui.APIURL(r.Request))}
		return ui.rejectFeed(w, r, v, form, err)
	}
	return ui.Done(w, r, err, feedsPath+"/"+f.Name, ui.pages.Language(r).T("The feed is saved."))
}

// rejectFeed shows a form again, with what is wrong with it.
func (ui *UI) rejectFeed(w http.ResponseWriter, r *httpapi.Request, v frame.View, form *feedForm, err error) error {
	form.Errors = frame.NewFieldErrors(ui.pages.Language(r), err, nil)
	if choices := ui.addChoices(r, form); choices != nil {
		return choices
	}
	return ui.pages.Reject(w, "feed", v, v.Refusal(err))
}

// renewFeedKey gives a feed another key.
func (ui *UI) renewFeedKey(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	f, err := ui.findFeed(r)
	if err != nil {
		return err
	}
	err = ui.putFeed(r, f.Name, feed.Edit{Definition: f.Definition, NewKey: true}, nil)
	return ui.Done(w, r, err, feedsPath+"/"+f.Name,
		ui.pages.Language(r).T("The feed has another address. The one before does not work any more."))
}

func (ui *UI) deleteFeed(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (struct{}, error) {
		return struct{}{}, ui.Feeds.Delete(ctx, tx, r.PathValue("name"), nil)
	})
	return ui.Done(w, r, err, feedsPath, ui.pages.Language(r).T("The feed is deleted."))
}

func (ui *UI) putFeed(r *httpapi.Request, name string, e feed.Edit, pre func(int64) bool) error {
	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (struct{}, error) {
		_, _, err := ui.Feeds.Put(ctx, tx, r.Principal.Store, name, e, pre)
		return struct{}{}, err
	})
	return err
}

// feedReport is the data of the page with what a feed leaves out.
type feedReport struct {
	Name   string
	Offers int64
	Rows   []feedReportRow
	// Refused says why the feed cannot be read; "" if it can.
	Refused string
}

// feedReportRow has the offers that are left out for a reason.
type feedReportRow struct {
	Title, Advice string
	Offers        int64
	Products      []feed.ReportedProduct
	More          bool
}

// reasonTexts are what the page says about reasons: a title, and what to do.
var reasonTexts = map[feed.Reason][2]string{
	//messages: "Without an address" "The product has no part of an address yet. It gets one by itself soon."
	//messages: "Without a picture"
	//messages: "Marketplaces take no offers without a picture. Upload one on the page of the product."
	//messages: "Without a price" "The variant has no price, or costs nothing."
	//messages: "Without a category" "Yandex Market wants a category. Put the product into one."
	//messages: "Kept out of search engines"
	//messages: "The product is marked to be left out of search engines, and so of feeds."
	feed.NoAddress: {"Without an address", "The product has no part of an address yet. It gets one by itself soon."},
	feed.NoPicture: {"Without a picture",
		"Marketplaces take no offers without a picture. Upload one on the page of the product."},
	feed.NoPrice:    {"Without a price", "The variant has no price, or costs nothing."},
	feed.NoCategory: {"Without a category", "Yandex Market wants a category. Put the product into one."},
	feed.NoIndex: {"Kept out of search engines",
		"The product is marked to be left out of search engines, and so of feeds."},
}

// feedReportView returns the page with what a feed leaves out at present.
func (ui *UI) feedReportView(r *httpapi.Request) (frame.View, error) {
	v := ui.pages.NewView(r, "What the feed leaves out", "settings", nil)
	f, err := ui.findFeed(r)
	if err != nil {
		return v, err
	}

	body := &feedReport{Name: f.Name}
	v.Body = body
	report, err := frame.ReadFeed(ui.Frame, r, func(ctx context.Context, tx store.Tx) (feed.Report, error) {
		return feed.Render(ctx, tx, feed.Reading{Feed: &f, Shop: r.Principal.Store}, nil)
	})
	if frame.Refused(err) {
		body.Refused = v.Refusal(err)
		return v, nil
	}

	body.Offers = report.Offers
	for _, out := range report.LeftOut {
		texts := reasonTexts[out.Reason]
		body.Rows = append(body.Rows, feedReportRow{Title: v.T(texts[0]), Advice: v.T(texts[1]), Offers: out.Offers,
			Products: out.Products, More: len(out.Products) == feed.MaxReported})
	}
	return v, err
}
