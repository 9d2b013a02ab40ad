package productui

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/seo"
)

// productForm is the form of a product: what the operator has typed, and what the form offers. It is rendered again
// after each step that does not save, such as adding the missing combinations.
type productForm struct {
	ID string // empty for a new product
	// Digest is the digest of the stored product that the form was filled from; see productForm.digest.
	Digest string
	// Base is the baseline of the same product; see baseline.
	Base string
	// Texts are the texts of catalog.ProductScalars, by their names.
	Texts      map[string]string
	ExternalID string

	Categories []categoryBox
	// Canonical is the id of the category that was chosen as the canonical one; empty for the default.
	Canonical string
	// CategorySearch is the text of the search for categories.
	CategorySearch string
	// MoreCategories says that more categories match than are shown.
	MoreCategories bool

	Features []featureRow
	// AllFeatures are the features that can be added and match FeatureSearch. MoreFeatures says that there
	// are more than are shown.
	AllFeatures   []choice
	FeatureSearch string
	MoreFeatures  bool

	Options  []choice // the options of the variants, which are columns of the grid
	Stocks   []choice // the warehouses, which are columns of the grid
	Variants []*variantRow
	// Pictures are the images of the product, which the rows of the grid may show. PicturesShown says that the form has
	// their ticks; otherwise those of the variants stay.
	Pictures      []pictureView
	PicturesShown bool
	// PictureOption is the id of the option whose rows copy-images gives the same images.
	PictureOption string
	// VariantPage is the shown page of the variants, and VariantPages their number. Others stay as they are.
	VariantPage, VariantPages int64

	Fill         fillForm
	Cross        crossForm
	AllOptions   []choice
	OptionSearch string
	MoreOptions  bool

	Groups []*groupRow

	// Locks are the members that pushes leave alone. LocksShown says that the form has their boxes; otherwise they
	// stay.
	Locks      productfield.Set
	LocksShown bool

	// AddValues says that values that do not exist are to be created. Unknown are the first ones that the form names
	// otherwise.
	AddValues bool
	Unknown   []unknownValue
	Errors    frame.FieldErrors
	// Draft says that a new product is not on sale yet.
	Draft bool
	// FormerSlugs are the addresses that the product had before, for people.
	FormerSlugs string
	// Unsaved says that the form may have texts that are not stored.
	Unsaved bool
}

// Text returns the text of a scalar member, for the template.
func (form *productForm) Text(name string) string { return form.Texts[name] }

// SEO returns what search engines are told, for the template.
func (form *productForm) SEO() seo.Meta {
	m, _ := seo.Parse(form.Texts["seo"])
	return m
}

// choice is a thing to choose from.
type choice struct {
	ID, Name string
	Selected bool
}

// categoryBox is a category that can be ticked. Path is its name after the names of the categories above it.
type categoryBox struct {
	ID, Name, Path string
	Ticked         bool
}

// valueField is the field of a value of a feature or an option. Operators type names. ID is the value whose name is
// Was: as long as Text is equal to Was, the field means that value, even if others have the same name.
type valueField struct {
	ID, Was, Text string
	// IsNew says that the operator has typed the name as that of a new value.
	IsNew bool
}

// unknownValue is a name in the form that no value of the feature or the option has.
type unknownValue struct{ Attribute, Name string }

// featureRow is a feature of the product with one value. A product may have several values of a feature.
type featureRow struct {
	FeatureID, FeatureName string
	Value                  valueField
	Errors                 rowErrors
}

// variantRow is a row of the grid. Options and Stocks have one element for each column.
type variantRow struct {
	ID string // empty for a variant that is not saved
	// Texts are the texts of catalog.VariantScalars, by their names.
	Texts      map[string]string
	ExternalID string
	Options    []valueField
	Stocks     []string // quantities; empty where the warehouse has none
	Reserved   []string // of the same warehouses, for reading only
	Pictures   rowPictures
	Removed    bool // to be archived
	Errors     rowErrors
}

// maxOpenStocks is the number of warehouses that the grid always shows one by one.
const maxOpenStocks = 2

// FoldsStocks reports whether the grid has a column with the total of the warehouses, behind which theirs are hidden.
func (form *productForm) FoldsStocks() bool { return len(form.Stocks) > maxOpenStocks }

