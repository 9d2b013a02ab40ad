package pushclient

import (
	"slices"
	"strings"

	"vitrine/internal/kit/fault"
)

// cellType is how a cell becomes JSON.
type cellType int

const (
	textCell         cellType = iota // a string; an empty cell says nothing
	nullableTextCell                 // a string; an empty cell is null
	numberCell                       // a number; an empty cell says nothing
	boolCell                         // true or false, 1 or 0; an empty cell says nothing
	idListCell                       // a|b: the full list, so an empty cell is an empty one
	textListCell                     // a|b; an empty cell says nothing
	valueRefsCell                    // a family of columns: the full list of {id, value_id}; a cell may be a|b
	valueRefCell                     // the same with one value a cell
	remainderCell                    // a family of columns: the full list of {stock_id, quantity}
)

// isFamily reports whether columns of the kind are named NAME:ID, any number of them.
func (k cellType) isFamily() bool {
	return k == valueRefsCell || k == valueRefCell || k == remainderCell
}

// column is one that a table may have.
type column struct {
	name     string // in the first line; of a family, what stands before the colon
	member   string // in the item
	cellType cellType
}

// tableSchema is what a table of an entity may have: columns of the item, and columns of its parts, of which each line is one.
type tableSchema struct {
	itemColumns []column
	required    []string
	// partsMember is the member that holds the parts; the first column of part names them.
	partsMember string
	partColumns []column
	// singlePrefix is set before the columns of a part when they stand for the item's only one: a table without part[0].
	singlePrefix string
}

// schemaOf returns the columns of an entity. docs/push.md describes them; change both together.
func schemaOf(entity string) tableSchema {
	values := []column{{"value_id", "id", textCell}, {"value_name", "name", textCell}}
	switch entity {
	case "products":
		return tableSchema{
			itemColumns: []column{
				{"id", "id", textCell}, {"name", "name", textCell}, {"description", "description", textCell}, {"categories", "categories", idListCell},
				{"feature", "features", valueRefsCell}, {"images", "images", textListCell}, {"images_mode", "images_mode", textCell},
			},
			required: []string{"id"}, partsMember: "variants", singlePrefix: "variant_",
			partColumns: []column{
				{"variant_id", "id", textCell}, {"variant_name", "name", textCell}, {"sku", "sku", textCell}, {"price", "price", numberCell},
				{"remainder", "remainders", remainderCell}, {"option", "options", valueRefCell},
			},
		}
	case "variant-options":
		return tableSchema{itemColumns: []column{{"id", "id", textCell}, {"name", "name", textCell}}, required: []string{"id"}, partsMember: "values", partColumns: values}
	case "features":
		return tableSchema{
			itemColumns: []column{
				{"id", "id", textCell}, {"name", "name", textCell}, {"filterable", "filterable", boolCell},
				{"field_type", "field_type", textCell}, {"range_type", "range_type", textCell},
			},
			required: []string{"id"}, partsMember: "values", partColumns: values,
		}
	case "categories":
		return tableSchema{itemColumns: []column{{"id", "id", textCell}, {"name", "name", textCell}, {"parent_id", "parent_id", nullableTextCell}}, required: []string{"id"}}
	case "stocks":
		return tableSchema{itemColumns: []column{{"id", "id", textCell}, {"name", "name", textCell}}, required: []string{"id"}}
	case "remainders":
		return tableSchema{
			itemColumns: []column{{"variant_id", "variant_id", textCell}, {"product_id", "product_id", textCell}, {"stock_id", "stock_id", textCell}, {"quantity", "quantity", numberCell}},
			required:    []string{"variant_id", "stock_id", "quantity"},
		}
	case "prices":
		return tableSchema{
			itemColumns: []column{{"variant_id", "variant_id", textCell}, {"product_id", "product_id", textCell}, {"price", "price", numberCell}},
			required:    []string{"variant_id", "price"},
		}
	}
	return tableSchema{}
}

// tableColumn is a column of a sheet that a table has.
type tableColumn struct {
	column
	index    int    // its place in a line
	familyID string // for a family, what stands after the colon
}

// tableHeader is what the first line of a table says.
type tableHeader struct {
	width       int
	idIndex     int // the place of the column that names the item
	itemColumns []tableColumn
	partColumns []tableColumn
	names       []string
	grouped     bool // each line may be a part of the item that the line before began
	singlePart  bool // the columns of a part stand for the item's only one
	ignored     []string
}

// parseHeader holds the names of a table's columns against its sheet.
func parseHeader(cells []string, schema tableSchema, entity string) (tableHeader, error) {
	h := tableHeader{width: len(cells), names: make([]string, len(cells))}
	seen := map[string]bool{}
	for index, cell := range cells {
		name, familyID, isFamily := strings.Cut(strings.TrimSpace(cell), ":")
		name, familyID = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(familyID)
		matches := func(c column) bool {
			return c.name == name && c.cellType.isFamily() == isFamily && (familyID != "" || !isFamily)
		}
		h.names[index] = name
		if isFamily {
			h.names[index] += ":" + familyID
		}
		if seen[h.names[index]] && h.names[index] != "" {
			return tableHeader{}, fault.New(fault.Invalid, "duplicate_column", "The column %s is there twice.", h.names[index])
		}
		seen[h.names[index]] = true
		if i := slices.IndexFunc(schema.itemColumns, matches); i >= 0 {
			h.itemColumns = append(h.itemColumns, tableColumn{schema.itemColumns[i], index, familyID})
			if i == 0 {
				h.idIndex = index
			}
		} else if i := slices.IndexFunc(schema.partColumns, matches); i >= 0 {
			h.partColumns = append(h.partColumns, tableColumn{schema.partColumns[i], index, familyID})
		} else if h.names[index] != "" {
			h.ignored = append(h.ignored, "column "+h.names[index])
		}
	}
	for _, name := range schema.required {
		if !seen[name] {
			return tableHeader{}, fault.New(fault.Invalid, "missing_column", "A table of %s must have the column %s; its first line names its columns. Known are %s.", entity, name, schema.columnNames())
		}
	}
	if len(h.partColumns) > 0 {
		h.grouped = seen[schema.partColumns[0].name]
		h.singlePart = !h.grouped && schema.singlePrefix != ""
		if !h.grouped && !h.singlePart {
			return tableHeader{}, fault.New(fault.Invalid, "missing_column", "A table with the column %s must have %s too.", h.partColumns[0].name, schema.partColumns[0].name)
		}
	}
	return h, nil
}

// columnNames lists the columns of a sheet.
func (s tableSchema) columnNames() string {
	var names []string
	for _, c := range slices.Concat(s.itemColumns, s.partColumns) {
		if c.cellType.isFamily() {
			c.name += ":ID"
		}
		names = append(names, c.name)
	}
	return strings.Join(names, ", ")
}
