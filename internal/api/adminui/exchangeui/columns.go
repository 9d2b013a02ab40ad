package exchangeui

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/exchange/item/table"
	"vitrine/internal/shop/store"
)

const (
	// articleAsID is the choice of a column that is the article and also the id.
	articleAsID = "sku-and-id"
	// foundBySKU is the choice of a column with the SKUs by which the shop's variants are found.
	foundBySKU = "found-by-sku"
	// maxListedTargets limits the warehouses, price lists, options and features to choose from, of each kind.
	maxListedTargets = 100
	// maxLineText limits the text of a line that may have the headings, in characters.
	maxLineText = 100
)

// columnsBody is the page that asks what the columns of a file are.
type columnsBody struct {
	File    exchange.UploadColumns
	Entity  string
	Columns []fileColumn
	Targets []columnTarget
	// Fixed are columns that all lines have with one value.
	Fixed []fixedColumn
	// Needed are the names of the columns that must be chosen.
	Needed string
	Error  string
	// Lines are the lines that may have the headings; none if there is only one.
	Lines []headerLine
}

// headerLine is a line of the file that may have the headings.
type headerLine struct {
	Text    string
	Current bool
}

// fileColumn is a column of the file, with what it is.
type fileColumn struct {
	table.SampleColumn
	Index  int
	Target string
}

// columnTarget is what a column can be.
type columnTarget struct{ ID, Name string }

// fixedColumn is a column with one value for all lines.
type fixedColumn struct {
	Field, Name, Value string
	Choices            []columnTarget
}

// columnNeeds are the warehouses, price lists, options and features of a shop.
type columnNeeds struct {
	stocks, lists     []columnTarget
	options, features []columnTarget
	// unnamed are the ids of the warehouses that have no id for the exchange yet.
	unnamed []string
}

func (ui *UI) columnsPage(w http.ResponseWriter, r *httpapi.Request) error {
	file, err := ui.uploadColumns(r, r.URL.Query().Get("header"))
	if err != nil {
		return err
	}
	needs, err := frame.InStore(r, ui.Snapshot(r), ui.readColumnNeeds)
	if err != nil {
		return err
	}

	body := ui.newColumnsBody(r, file, needs)
	body.choose(file.Run.Mapping, needs)
	return ui.pages.Render(w, http.StatusOK, "columns", ui.columnsView(r, body))
}

// uploadColumns reads the columns of a file whose headings stand on a line: a position in UploadColumns.First, or ""
// for the one that was chosen before or is probably it.
func (ui *UI) uploadColumns(r *httpapi.Request, header string) (exchange.UploadColumns, error) {
	runID := httpapi.PathID[exchange.Run](r, "id", "run")
	skip := table.DetectHeader
	if header != "" {
		n, err := strconv.ParseUint(header, 10, 16)
		if err != nil {
			return exchange.UploadColumns{}, fault.New(fault.Malformed, "malformed_query",
				"header must be the position of a line.")
		}
		skip = int(n)
	}
	return ui.Exchange.Pushes.UploadColumns(r.Context(), r.Principal.Store.ID, runID, skip)
}

func (ui *UI) columnsView(r *httpapi.Request, body columnsBody) frame.View {
	v := ui.pages.NewView(r, "Columns of the file", "exchange", body)
	v.Crumbs = []frame.Link{{Text: v.T("Exchange"), URL: "/exchange"},
		{Text: v.T("File %s", body.File.Run.FileName), URL: "/exchange/" + body.File.Run.ID.String()}}
	return v
}

// chooseColumns reads the file again with the columns of the form.
func (ui *UI) chooseColumns(w http.ResponseWriter, r *httpapi.Request) error {
	if err := frame.ParseLargeForm(r); err != nil {
		return err
	}
	file, err := ui.uploadColumns(r, r.PostForm.Get("header"))
	if err != nil {
		return err
	}
	needs, err := frame.InStore(r, ui.Snapshot(r), ui.readColumnNeeds)
	if err != nil {
		return err
	}

	body := ui.newColumnsBody(r, file, needs)
	body.readForm(r)
	mapping := body.mapping()
	if err := ui.nameStocks(r, mapping, needs); err != nil {
		return err
	}

	run, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (exchange.Run, error) {
		return ui.Exchange.Pushes.MapUpload(ctx, tx, file, mapping, r.Principal.Operator.ID)
	})
	if fault.KindOf(err) == fault.Invalid {
		body.Error = ui.pages.Language(r).FaultMessage(err)
		v := ui.columnsView(r, body)
		return ui.pages.Reject(w, "columns", v, body.Error)
	}
	if err != nil {
		return err
	}

	return frame.Redirect(w, r.Request, "/exchange/"+run.ID.String())
}

