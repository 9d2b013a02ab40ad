package productui

import (
	"context"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/bulk"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/store"
)

const (
	sheetPath = "/products/sheet"
	// maxSheetRows is the number of rows of a sheet, maxSheetStocks that of its warehouses.
	maxSheetRows   = 5000
	maxSheetStocks = 10
	// plainSheetRows is the number of rows that a browser without scripts shows.
	plainSheetRows = 100
)

// sheetUI serves the sheet, in which operators edit many products like in a spreadsheet.
type sheetUI struct{ *UI }

// sheetPage is the data of the sheet.
type sheetPage struct {
	// Selection is the query string of the list of the products.
	Selection string
	Columns   []sheetColumn
	Rows      []sheetRow
	Refused   []refusedCell
	// Products is the number of products that match, Shown how many of them the sheet has.
	Products int64
	Shown    int
}

// sheetColumn is a column of the sheet. Member is that of its cells, see catalog.Cell; the options of variants have
// none.
type sheetColumn struct {
	Member string `json:"member"`
	Title  string `json:"title"`
	Number bool   `json:"number"`
}

// sheetRow is a variant, or a product without variants. Product and Variant are row keys.
type sheetRow struct {
	Product int64 `json:"p"`
	Variant int64 `json:"v,omitzero"` // 0 for none
	// First says that the row also has the product's own cell, which is the first one.
	First bool `json:"f,omitzero"`
	// Texts are the stored texts of the columns.
	Texts []string `json:"w"`
}

// name returns the name of the field of a column, or "" if its cell cannot be edited.
func (row *sheetRow) name(column sheetColumn, i int) string {
	variant := row.Variant
	switch {
	case i == 0 && row.First:
		variant = 0
	case i == 0 || column.Member == "" || row.Variant == 0:
		return ""
	}
	return strconv.FormatInt(row.Product, 10) + "." + strconv.FormatInt(variant, 10) + "." + column.Member
}

// refusedCell is a cell in which the operator has typed something that was refused with a message, or that was not
// saved because something else was refused.
type refusedCell struct {
	Row     int    `json:"r"`
	Column  int    `json:"c"`
	Typed   string `json:"t"`
	Message string `json:"m,omitzero"`
}

// plainCell is a cell for browsers without scripts. A cell without a name cannot be edited.
type plainCell struct{ Name, Was, Text, Message, Label string }

// PlainRows are the rows for browsers without scripts.
func (b *sheetPage) PlainRows() [][]plainCell {
	rows := make([][]plainCell, min(len(b.Rows), plainSheetRows))
	for i := range rows {
		row := &b.Rows[i]
		label := row.Texts[0]
		if row.Texts[1] != "" {
			label += ", " + row.Texts[1]
		}
		for k, column := range b.Columns {
			rows[i] = append(rows[i], plainCell{Name: row.name(column, k), Was: row.Texts[k], Text: row.Texts[k],
				Label: column.Title + ": " + label})
		}
	}

	for _, c := range b.Refused {
		if c.Row < len(rows) {
			rows[c.Row][c.Column].Text, rows[c.Row][c.Column].Message = c.Typed, c.Message
		}
	}

	return rows
}

// sheetData is what the script draws the sheet from.
type sheetData struct {
	Columns []sheetColumn `json:"columns"`
	Rows    []sheetRow    `json:"rows"`
	Refused []refusedCell `json:"refused"`
}

// Data returns the data for the script as JSON, in which no text can end the element around it. The template would
// write the same three times as slowly.
func (b *sheetPage) Data() (template.JS, error) {
	text, err := json.Marshal(sheetData{b.Columns, b.Rows, b.Refused}, jsontext.EscapeForHTML(true),
		jsontext.EscapeForJS(true))
	return template.JS(text), err
}

// ListURL returns the address of the list that the sheet was opened from.
func (b *sheetPage) ListURL() string {
	params, err := url.ParseQuery(b.Selection)
	if err != nil {
		return "/products"
	}
	return string(listURL("/products", params))
}

func (ui sheetUI) page(w http.ResponseWriter, r *httpapi.Request) error {
	return ui.renderSheet(w, r, http.StatusOK, nil, "")
}

