package table

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/xlsx"
)

// Writer makes the lines of a table of items. Add must see all items before Header and Lines are called.
type Writer struct {
	schema tableSchema
	// used are the names of the columns that an item fills, those of families with their ids.
	used map[string]bool
	// list is made of them by Header.
	list []writtenColumn
}

// writtenColumn is a column of the table.
type writtenColumn struct {
	column
	name, familyID string
	isPart         bool
}

// shownColumns are the columns that a table has even if no item fills them.
func shownColumns() []string { return []string{"id", "name", "sku", "price"} }

// NewWriter returns a writer of a table of an entity.
func NewWriter(entity string) *Writer {
	return &Writer{schema: schemaOf(entity), used: map[string]bool{}}
}

// Add adds the columns that an item needs. The item is JSON as it is pushed.
func (c *Writer) Add(item []byte) error {
	values, err := parseItem(item)
	if err != nil {
		return err
	}

	if err := c.addMembers(values, "", c.schema.itemColumns); err != nil {
		return err
	}
	parts, prefix, err := c.partsOf(values)
	for i := range parts {
		if err == nil {
			err = c.addMembers(parts[i], prefix, c.schema.partColumns)
		}
	}
	return err
}

// addMembers adds the columns that an item or a part of it fills.
func (c *Writer) addMembers(values itemMembers, prefix string, columns []column) error {
	for _, col := range columns {
		if !col.cellType.isFamily() {
			cell, err := values.cell(prefix, col)
			if err != nil {
				return err
			}
			c.used[col.name] = c.used[col.name] || cell.Text != ""
			continue
		}

		err := values.eachOfFamily(prefix, col, func(familyID string, _ xlsx.Cell) error {
			c.used[col.name+":"+familyID] = true
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// partsOf returns the parts of an item, and what precedes the names of their members.
func (c *Writer) partsOf(values itemMembers) (parts []itemMembers, prefix string, err error) {
	if string(values["single_variant"]) == "true" && c.schema.singlePrefix != "" {
		return []itemMembers{values}, c.schema.singlePrefix, nil
	}
	if list := values[c.schema.partsMember]; len(list) > 0 {
		err = json.Unmarshal(list, &parts)
	}
	return parts, "", err
}

// Header returns the names of the columns. It returns fault.Conflict if there are more than a table may have.
func (c *Writer) Header() ([]string, error) {
	c.list = nil
	families := map[string][]string{}
	for name := range c.used {
		if family, familyID, isFamily := strings.Cut(name, ":"); isFamily {
			families[family] = append(families[family], familyID)
		}
	}

	together := [][]string{{"unit_code", "unit_name"}, {"seo_title", "seo_description", "seo_noindex"}}
	isUsed := func(name string) bool {
		for _, group := range together {
			if slices.Contains(group, name) {
				return slices.ContainsFunc(group, func(name string) bool { return c.used[name] })
			}
		}
		return c.used[name]
	}
	hasParts := slices.ContainsFunc(c.schema.partColumns, func(col column) bool {
		return c.used[col.name] || len(families[col.name]) > 0
	})

	for i, col := range slices.Concat(c.schema.itemColumns, c.schema.partColumns) {
		isPart := i >= len(c.schema.itemColumns)
		isPartID := i == len(c.schema.itemColumns)
		if col.cellType.isFamily() {
			ids := families[col.name]
			slices.Sort(ids)
			for _, familyID := range ids {
				c.list = append(c.list, writtenColumn{col, col.name + ":" + familyID, familyID, isPart})
			}
			continue
		}
		if isUsed(col.name) || slices.Contains(shownColumns(), col.name) || isPartID && hasParts {
			c.list = append(c.list, writtenColumn{col, col.name, "", isPart})
		}
	}

	if len(c.list) > maxColumns {
		return nil, fault.New(fault.Conflict, "too_many_columns",
			"The table would have %d columns; at most %d are allowed. Choose fewer products.", len(c.list), maxColumns)
	}
	names := make([]string, len(c.list))
	for i, col := range c.list {
		names[i] = col.name
	}
	return names, nil
}

// Lines calls fn with the cells of each line of an item, such that reading these lines gives an equal item. A cell is
// empty if the item lacks the member, or has the value that is read from an empty cell. The first line has the members
// of the item itself. fn must not retain the cells.
func (c *Writer) Lines(item []byte, fn func(cells []xlsx.Cell) error) error {
	values, err := parseItem(item)
	if err != nil {
		return err
	}
	parts, prefix, err := c.partsOf(values)
	if err != nil {
		return err
	}

	idColumn := c.schema.itemColumns[0]
	cells := make([]xlsx.Cell, len(c.list))
	for n := range max(1, len(parts)) {
		clear(cells)
		for i, col := range c.list {
			of, before := values, ""
			switch {
			case !col.isPart && n > 0 && col.column != idColumn, col.isPart && n >= len(parts):
				continue
			case col.isPart:
				of, before = parts[n], prefix
				if prefix != "" && col.column == c.schema.partColumns[0] {
					continue
				}
			}
			if cells[i], err = of.writtenCell(before, col); err != nil {
				return err
			}
		}
		if err := fn(cells); err != nil {
			return err
		}
	}
	return nil
}

// itemMembers are the members of an item or of one of its parts.
type itemMembers map[string]jsontext.Value

func parseItem(item []byte) (values itemMembers, err error) {
	err = json.Unmarshal(item, &values)
	return values, err
}

// writtenCell returns the cell of a column.
func (m itemMembers) writtenCell(prefix string, col writtenColumn) (cell xlsx.Cell, err error) {
	if !col.cellType.isFamily() {
		return m.cell(prefix, col.column)
	}
	err = m.eachOfFamily(prefix, col.column, func(familyID string, one xlsx.Cell) error {
		switch {
		case familyID != col.familyID:
		case cell.Text == "":
			cell = one
		default:
			cell.Text += "|" + one.Text
		}
		return nil
	})
	return cell, err
}

// cell returns the cell of a column that belongs to no family.
func (m itemMembers) cell(prefix string, col column) (xlsx.Cell, error) {
	value := m[prefix+col.member]
	if len(value) == 0 || string(value) == "null" {
		return xlsx.Cell{}, nil
	}

	switch col.cellType {
	case numberCell, nullableNumberCell:
		return xlsx.Number(string(value)), nil
	case boolCell:
		return xlsx.Text(string(value)), nil
	case idListCell, textListCell:
		var list []string
		if err := json.Unmarshal(value, &list); err != nil {
			return xlsx.Cell{}, err
		}
		return joinedCell(list)
	case unitCodeCell, unitNameCell, seoTitleCell, seoDescriptionCell, seoNoIndexCell:
		return objectCell(value, col.cellType)
	}

	var text string
	err := json.Unmarshal(value, &text)
	isMode := strings.HasSuffix(col.member, "images_mode")
	if isMode && len(m[strings.TrimSuffix(prefix+col.member, "_mode")]) <= len("[]") {
		text = "" // an address that is typed into the empty cell is added
	}
	return xlsx.Text(text), err
}

// objectCell returns the cell of a column that has a part of an object.
func objectCell(value jsontext.Value, of cellType) (cell xlsx.Cell, err error) {
	var object struct {
		Code        *string `json:"code"`
		Name        string  `json:"name"`
		Title       string  `json:"title"`
		Description string  `json:"description"`
		NoIndex     bool    `json:"noindex"`
	}
	if err := json.Unmarshal(value, &object); err != nil {
		return cell, err
	}

	switch {
	case of == unitCodeCell && object.Code != nil:
		cell.Text = *object.Code
	case of == unitNameCell:
		cell.Text = object.Name
	case of == seoTitleCell:
		cell.Text = object.Title
	case of == seoDescriptionCell:
		cell.Text = object.Description
	case of == seoNoIndexCell && object.NoIndex:
		cell.Text = "true"
	}
	return cell, nil
}

// eachOfFamily calls fn with what stands behind the colon in the name of the column, and with the cell, for each
// element of the list that the columns of a family make together.
func (m itemMembers) eachOfFamily(prefix string, col column, fn func(familyID string, cell xlsx.Cell) error) error {
	value := m[prefix+col.member]
	if len(value) == 0 {
		return nil
	}
	var list []struct {
		ID       string         `json:"id"`
		ValueID  string         `json:"value_id"`
		Stock    string         `json:"stock_id"`
		Quantity jsontext.Value `json:"quantity"`
		List     string         `json:"price_list_id"`
		From     jsontext.Value `json:"from_quantity"`
		Price    jsontext.Value `json:"price"`
	}
	if err := json.Unmarshal(value, &list); err != nil {
		return err
	}

	for _, e := range list {
		familyID := e.ID
		cell, err := xlsx.Cell{}, error(nil)
		switch col.cellType {
		case remainderCell:
			familyID = e.Stock
			cell = xlsx.Number(string(e.Quantity))
		case listPriceCell:
			familyID = e.List
			if string(e.From) != "1" || strings.Contains(e.List, "@") {
				familyID += "@" + string(e.From)
			}
			cell = xlsx.Number(string(e.Price))
		default:
			cell, err = joinedCell([]string{e.ValueID})
		}
		if err == nil {
			err = fn(familyID, cell)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// joinedCell returns the cell of a list. It returns fault.Conflict for an element that a reader would take apart.
func joinedCell(list []string) (xlsx.Cell, error) {
	for _, text := range list {
		if strings.Contains(text, "|") {
			return xlsx.Cell{}, fault.New(fault.Conflict, "not_in_tables",
				"A table cannot have %q in a list, since | separates its elements. Rename it, or leave its products "+
					"out.", text)
		}
	}
	return xlsx.Text(strings.Join(list, "|")), nil
}

// maxCellRunes is the longest text that a cell of Excel has.
const maxCellRunes = 32767

// FitsWorkbook reports whether a cell of a workbook can have the text.
func FitsWorkbook(text string) bool {
	return len(text) <= maxCellRunes || utf8.RuneCountInString(text) <= maxCellRunes
}

// formulaPattern matches what a spreadsheet program takes for a formula, with the apostrophes that precede it.
var formulaPattern = regexp.MustCompile(`^'*[=+\-@\t\r]`)

// phonePattern matches a phone number. It begins like a formula, but is only a number.
var phonePattern = regexp.MustCompile(`^\+[0-9]+$`)

// Guard returns a cell of a CSV file as it is written: one that a spreadsheet program would take for a formula gets an
// apostrophe in front, which reading the file takes away.
func Guard(cell string) string {
	if formulaPattern.MatchString(cell) && !phonePattern.MatchString(cell) {
		return "'" + cell
	}
	return cell
}

// unguard returns a cell as it was before Guard.
func unguard(cell string) string {
	if strings.HasPrefix(cell, "'") && formulaPattern.MatchString(cell) {
		return cell[1:]
	}
	return cell
}
