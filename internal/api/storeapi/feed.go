package storeapi

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/schema"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/feed"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

const (
	// feedsPath is the path of the collection of feeds.
	feedsPath = "/v2/feeds"
	// feedTimeout limits the time that a feed takes in the database. A million offers take about a minute.
	feedTimeout = 10 * time.Minute
)

type feedHandlers struct {
	feeds     *feed.Service
	publicURL string
}

func (h feedHandlers) list(w http.ResponseWriter, r *httpapi.Request) error {
	dates := r.Dates()
	return httpapi.RespondList(w, r, h.feeds.List,
		httpapi.AsJSON(func(f *feed.Feed) spec.Feed { return h.feedOf(r, f, dates) }))
}

func (h feedHandlers) edit(w http.ResponseWriter, r *httpapi.Request) error {
	e := readBody(r, readFeedEdit)
	name := r.PathValue("name")
	return r.Write(w, true, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		f, created, err := h.feeds.Put(ctx, tx, r.Principal.Store, name, e, r.IfMatch())
		if err != nil {
			return err
		}
		if created {
			out.Created(feedsPath + "/" + f.Name)
		}
		out.WriteResource(f.Version, h.feedOf(r, &f, r.Dates()))
		return nil
	})
}

func (h feedHandlers) delete(w http.ResponseWriter, r *httpapi.Request) error {
	r.Query.Extras()
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		out.Status = http.StatusNoContent
		return h.feeds.Delete(ctx, tx, r.PathValue("name"), r.IfMatch())
	})
}

// show responds with the feed itself.
func (h feedHandlers) show(w http.ResponseWriter, r *httpapi.Request) error {
	return h.respond(w, r, func(
		ctx context.Context, tx store.Tx, out *httpapi.Response, reading feed.Reading,
	) error {
		out.Type = reading.Feed.Format.MediaType()
		body, err := out.Pack()
		if err != nil {
			return err
		}
		if _, err := feed.Render(ctx, tx, reading, body.Write); err != nil {
			return err
		}
		return body.Close()
	})
}

// report responds with what the feed leaves out.
func (h feedHandlers) report(w http.ResponseWriter, r *httpapi.Request) error {
	return h.respond(w, r, func(
		ctx context.Context, tx store.Tx, out *httpapi.Response, reading feed.Reading,
	) error {
		report, err := feed.Render(ctx, tx, reading, nil)
		if err != nil {
			return err
		}
		out.WriteData(reportOf(report))
		return nil
	})
}

// respond responds with what fn writes about a feed, or with a 304 if the client has what is written at this state of
// the catalogue. Only the work of fn takes a slot of feeds.
func (h feedHandlers) respond(
	w http.ResponseWriter, r *httpapi.Request,
	fn func(ctx context.Context, tx store.Tx, out *httpapi.Response, reading feed.Reading) error,
) error {
	name := r.PathValue("name")
	r.Query.Param("key")
	if r.Principal.Kind == access.FeedKey && r.Principal.FeedName != name {
		return fault.Missing("feed")
	}

	return r.ReadLong(w, feedTimeout, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		f, err := h.feeds.Find(ctx, tx, name)
		if err != nil {
			return err
		}
		v, err := store.FindVersions(ctx, tx)
		if err != nil {
			return err
		}

		reading := feed.Reading{Feed: &f, Shop: r.Principal.Store, BaseURL: r.BaseURL(h.publicURL),
			At: time.UnixMicro(max(v.ChangedAt, f.UpdatedAt.UnixMicro()))}
		state := fmt.Sprint(v.Products, v.ChangedAt, v.Categories, v.CategoriesStamp, v.Attributes, v.AttributesStamp,
			reading.Shop.Version, f.Version, f.UpdatedAt.UnixMicro(), reading.BaseURL, r.URL.Path)
		digest := sha256.Sum256([]byte(state))
		out.ETag = "" // of the attempt without a slot
		if out.NotModified(base64.RawURLEncoding.EncodeToString(digest[:16])) {
			return nil
		}
		if err := r.Work.Feed(); err != nil {
			return err
		}
		return fn(ctx, tx, out, reading)
	})
}

// readFeedEdit reads a definition. Unlike elsewhere, unknown members of the filter are refused: a feed that a filter
// does not restrict has too much.
func readFeedEdit(r *wire.Reader) (e feed.Edit) {
	r.Object(func(name string) {
		switch name {
		case "format":
			format, _ := r.String()
			e.Format = feed.Format(format)
		case "filter":
			e.Filter = readFeedFilter(r)
		case "mapping":
			e.Mapping = readFeedMapping(r)
		case "price_list_id":
			e.PriceListID = orNull(r, wire.ID[catalog.PriceList])
		case "variant_parameter":
			if parameter := orNull(r, (*wire.Reader).String); parameter != nil {
				e.VariantParameter = *parameter
			}
		case "new_key":
			e.NewKey, _ = r.Bool()
		}
	})

	return e
}