// renderSheet writes the sheet of the products that the query of the request selects. Fields that were refused show
// what was typed.
func (ui sheetUI) renderSheet(
	w http.ResponseWriter, r *httpapi.Request, status int, typed []sheetField, failure string,
) error {
	body := &sheetPage{Selection: r.URL.RawQuery}
	query := readQuery(r)
	query.Limit = maxSheetRows
	v := ui.pages.NewView(r, "Sheet", "products", body)

	err := frame.FindProducts(ui.Frame, r, ui.Search, query,
		func(ctx context.Context, tx store.Tx, found search.Result) error {
			body.Products = found.Total
			return ui.readSheet(ctx, tx, v.Language, body, found.Keys)
		})
	if err != nil {
		return err
	}

	body.fill(typed)
	v.Failure = failure
	v.Crumbs = []frame.Link{{Text: v.T("Products"), URL: body.ListURL()}}
	return ui.pages.Render(w, status, "sheet", v)
}

// readSheet reads the rows of products, by row key, until the sheet is full.
func (ui sheetUI) readSheet(
	ctx context.Context, tx store.Tx, l *frame.Language, body *sheetPage, keys []int64,
) error {
	stocks, _, err := ui.Catalog.Stocks.List(ctx, tx, "", maxSheetStocks, 0)
	if err != nil {
		return err
	}

	body.Columns = []sheetColumn{{"name", l.T("Product"), false}, {"", l.T("Variant"), false},
		{"sku", l.T("SKU"), false}, {"price", l.T("Price"), true}, {"barcodes", l.T("Barcodes"), false}}
	for _, s := range stocks {
		body.Columns = append(body.Columns, sheetColumn{catalog.StockMember(s.ID), s.Name, true})
	}

	for len(keys) > 0 && len(body.Rows) < maxSheetRows {
		list, read, err := view.ReadRows(ctx, tx, keys, view.Parts{Variants: true}, catalog.Live)
		if err != nil {
			return err
		}
		names, err := optionNames(ctx, tx, list)
		if err != nil {
			return err
		}

		keys = keys[read:]
		for i := range list {
			body.add(&list[i], names)
		}
	}

	return nil
}

// optionNames returns the names of the values of all variants, by row key.
func optionNames(ctx context.Context, tx store.Tx, list []view.ProductRows) (map[int64]string, error) {
	names := map[int64]string{}
	for i := range list {
		for _, options := range list[i].OptionKeys {
			for _, keys := range options {
				names[keys.Value] = ""
			}
		}
	}

	values := make([]int64, 0, len(names))
	for key := range names {
		values = append(values, key)
	}
	slices.Sort(values)

	found, err := view.ReadNames(ctx, tx, view.NameKeys{Values: values})
	for _, v := range found.Values {
		names[v.Key] = v.Name
	}
	return names, err
}

// add adds the rows of a product, unless the sheet is full.
func (b *sheetPage) add(p *view.ProductRows, names map[int64]string) {
	rows := max(1, len(p.Variants))
	if len(b.Rows)+rows > maxSheetRows || p.ArchivedAt != nil {
		return
	}

	b.Shown++
	if len(p.Variants) == 0 {
		b.Rows = append(b.Rows, b.row(p, nil, ""))
		return
	}

	for i := range p.Variants {
		var options []string
		for _, keys := range p.OptionKeys[i] {
			options = append(options, names[keys.Value])
		}
		row := b.row(p, &p.Variants[i], strings.Join(options, ", "))
		row.First = i == 0
		b.Rows = append(b.Rows, row)
	}
}

// row returns the row of a variant, or of a product without variants.
func (b *sheetPage) row(p *view.ProductRows, v *catalog.Variant, options string) sheetRow {
	row := sheetRow{Product: p.Key, First: true, Texts: make([]string, len(b.Columns))}
	row.Texts[0], row.Texts[1] = p.Name, options
	if v == nil {
		return row
	}

	row.Variant = v.Key
	texts := variantTexts(v)
	for _, m := range v.Remainders {
		texts[catalog.StockMember(m.StockID)] = m.Quantity.Text()
	}
	for i, column := range b.Columns[2:] {
		row.Texts[i+2] = texts[column.Member]
	}

	return row
}

// sheetField is a posted field of the sheet.
type sheetField struct {
	name, was, text, message string
}