// nameStocks gives the warehouses an id for the exchange if the mapping refers to one that has none.
func (ui *UI) nameStocks(r *httpapi.Request, m table.Mapping, needs columnNeeds) error {
	isUnnamed := func(id string) bool { return slices.Contains(needs.unnamed, id) }
	refers := slices.ContainsFunc(m.Columns, func(c string) bool {
		id, found := strings.CutPrefix(c, "remainder:")
		return found && isUnnamed(id)
	}) || slices.ContainsFunc(m.Added, func(c table.AddedColumn) bool {
		return c.Column == "stock_id" && isUnnamed(c.Value)
	})
	if !refers {
		return nil
	}
	return ui.Exchange.Exports.AssignIDs(r.Context(), r.Principal.Store.ID, exchange.Stocks, r.Actor())
}

// readColumnNeeds reads what columns can be about. A warehouse without an id for the exchange has its own.
func (ui *UI) readColumnNeeds(ctx context.Context, tx store.Tx) (needs columnNeeds, err error) {
	stocks, _, err := ui.Exchange.Catalog.Stocks.List(ctx, tx, "", maxListedTargets, 0)
	if err != nil {
		return needs, err
	}
	for _, s := range stocks {
		id := s.ID.String()
		if s.ExternalID != nil {
			id = *s.ExternalID
		} else {
			needs.unnamed = append(needs.unnamed, id)
		}
		needs.stocks = append(needs.stocks, columnTarget{id, s.Name})
	}

	for _, kind := range []catalog.Kind{catalog.Option, catalog.Feature} {
		attributes, _, err := ui.Exchange.Catalog.Attributes.List(ctx, tx, kind, "", maxListedTargets, 0)
		if err != nil {
			return needs, err
		}
		for _, a := range attributes {
			switch {
			case a.ExternalID == nil:
			case kind == catalog.Option:
				needs.options = append(needs.options, columnTarget{*a.ExternalID, a.Name})
			default:
				needs.features = append(needs.features, columnTarget{*a.ExternalID, a.Name})
			}
		}
	}

	lists, _, err := ui.Prices.Lists.List(ctx, tx, "", maxListedTargets, 0)
	for _, l := range lists {
		if l.ExternalID != nil {
			needs.lists = append(needs.lists, columnTarget{*l.ExternalID, l.Name})
		}
	}
	return needs, err
}

// newColumnsBody returns the page without choices.
func (ui *UI) newColumnsBody(r *httpapi.Request, file exchange.UploadColumns, needs columnNeeds) columnsBody {
	l := ui.pages.Language(r)
	b := columnsBody{File: file, Entity: entityName(l, file.Run.Entity)}
	for i, c := range file.Columns {
		b.Columns = append(b.Columns, fileColumn{SampleColumn: c, Index: i})
	}

	for i, line := range file.First {
		cells := slices.DeleteFunc(slices.Clone(line.Cells), func(cell string) bool { return cell == "" })
		text := l.Number(line.Number) + ": " + strings.Join(cells, " · ")
		if runes := []rune(text); len(runes) > maxLineText {
			text = string(runes[:maxLineText]) + "…"
		}
		b.Lines = append(b.Lines, headerLine{text, i == file.Skip})
	}

	names, families := table.Columns(file.Run.Entity)
	for _, name := range names {
		b.Targets = append(b.Targets, columnTarget{name, columnText(l, name)})
	}
	switch file.Run.Entity {
	case exchange.Products:
		b.Targets = append(b.Targets, columnTarget{foundBySKU, l.T("SKU, by which products are found")},
			columnTarget{articleAsID, l.T("SKU, also as the id")})
	case exchange.Prices, exchange.Remainders:
		b.Targets = append(b.Targets, columnTarget{foundBySKU, l.T("SKU of the variant")})
	}
	for _, family := range families {
		for _, of := range needs.of(family) {
			b.Targets = append(b.Targets, columnTarget{family + ":" + of.ID, columnText(l, family) + ": " + of.Name})
		}
	}

	for _, name := range names {
		switch name {
		case "stock_id":
			b.Fixed = append(b.Fixed, fixedColumn{Field: name, Name: columnText(l, name), Choices: needs.stocks})
		case "price_list_id":
			b.Fixed = append(b.Fixed, fixedColumn{Field: name, Name: columnText(l, name), Choices: needs.lists})
		}
	}

	var needed []string
	for _, name := range table.Required(file.Run.Entity) {
		needed = append(needed, columnText(l, name))
	}
	switch file.Run.Entity {
	case exchange.Products, exchange.Prices, exchange.Remainders:
		needed[0] = l.T("%s or SKU", needed[0])
	}
	b.Needed = strings.Join(needed, ", ")
	return b
}

// of returns what the columns of a family can be about.
func (n columnNeeds) of(family string) []columnTarget {
	switch family {
	case "remainder":
		return n.stocks
	case "price":
		return n.lists
	case "option":
		return n.options
	case "feature":
		return n.features
	}
	return nil
}

