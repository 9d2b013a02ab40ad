package settingsui

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/feed"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// maxFeedChoices is the number of categories, features and options that the form offers. Others can be set by the API.
const maxFeedChoices = 1000

// feedForm is the form of a feed, filled from the feed or from a request.
type feedForm struct {
	IsNew     bool
	Path      string // to which the form is sent
	Name      string
	Format    string
	Category  string
	InStock   bool
	PriceFrom string
	PriceTo   string
	PriceList string
	Mapping   map[string]string
	BrandText string
	// VariantParameter is feed.Definition.VariantParameter.
	VariantParameter string
	Version          int64
	Errors           frame.FieldErrors
	Address          frame.Copy
	HasFilters       bool // by features, which the form keeps

	Categories []feedChoice
	PriceLists []catalog.PriceList
	Sources    []feedSources
}

// feedChoice is a choice of a form.
type feedChoice struct{ Value, Label string }

// feedSources is a group of sources of a mapping.
type feedSources struct {
	Label   string
	Choices []feedChoice
}

// feedTarget is a member of offers that the form maps.
type feedTarget struct{ Target, Label string }

// Targets returns the members of offers that the form maps, besides the brand.
func (f *feedForm) Targets() []feedTarget {
	//messages: "Barcode (GTIN)" "Part number of the manufacturer" "Colour" "Size"
	return []feedTarget{{"gtin", "Barcode (GTIN)"}, {"mpn", "Part number of the manufacturer"}, {"color", "Colour"},
		{"size", "Size"}}
}

// Formats returns the formats to choose from.
func (f *feedForm) Formats() []feedChoice {
	var list []feedChoice
	for _, format := range feed.Formats() {
		list = append(list, feedChoice{string(format), formatNames[format]})
	}
	return list
}

// feedValue is what a feed says about something, for those who may only look. IsWord says that the value is a text of
// the pages.
type feedValue struct {
	Label, Value string
	IsWord       bool
}

// Values returns what the feed is made of.
func (f *feedForm) Values() (values []feedValue) {
	//messages: "Format" "Category" "Price from" "Price up to" "Only what is in stock" "yes" "Prices" "Brand"
	values = append(values, feedValue{"Format", formatNames[feed.Format(f.Format)], true})
	add := func(label, value string) {
		if value != "" {
			values = append(values, feedValue{Label: label, Value: value})
		}
	}

	for _, category := range f.Categories {
		if category.Value == f.Category {
			add("Category", category.Label)
		}
	}
	add("Price from", f.PriceFrom)
	add("Price up to", f.PriceTo)
	if f.InStock {
		values = append(values, feedValue{"Only what is in stock", "yes", true})
	}
	for _, list := range f.PriceLists {
		if list.ID.String() == f.PriceList {
			add("Prices", list.Name)
		}
	}

	add("Parameter of the variant in addresses", f.VariantParameter)
	add("Brand", cmp.Or(f.BrandText, f.sourceLabel("brand")))
	for _, t := range f.Targets() {
		add(t.Label, f.sourceLabel(t.Target))
	}

	return values
}

// sourceLabel returns where a member of offers comes from, or "".
func (f *feedForm) sourceLabel(target string) string {
	for _, group := range f.Sources {
		for _, source := range group.Choices {
			if source.Value != "" && source.Value == f.Mapping[target] {
				return joinedLabel(group.Label, source.Label)
			}
		}
	}
	return ""
}

// joinedLabel names a source with its group.
func joinedLabel(group, source string) string {
	if group == "" {
		return source
	}
	return group + ": " + source
}

// newFeedForm returns the form of a feed.
func newFeedForm(f *feed.Feed) *feedForm {
	form := &feedForm{Path: feedsPath + "/" + f.Name, Name: f.Name, Format: string(f.Format),
		InStock: f.Filter.InStock, Mapping: maps.Clone(f.Mapping), Version: f.Version,
		VariantParameter: f.VariantParameter,
		HasFilters:       len(f.Filter.Features) > 0}
	if form.Mapping == nil {
		form.Mapping = map[string]string{}
	}
	if f.Filter.Category != nil {
		form.Category = f.Filter.Category.String()
	}
	if f.PriceListID != nil {
		form.PriceList = f.PriceListID.String()
	}

	text := func(price *money.Money) string {
		if price == nil {
			return ""
		}
		return money.NewPrice(*price).Text()
	}
	form.PriceFrom = text(f.Filter.PriceFrom)
	form.PriceTo = text(f.Filter.PriceTo)
	if brand, isText := strings.CutPrefix(form.Mapping["brand"], feed.TextSource); isText {
		form.BrandText = brand
		form.Mapping["brand"] = ""
	}
	return form
}