// HasStockErrors reports whether a quantity is marked as wrong.
func (form *productForm) HasStockErrors() bool {
	return slices.ContainsFunc(form.Variants, func(v *variantRow) bool {
		return slices.ContainsFunc(v.Errors, func(e memberError) bool { return strings.HasPrefix(e.Member, "stock.") })
	})
}

// StockTotal returns what the warehouses have together; nil if none has a quantity, or if one cannot be read.
func (v *variantRow) StockTotal() *money.Quantity {
	var total *money.Quantity
	for _, text := range v.Stocks {
		if strings.TrimSpace(text) == "" {
			continue
		}
		quantity, ok := money.ParseTypedQuantity(text)
		if !ok {
			return nil
		}
		if total == nil {
			total = new(money.Quantity)
		}
		*total += quantity
	}
	return total
}

// Text returns the text of a scalar member, for the template.
func (v *variantRow) Text(name string) string { return v.Texts[name] }

// IsNew reports whether the variant is not saved.
func (v *variantRow) IsNew() bool { return v.ID == "" }

// Label returns a text by which operators recognize the variant: its options, or its SKU.
func (v *variantRow) Label() string {
	var names []string
	for _, o := range v.Options {
		if o.Text != "" {
			names = append(names, o.Text)
		}
	}
	return cmp.Or(strings.Join(names, ", "), v.Texts["sku"], v.Texts["name"])
}

// crossForm chooses the options and values whose combinations are added to the grid.
type crossForm struct {
	Options []crossOption
	Price   string // of the new variants
	Error   string
}

// crossOption is a chosen option. Values are the shown values, of which some are ticked; Others are typed names, one a
// line.
type crossOption struct {
	ID, Name string
	Values   []choice
	Others   string
	// More says that the option has more values than are shown.
	More bool
}

// groupRow is a group of modifiers. Other has the members that the form does not show, as JSON.
type groupRow struct {
	ID, Name, Min, Max string
	Required           bool
	Other              string
	Items              []*itemRow
	Errors             rowErrors
}

// itemRow is a modifier of a group.
type itemRow struct {
	ID, Name, Price string
	Other           string
}

// Bounds of a form, far above what a page shows. A form says itself how many rows it has, so a short one could claim
// millions of fields.
const (
	maxRows    = 5000 // of each list
	maxCrossed = 100  // options whose combinations are added
	maxCells   = 100_000
	// freeCells is how many fields a form may claim and not send. Browsers send all of them.
	freeCells = 1000
)

// formReader reads the fields of a posted form. The form names the number of its rows: room is how many more fields
// these rows may have. It is negative once the rows have more fields than a form may have, or far more than were sent.
type formReader struct {
	url.Values
	room int
}

func newFormReader(fields url.Values) *formReader {
	return &formReader{Values: fields, room: min(len(fields)+freeCells, maxCells)}
}