// choose sets the choices: those of a mapping, and otherwise what the headings and the words of the shop say.
func (b *columnsBody) choose(m *table.Mapping, needs columnNeeds) {
	if m != nil && len(m.Columns) == len(b.Columns) && m.Skip == b.File.Skip {
		for i := range b.Columns {
			b.Columns[i].Target = m.Columns[i]
			if m.MatchSKUs && m.Columns[i] == "variant_id" {
				b.Columns[i].Target = foundBySKU
			}
		}
		for _, added := range m.Added {
			if added.From > 0 && b.Columns[added.From-1].Target == "sku" && added.Column == "id" {
				b.Columns[added.From-1].Target = articleAsID
				if m.MatchSKUs {
					b.Columns[added.From-1].Target = foundBySKU
				}
			}
			for i := range b.Fixed {
				if b.Fixed[i].Field == added.Column {
					b.Fixed[i].Value = added.Value
				}
			}
		}
		return
	}

	taken := map[string]bool{}
	for i, c := range b.Columns {
		target := b.guess(c.Name, needs)
		if !taken[target] {
			b.Columns[i].Target = target
		}
		taken[target] = true
	}

	// A supplier knows no ids of the shop.
	at := slices.IndexFunc(b.Columns, func(c fileColumn) bool { return c.Target == "sku" })
	if at >= 0 && !taken["id"] && !taken["variant_id"] {
		b.Columns[at].Target = foundBySKU
	}
	at = slices.IndexFunc(b.Columns, func(c fileColumn) bool { return c.Target == "variant_id" })
	if at >= 0 && b.File.Run.Entity != exchange.Products &&
		table.Guess(exchange.Products, b.Columns[at].Name) == "sku" {
		b.Columns[at].Target = foundBySKU
	}
}

// guess returns what a heading probably means; "" if nothing is known of it.
func (b *columnsBody) guess(heading string, needs columnNeeds) string {
	for _, t := range b.Targets {
		if family, _, isFamily := strings.Cut(t.ID, ":"); isFamily {
			_, name, _ := strings.Cut(t.Name, ": ")
			if strings.EqualFold(name, strings.TrimSpace(heading)) || strings.EqualFold(t.ID, heading) {
				return family + t.ID[len(family):]
			}
		}
	}

	target := table.Guess(b.File.Run.Entity, heading)
	if of := needs.of(target); len(of) > 0 && target == "remainder" {
		return target + ":" + of[0].ID
	}
	if slices.ContainsFunc(b.Targets, func(t columnTarget) bool { return t.ID == target }) {
		return target
	}
	return ""
}

// readForm sets the choices of the form.
func (b *columnsBody) readForm(r *httpapi.Request) {
	for i := range b.Columns {
		b.Columns[i].Target = r.PostFormValue("column_" + strconv.Itoa(i))
	}
	for i := range b.Fixed {
		b.Fixed[i].Value = r.PostFormValue(b.Fixed[i].Field)
	}
}

// mapping returns the choices.
func (b *columnsBody) mapping() table.Mapping {
	m := table.Mapping{Columns: make([]string, len(b.Columns))}

	for i, c := range b.Columns {
		m.Columns[i] = c.Target
		m.MatchSKUs = m.MatchSKUs || c.Target == foundBySKU
		switch {
		case c.Target == foundBySKU && b.File.Run.Entity != exchange.Products:
			m.Columns[i] = "variant_id"
		case c.Target == foundBySKU, c.Target == articleAsID:
			m.Columns[i] = "sku"
			m.Added = append(m.Added, table.AddedColumn{Column: "id", From: i + 1})
		}
	}

	for _, f := range b.Fixed {
		if f.Value != "" && !slices.Contains(m.Columns, f.Field) {
			m.Added = append(m.Added, table.AddedColumn{Column: f.Field, Value: f.Value})
		}
	}
	return m
}

// columnText returns what people call a column; the name of the column if they have no word for it.
func columnText(l *frame.Language, name string) string {
	switch name {
	case "id", "variant_id", "product_id":
		return map[string]string{"id": l.T("Id in your system"), "variant_id": l.T("Id of the variant"),
			"product_id": l.T("Id of the product")}[name]
	case "name":
		return l.T("Name")
	case "description":
		return l.T("Description")
	case "sku":
		return l.T("SKU")
	case "price":
		return l.T("Price")
	case "barcodes":
		return l.T("Barcodes")
	case "categories":
		return l.T("Categories (ids)")
	case "images":
		return l.T("Images (addresses)")
	case "unit_name":
		return l.T("Unit")
	case "weight":
		return l.T("Weight")
	case "vat_rate":
		return l.T("VAT rate")
	case "remainder":
		return l.T("Quantity in stock")
	case "quantity":
		return l.T("Quantity")
	case "stock_id":
		return l.T("Warehouse")
	case "price_list_id":
		return l.T("Price list")
	case "option":
		return l.T("Option")
	case "feature":
		return l.T("Feature")
	case "variant_name":
		return l.T("Name of the variant")
	case "parent_id":
		return l.T("Parent category")
	}

	return name
}