// readFeedForm returns the form that was sent and the definition that it asks for, or fault.Invalid. What the form does
// not show stays as it is in the feed before.
func readFeedForm(r *httpapi.Request, before *feed.Feed) (*feedForm, feed.Edit, error) {
	field := formField(r)
	form := &feedForm{Path: feedsPath + "/" + before.Name, Name: field("name"), Format: field("format"),
		Category: field("filter.category"), InStock: field("in_stock") != "", PriceFrom: field("filter.price_from"),
		PriceTo: field("filter.price_to"), PriceList: field("price_list_id"), Mapping: map[string]string{},
		BrandText: field("brand_text"), Version: readVersion(r), HasFilters: len(before.Filter.Features) > 0}
	if before.Name != "" {
		form.Name = before.Name
	}

	form.VariantParameter = field("variant_parameter")

	var wrong rule.Violations
	e := feed.Edit{Definition: feed.Definition{Format: feed.Format(form.Format), Mapping: maps.Clone(before.Mapping),
		VariantParameter: form.VariantParameter}}
	if e.Mapping == nil {
		e.Mapping = map[string]string{}
	}
	e.Filter = feed.Filter{InStock: form.InStock, Features: before.Filter.Features,
		PriceFrom: readAmount(&wrong, "price_from", form.PriceFrom),
		PriceTo:   readAmount(&wrong, "price_to", form.PriceTo)}
	if form.Category != "" {
		e.Filter.Category = new(idOrZero[catalog.Category](form.Category))
	}
	if form.PriceList != "" {
		e.PriceListID = new(idOrZero[catalog.PriceList](form.PriceList))
	}

	targets := append(form.Targets(), feedTarget{Target: "brand"})
	for _, t := range targets {
		source := field("mapping." + t.Target)
		form.Mapping[t.Target] = source
		if t.Target == "brand" && form.BrandText != "" {
			source = feed.TextSource + form.BrandText
		}
		delete(e.Mapping, t.Target)
		if source != "" {
			e.Mapping[t.Target] = source
		}
	}

	if err := r.Err(); err != nil {
		return form, e, err
	}
	return form, e, wrong.Fault()
}

// readAmount returns an amount of the filter, or nil for none.
func readAmount(wrong *rule.Violations, name, text string) *money.Money {
	if text == "" {
		return nil
	}
	d, ok := money.ParseDecimal(strings.ReplaceAll(text, " ", ""))
	if !ok {
		d, _ = money.ParseDecimal("-1") // whose message says what is right
	}
	price, broken := money.ParsePrice(d.String())
	wrong.Check("filter", name, broken)
	return price.OrNil()
}

// idOrZero returns the id that a field has. What is no id becomes the zero id, which nothing has.
func idOrZero[Thing any](text string) id.Of[Thing] {
	parsed, _ := id.Parse[Thing](text)
	return parsed
}

// addChoices adds what the form offers to choose from.
func (ui *UI) addChoices(r *httpapi.Request, form *feedForm) error {
	lists, err := ui.readPriceLists(r)
	if err != nil {
		return err
	}
	form.PriceLists = lists

	l := ui.pages.Language(r)
	_, err = frame.InStore(r, ui.Read(r), func(ctx context.Context, tx store.Tx) (struct{}, error) {
		tree, err := catalog.ReadCategoryTree(ctx, tx)
		if err != nil {
			return struct{}{}, err
		}
		tree.Walk(func(n *catalog.CategoryNode) {
			if len(form.Categories) < maxFeedChoices || n.ID.String() == form.Category {
				form.Categories = append(form.Categories, feedChoice{n.ID.String(), n.PathNames()})
			}
		})

		form.Sources = []feedSources{{l.T("Of the variant"), []feedChoice{{"barcode", l.T("Barcode")}, {"sku", "SKU"},
			{"external_id", l.T("Id in accounting")}, {"name", l.T("Name")}}}}
		for kind, label := range map[catalog.Kind]string{
			catalog.Feature: l.T("Features"), catalog.Option: l.T("Options"),
		} {
			group := feedSources{Label: label}
			list, _, err := ui.Catalog.Attributes.List(ctx, tx, kind, "", maxFeedChoices, 0)
			if err != nil {
				return struct{}{}, err
			}
			for _, a := range list {
				group.Choices = append(group.Choices, feedChoice{a.ID.String(), a.Name})
			}
			if len(group.Choices) > 0 {
				form.Sources = append(form.Sources, group)
			}
		}
		slices.SortFunc(form.Sources[1:], func(a, b feedSources) int { return strings.Compare(a.Label, b.Label) })
		return struct{}{}, nil
	})
	return err
}
