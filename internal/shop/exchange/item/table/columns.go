package table

import (
	"slices"
	"strings"
	"unicode/utf8"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/rule"
)

// cellType tells how a cell is converted to JSON. Unless stated otherwise, the member is omitted if the cell is empty.
type cellType int

const (
	textCell           cellType = iota // a string
	nullableTextCell                   // a string; null if the cell is empty
	numberCell                         // a number
	nullableNumberCell                 // a number, or the word null
	unitCodeCell                       // the code of {code, name}, which is written by the first of both columns
	unitNameCell                       // the name of {code, name}, or the word null
	seoTitleCell                       // the title of {title, description, noindex}, or the word null
	seoDescriptionCell                 // its description
	seoNoIndexCell                     // its noindex, as of boolCell
	boolCell                           // true or false; the cell may also be 1 or 0
	idListCell                         // a|b: the complete list; an empty list if the cell is empty
	textListCell                       // a|b
	valueRefsCell                      // a column family: the complete list of {id, value_id}; a cell may be a|b
	valueRefCell                       // like valueRefsCell, with one value per cell
	remainderCell                      // a column family: the complete list of {stock_id, quantity}
	// A column family: a list of {price_list_id, from_quantity, price}. The id may be LIST@QUANTITY, and a cell the
	// word null.
	listPriceCell
)

// isFamily reports whether the type belongs to a column family: any number of columns named NAME:ID.
func (k cellType) isFamily() bool {
	return k == valueRefsCell || k == valueRefCell || k == remainderCell || k == listPriceCell
}

type column struct {
	name     string // in the header; for a family, the part before the colon
	member   string // of the item or part
	cellType cellType
}

// tableSchema describes the columns that a table of an entity may have. A column belongs to the item or to one of its
// parts, such as a variant. In a table with parts, each line describes one part.
type tableSchema struct {
	itemColumns []column // the first one has the item's id, and is required
	required    []string // further required columns
	// partsMember is the item's member that lists the parts. The first of partColumns contains the part's id.
	partsMember string
	partColumns []column
	// singlePrefix precedes the member names of the part's columns in a table without the part's id column. The item
	// then has a single part, which is written into the item itself.
	singlePrefix string
}

// scalarColumns returns the columns of the scalars of products or variants.
func scalarColumns[Row, Edit, Push any](scalars catalog.Scalars[Row, Edit, Push]) []column {
	columns := make([]column, 0, len(scalars)+1)

	for i := range scalars {
		m := &scalars[i]
		switch {
		case m.Field == productfield.Unit:
			columns = append(columns, column{"unit_code", m.Name, unitCodeCell},
				column{"unit_name", m.Name, unitNameCell})
		case m.Field == productfield.SEO:
			columns = append(columns, seoColumns()...)
		case m.Field == productfield.Barcodes:
			columns = append(columns, column{m.Name, m.Name, idListCell})
		case m.IsNumber:
			columns = append(columns, column{m.Name, m.Name, nullableNumberCell})
		default:
			columns = append(columns, column{m.Name, m.Name, textCell})
		}
	}

	return columns
}

// seoColumns returns the columns of what search engines are told.
func seoColumns() []column {
	return []column{{"seo_title", "seo", seoTitleCell}, {"seo_description", "seo", seoDescriptionCell},
		{"seo_noindex", "seo", seoNoIndexCell}}
}

// withPrefix puts a prefix before the headers of those columns of variants that are called like one of products.
func withPrefix(prefix string, columns []column) []column {
	for i, c := range columns {
		if slices.Contains(catalog.ProductScalars.Names(""), c.name) {
			columns[i].name = prefix + c.name
		}
	}
	return columns
}

// schemaOf returns the schema of an entity. docs/push.md describes the columns: change both together.
func schemaOf(entity string) tableSchema {
	values := []column{{"value_id", "id", textCell}, {"value_name", "name", textCell}}
	switch entity {
	case "products":
		return tableSchema{
			itemColumns: slices.Concat([]column{{"id", "id", textCell}, {"version", "version", numberCell}},
				scalarColumns(catalog.ProductScalars), []column{
					{"categories", "categories", idListCell},
					{"canonical_category", "canonical_category", nullableTextCell},
					{"feature", "features", valueRefsCell}, {"images", "images", textListCell},
					{"images_mode", "images_mode", textCell},
				}),
			partsMember: "variants", singlePrefix: "variant_",
			partColumns: slices.Concat([]column{{"variant_id", "id", textCell}},
				withPrefix("variant_", scalarColumns(catalog.VariantScalars)), []column{
					{"remainder", "remainders", remainderCell}, {"option", "options", valueRefCell},
					{"price", "prices", listPriceCell},
					{"variant_images", "images", textListCell}, {"variant_images_mode", "images_mode", textCell},
				}),
		}

	case "variant-options":
		return tableSchema{
			itemColumns: []column{{"id", "id", textCell}, {"version", "version", numberCell},
				{"name", "name", textCell}},
			partsMember: "values", partColumns: values,
		}

	case "features":
		return tableSchema{
			itemColumns: []column{
				{"id", "id", textCell}, {"version", "version", numberCell}, {"name", "name", textCell},
				{"filterable", "filterable", boolCell},
				{"field_type", "field_type", textCell}, {"range_type", "range_type", textCell},
			},
			partsMember: "values", partColumns: values,
		}

	case "categories":
		return tableSchema{itemColumns: slices.Concat([]column{
			{"id", "id", textCell}, {"version", "version", numberCell}, {"name", "name", textCell},
			{"parent_id", "parent_id", nullableTextCell}, {"slug", "slug", textCell},
			{"description", "description", textCell},
		}, seoColumns())}
	case "stocks":
		return tableSchema{itemColumns: []column{{"id", "id", textCell}, {"version", "version", numberCell},
			{"name", "name", textCell}}}
	case "price-lists":
		return tableSchema{itemColumns: []column{{"id", "id", textCell}, {"version", "version", numberCell},
			{"name", "name", textCell}, {"currency", "currency", textCell}}}
	case "remainders":
		return tableSchema{
			itemColumns: []column{
				{"variant_id", "variant_id", textCell}, {"product_id", "product_id", textCell},
				{"stock_id", "stock_id", textCell}, {"quantity", "quantity", numberCell},
			},
			required: []string{"stock_id", "quantity"},
		}

	case "prices":
		return tableSchema{
			itemColumns: []column{
				{"variant_id", "variant_id", textCell}, {"product_id", "product_id", textCell},
				{"price", "price", nullableNumberCell}, {"price_list_id", "price_list_id", textCell},
				{"from_quantity", "from_quantity", numberCell},
			},
			required: []string{"price"},
		}
	}

	return tableSchema{itemColumns: []column{{"id", "id", textCell}}}
}