// orNull reads a value, or nil for null.
func orNull[T any](r *wire.Reader, read func(*wire.Reader) (T, bool)) *T {
	if r.Null() {
		return nil
	}
	return wire.OrNil(read(r))
}

// readFeedFilter reads a filter, or null for none.
func readFeedFilter(r *wire.Reader) (f feed.Filter) {
	if r.Null() {
		return f
	}

	r.Object(func(name string) {
		switch name {
		case "category":
			f.Category = orNull(r, wire.ID[catalog.Category])
		case "in_stock":
			inStock := orNull(r, (*wire.Reader).Bool)
			f.InStock = inStock != nil && *inStock
		case "price_from":
			f.PriceFrom = orNull(r, money.ReadMoney)
		case "price_to":
			f.PriceTo = orNull(r, money.ReadMoney)
		case "features":
			f.Features = readFeedFeatures(r)
		default:
			r.Failf("unknown_filter",
				"Feeds have no such filter. Use category, in_stock, price_from, price_to or features.")
		}
	})
	return f
}

func readFeedFeatures(r *wire.Reader) []feed.FeatureFilter {
	if r.Null() {
		return nil
	}
	if list := wire.List(r, readFeedFeature); list != nil {
		return *list
	}
	return nil
}

func readFeedFeature(r *wire.Reader) (f feed.FeatureFilter) {
	r.Object(func(name string) {
		switch name {
		case "id":
			f.ID, _ = wire.ID[catalog.Attribute](r)
		case "values":
			values := wire.List(r, func(r *wire.Reader) catalog.ValueID {
				valueID, _ := wire.ID[catalog.Value](r)
				return valueID
			})
			if values != nil {
				f.Values = *values
			}
		}
	})
	return f
}

// readFeedMapping reads the sources of a mapping by target. A null source is none.
func readFeedMapping(r *wire.Reader) map[string]string {
	mapping := map[string]string{}
	if r.Null() {
		return mapping
	}
	r.Object(func(target string) {
		if r.Null() {
			return
		}
		if source, ok := r.String(); ok {
			mapping[target] = source
		}
	})
	return mapping
}

// feedOf returns a feed as responses have it, with the address that reads it.
func (h feedHandlers) feedOf(r *httpapi.Request, f *feed.Feed, dates *locale.Dates) spec.Feed {
	filter := spec.FeedFilter{InStock: f.Filter.InStock, Features: []spec.FeedFeature{},
		Category:  schema.IDOrNull(f.Filter.Category),
		PriceFrom: schema.OrNull((*schema.Money)(f.Filter.PriceFrom)),
		PriceTo:   schema.OrNull((*schema.Money)(f.Filter.PriceTo))}
	for _, feature := range f.Filter.Features {
		values := make([]schema.ID, 0, len(feature.Values))
		for _, valueID := range feature.Values {
			values = append(values, schema.ID(valueID))
		}
		filter.Features = append(filter.Features, spec.FeedFeature{ID: schema.ID(feature.ID), Values: values})
	}

	return spec.Feed{Name: f.Name, Format: string(f.Format), Filter: filter, Mapping: spec.NewFeedMapping(f.Mapping),
		VariantParameter: schema.NullIfZero(f.VariantParameter),
		PriceListID:      schema.IDOrNull(f.PriceListID), URL: f.Address(r.BaseURL(h.publicURL)),
		CreatedAt: schema.NewDate(f.CreatedAt, dates), UpdatedAt: schema.NewDate(f.UpdatedAt, dates)}
}

func reportOf(report feed.Report) spec.FeedReport {
	answer := spec.FeedReport{Offers: report.Offers, LeftOut: make([]spec.FeedLeftOut, 0, len(report.LeftOut))}
	for _, out := range report.LeftOut {
		products := make([]spec.FeedProduct, 0, len(out.Products))
		for _, p := range out.Products {
			products = append(products, spec.FeedProduct{ID: schema.ID(p.ID), Name: p.Name})
		}
		answer.LeftOut = append(answer.LeftOut,
			spec.FeedLeftOut{Reason: string(out.Reason), Offers: out.Offers, Products: products})
	}
	return answer
}