// trimText trims a text. Browsers send line breaks of text areas as CR LF.
func trimText(text string) string { return strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")) }

func (f *formReader) text(name string) string { return trimText(f.Get(name)) }

// count returns the number of rows of a list whose rows have so many fields. It returns 0 if there is no room for them.
func (f *formReader) count(name string, fields int) int {
	n, err := strconv.Atoi(f.Get(name))
	if err != nil || n < 0 {
		return 0
	}
	n = min(n, maxRows)
	if f.room -= n * fields; f.room < 0 {
		return 0
	}
	return n
}

// choices reads a list of ids with names, at most so many.
func (f *formReader) choices(name string, most int) []choice {
	ids := f.Values[name]
	ids = ids[:min(len(ids), most)]
	list := make([]choice, 0, len(ids))
	for i, id := range ids {
		c := choice{ID: id}
		if names := f.Values[name+"_name"]; i < len(names) {
			c.Name = names[i]
		}
		list = append(list, c)
	}
	return list
}

func (f *formReader) value(prefix string) valueField {
	v := valueField{ID: f.Get(prefix + ".id"), Was: f.Get(prefix + ".was"), Text: f.text(prefix)}
	v.IsNew = v.Text != "" && f.Get(prefix+".new") == v.Text
	return v
}

// readForm reads a posted form. The lists of what can be chosen are not in it, except for those that the operator sees.
// It returns fault.Malformed if the form claims more rows than it has sent.
func readForm(values url.Values) (*productForm, error) {
	f := newFormReader(values)
	form := &productForm{Digest: f.Get("digest"), Base: f.Get("base"), Texts: map[string]string{},
		ExternalID: f.text("external_id"), CategorySearch: f.text("category_q"), FeatureSearch: f.text("feature_q"),
		OptionSearch: f.text("option_q"), AddValues: f.Get("step") == saveAddingValues, Unsaved: true}
	for _, name := range catalog.ProductScalars.Names("") {
		form.Texts[name] = f.text(name)
	}
	form.Texts["seo"] = seo.Meta{Title: f.text("seo_title"), Description: f.text("seo_description"),
		NoIndex: f.Get("seo_noindex") == "1"}.Text()

	form.VariantPage, _ = strconv.ParseInt(f.Get("variant_page"), 10, 64)

	categories := values["category"]
	for _, id := range categories[:min(len(categories), maxRows)] {
		form.Categories = append(form.Categories, categoryBox{ID: id, Ticked: true})
	}

	form.Canonical = f.text("canonical_category_id")
	form.Options = f.choices("option", maxCells)
	form.Stocks = f.choices("stock", maxStocks)

	for i := range f.count("features", 1) {
		prefix := "feature." + strconv.Itoa(i)
		form.Features = append(form.Features, featureRow{FeatureID: f.Get(prefix + ".feature"),
			FeatureName: f.Get(prefix + ".name"), Value: f.value(prefix)})
	}

	for i := range f.count("variants", 1+len(form.Options)+len(form.Stocks)) {
		form.Variants = append(form.Variants, f.variant("variant."+strconv.Itoa(i), form))
	}

	for i := range f.count("groups", 1) {
		form.Groups = append(form.Groups, f.group("group."+strconv.Itoa(i)))
	}

	form.LocksShown = f.Get("locks") == "1"
	form.PicturesShown = f.Get("variant_images") == "1"
	form.PictureOption = f.Get("images_option")
	images := values["image"]
	for _, id := range images[:min(len(images), maxRows)] {
		form.Pictures = append(form.Pictures, pictureView{ID: id})
	}

	for _, word := range values["lock"] {
		one, _ := productfield.Lockable.Find(word)
		form.Locks |= one
	}

	form.Cross = f.cross()
	form.Fill = f.fill()
	form.Draft = f.Get("draft") == "1"

	if f.room < 0 {
		return nil, fault.New(fault.Malformed, "malformed_form",
			"The form is incomplete: it has fewer fields than it says. Open the page again.")
	}

	return form, nil
}

func (f *formReader) variant(prefix string, form *productForm) *variantRow {
	v := &variantRow{ID: f.Get(prefix + ".id"), Texts: map[string]string{},
		ExternalID: f.text(prefix + ".external_id"), Removed: f.Get(prefix+".remove") == "1"}
	for _, name := range catalog.VariantScalars.Names("") {
		v.Texts[name] = f.text(prefix + "." + name)
	}

	for k := range form.Options {
		v.Options = append(v.Options, f.value(prefix+".option."+strconv.Itoa(k)))
	}

	for k := range form.Stocks {
		at := prefix + ".stock." + strconv.Itoa(k)
		v.Stocks = append(v.Stocks, f.text(at))
		v.Reserved = append(v.Reserved, f.Get(at+".reserved"))
	}

	v.Pictures = f.pictures(prefix)
	return v
}

func (f *formReader) group(prefix string) *groupRow {
	g := &groupRow{ID: f.text(prefix + ".id"), Name: f.text(prefix + ".name"), Min: f.text(prefix + ".min"),
		Max: f.text(prefix + ".max"), Required: f.Get(prefix+".required") == "1", Other: f.Get(prefix + ".other")}
	for i := range f.count(prefix+".items", 1) {
		at := prefix + ".item." + strconv.Itoa(i)
		g.Items = append(g.Items, &itemRow{ID: f.text(at + ".id"), Name: f.text(at + ".name"),
			Price: f.text(at + ".price"), Other: f.Get(at + ".other")})
	}
	return g
}

func (f *formReader) cross() crossForm {
	c := crossForm{Price: f.text("cross_price")}
	for _, chosen := range f.choices("cross_option", maxCrossed) {
		id := chosen.ID
		if slices.ContainsFunc(c.Options, func(o crossOption) bool { return o.ID == id }) {
			continue
		}
		one := crossOption{ID: id, Others: f.text("cross_other." + id)}
		for _, value := range f.Values["cross_value."+id] {
			one.Values = append(one.Values, choice{ID: value, Selected: true})
		}
		c.Options = append(c.Options, one)
	}
	return c
}