// tableColumn is a column of the schema that the table contains.
type tableColumn struct {
	column
	index    int    // of the cell in a record
	familyID string // for a family, the part after the colon
	// firstOfFamily is true for the first column of a family in the table.
	firstOfFamily bool
}

type tableHeader struct {
	width       int
	idIndex     int // index of the column with the item's id
	itemColumns []tableColumn
	partColumns []tableColumn
	names       []string
	// failedColumns is the number of columns before those of the entity: see there.
	failedColumns int
	grouped       bool // the table has parts: consecutive lines with the same id make one item
	singlePart    bool // the part's columns describe the only part of each item
	ignored       []IgnoredColumn
	// isMapped says that a person has chosen what the columns are; the last ones, added, are not in the file.
	isMapped bool
	added    int
}

func parseHeader(cells []string, schema tableSchema, entity string) (tableHeader, error) {
	h := tableHeader{width: len(cells), names: make([]string, len(cells)), failedColumns: failedColumns(cells)}
	seen, families := map[string]bool{}, map[string]bool{}
	for index, cell := range cells {
		name, familyID, isFamily := strings.Cut(strings.TrimSpace(cell), ":")
		name = strings.ToLower(strings.TrimSpace(name))
		familyID = strings.TrimSpace(familyID)
		matches := func(c column) bool {
			return c.name == name && c.cellType.isFamily() == isFamily && (familyID != "" || !isFamily)
		}
		h.names[index] = name

		if isFamily {
			h.names[index] += ":" + familyID
		}

		if seen[h.names[index]] && h.names[index] != "" {
			return tableHeader{}, fault.New(fault.Invalid, "duplicate_column", "The column %s appears twice.",
				h.names[index])
		}

		seen[h.names[index]] = true

		if utf8.RuneCountInString(familyID) > rule.MaxName {
			return tableHeader{}, fault.New(fault.Invalid, "too_long",
				"The id in the name of column %d has more than %d characters.", index+1, rule.MaxName)
		}

		isFirst := familyID != "" && !families[name]
		families[name] = families[name] || isFirst
		if i := slices.IndexFunc(schema.itemColumns, matches); i >= 0 {
			h.itemColumns = append(h.itemColumns, tableColumn{schema.itemColumns[i], index, familyID, isFirst})
			if i == 0 {
				h.idIndex = index
			}
		} else if i := slices.IndexFunc(schema.partColumns, matches); i >= 0 {
			h.partColumns = append(h.partColumns, tableColumn{schema.partColumns[i], index, familyID, isFirst})
		} else if h.names[index] != "" && index >= h.failedColumns {
			h.ignored = append(h.ignored, IgnoredColumn{h.names[index], schema.suggest(name, familyID)})
		}
	}

	for _, name := range append([]string{schema.itemColumns[0].name}, schema.required...) {
		if !seen[name] {
			return tableHeader{}, fault.New(fault.Invalid, "missing_column",
				"A table of %s must have the column %s. The first line must name the columns; known columns are %s.",
				entity, name, schema.columnNames())
		}
	}

	if err := checkSEOColumns(h.itemColumns); err != nil {
		return tableHeader{}, err
	}

	if len(h.partColumns) > 0 {
		h.grouped = seen[schema.partColumns[0].name]
		h.singlePart = !h.grouped && schema.singlePrefix != ""
		if !h.grouped && !h.singlePart {
			return tableHeader{}, fault.New(fault.Invalid, "missing_column",
				"A table with the column %s must also have the column %s.", h.partColumns[0].name,
				schema.partColumns[0].name)
		}
	}

	return h, nil
}

// checkSEOColumns refuses a table with some of the columns for search engines. They are replaced together, so a table
// of titles alone would show pages to search engines again that are hidden from them.
func checkSEOColumns(columns []tableColumn) error {
	found, missing := "", ""
	for _, c := range seoColumns() {
		if slices.ContainsFunc(columns, func(given tableColumn) bool { return given.name == c.name }) {
			found = c.name
		} else {
			missing = c.name
		}
	}

	if found == "" || missing == "" {
		return nil
	}
	return fault.New(fault.Invalid, "missing_column", "A table with the column %s must also have the column %s: "+
		"what search engines are told is replaced as a whole.", found, missing)
}

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