// fill puts fields that were not saved into their cells.
func (b *sheetPage) fill(typed []sheetField) {
	if len(typed) == 0 {
		return
	}
	byName := make(map[string]sheetField, len(typed))
	for _, f := range typed {
		byName[f.name] = f
	}

	for i := range b.Rows {
		for k, column := range b.Columns {
			name := b.Rows[i].name(column, k)
			if f, ok := byName[name]; ok && name != "" {
				b.Refused = append(b.Refused, refusedCell{i, k, f.text, f.message})
			}
		}
	}
}

// readSheetFields reads the fields that the operator has changed.
func readSheetFields(form url.Values) (fields []sheetField, err error) {
	names, was, texts := form["cell"], form["was"], form["text"]
	if len(was) != len(names) || len(texts) != len(names) {
		return nil, fault.New(fault.Malformed, "malformed_form", "The form is incomplete. Open the page again.")
	}
	for i, name := range names {
		if text := trimText(texts[i]); text != was[i] {
			fields = append(fields, sheetField{name: name, was: was[i], text: text})
		}
	}
	return fields, nil
}

// cell returns the cell of a field, or why it is refused.
func (f sheetField) cell(l *frame.Language) (c catalog.Cell, message string, err error) {
	malformed := fault.New(fault.Malformed, "malformed_form", "The form has a field that the sheet does not have.")
	product, rest, _ := strings.Cut(f.name, ".")
	variant, member, _ := strings.Cut(rest, ".")
	c = catalog.Cell{Member: member, From: f.was, To: f.text}
	if c.Product, err = strconv.ParseInt(product, 10, 64); err != nil {
		return c, "", malformed
	}
	if c.Variant, err = strconv.ParseInt(variant, 10, 64); err != nil {
		return c, "", malformed
	}

	switch {
	case c.Variant == 0 && member == "name":
	case c.Variant != 0 && (member == "sku" || member == "price" || member == "barcodes" || c.IsQuantity()):
	default:
		return c, "", malformed
	}

	if (member == "price" || c.IsQuantity()) && f.text != "" {
		number, ok := parseNumber(f.text)
		if !ok {
			return c, l.T("“%s” is not a number. Write it like 1990.50.", f.text), nil
		}
		c.To = number
	}
	if member == "price" || c.IsQuantity() {
		c.From = canonicalNumber(f.was)
	}

	c, broken := c.Canonical()
	if broken != nil {
		return c, l.Fault(broken.Message), nil
	}
	return c, "", nil
}

// save changes the cells that the operator has changed, all or, if one of them is refused, none.
func (ui sheetUI) save(w http.ResponseWriter, r *httpapi.Request) error {
	l := ui.pages.Language(r)
	if err := frame.ParseLargeForm(r); err != nil {
		return err
	}
	fields, err := readSheetFields(r.PostForm)
	if err != nil {
		return err
	}

	selection := r.PostForm.Get("selection")
	r.URL.RawQuery = selection // the products are found as in the list
	var cells []catalog.Cell
	refused := 0
	for i := range fields {
		c, message, err := fields[i].cell(l)
		if err != nil {
			return err
		}

		if fields[i].message = message; message != "" {
			refused++
			continue
		}
		if c.From != c.To {
			cells = append(cells, c)
		}
	}

	if refused > 0 {
		return ui.renderSheet(w, r, http.StatusUnprocessableEntity, fields,
			l.Plural(refused, "Nothing was saved: %d field is wrong.", "Nothing was saved: %d fields are wrong."))
	}

	back := sheetPath
	if selection != "" {
		back += "?" + selection
	}
	if len(cells) == 0 {
		return ui.RedirectWith(w, r, back, frame.Toast{Text: l.T("Nothing was changed.")})
	}

	change, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (c bulk.Change, err error) {
		if c, err = ui.Bulk.StartCells(ctx, tx, l.T("Edited in a sheet"), cells); err != nil {
			return c, err
		}
		return c, audit.Record(ctx, tx, bulkEntry(c, ""))
	})
	if fault.KindOf(err) == fault.Invalid {
		return ui.renderSheet(w, r, http.StatusUnprocessableEntity, fields, l.FaultMessage(err))
	}

	if err != nil {
		return err
	}
	if change.FinishedAt == nil {
		return frame.Redirect(w, r.Request, "/product-changes/"+change.ID.String())
	}
	return ui.RedirectWith(w, r, back, bulkUI(ui).bulkToast(r, change))
}
