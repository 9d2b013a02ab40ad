package pushclient

import (
	"slices"
	"strings"

	"vitrine/internal/kit/fault"
)

// kind is how a cell becomes JSON.
type kind int

const (
	asText    kind = iota // a string; an empty cell says nothing
	asPlace               // a string; an empty cell is null
	asNumber              // a number; an empty cell says nothing
	asBool                // true or false, 1 or 0; an empty cell says nothing
	asIDs                 // a|b: the full list, so an empty cell is an empty one
	asTexts               // a|b; an empty cell says nothing
	asChoices             // a family of columns: the full list of {id, value_id}; a cell may be a|b
	asChoice              // the same with one value a cell
	asAmounts             // a family of columns: the full list of {stock_id, quantity}
)

// family reports whether columns of the kind are named NAME:ID, any number of them.
func (k kind) family() bool { return k == asChoices || k == asChoice || k == asAmounts }

// column is one that a table may have.
type column struct {
	name   string // in the first line; of a family, what stands before the colon
	member string // in the item
	kind   kind
}

// sheet is what a table of an entity may have: columns of the item, and columns of its parts, of which each line is one.
type sheet struct {
	own      []column
	required []string
	// list is the member that holds the parts; the first column of part names them.
	list string
	part []column
	// single is set before the columns of a part when they stand for the item's only one: a table without part[0].
	single string
}

// sheetOf returns the columns of an entity. docs/push.md describes them; change both together.
func sheetOf(entity string) sheet {
	values := []column{{"value_id", "id", asText}, {"value_name", "name", asText}}
	switch entity {
	case "products":
		return sheet{
			own: []column{
				{"id", "id", asText}, {"name", "name", asText}, {"description", "description", asText}, {"categories", "categories", asIDs},
				{"feature", "features", asChoices}, {"images", "images", asTexts}, {"images_mode", "images_mode", asText},
			},
			required: []string{"id"}, list: "variants", single: "variant_",
			part: []column{
				{"variant_id", "id", asText}, {"variant_name", "name", asText}, {"sku", "sku", asText}, {"price", "price", asNumber},
				{"remainder", "remainders", asAmounts}, {"option", "options", asChoice},
			},
		}
	case "variant-options":
		return sheet{own: []column{{"id", "id", asText}, {"name", "name", asText}}, required: []string{"id"}, list: "values", part: values}
	case "features":
		return sheet{
			own: []column{
				{"id", "id", asText}, {"name", "name", asText}, {"filterable", "filterable", asBool},
				{"field_type", "field_type", asText}, {"range_type", "range_type", asText},
			},
			required: []string{"id"}, list: "values", part: values,
		}
	case "categories":
		return sheet{own: []column{{"id", "id", asText}, {"name", "name", asText}, {"parent_id", "parent_id", asPlace}}, required: []string{"id"}}
	case "stocks":
		return sheet{own: []column{{"id", "id", asText}, {"name", "name", asText}}, required: []string{"id"}}
	case "remainders":
		return sheet{
			own:      []column{{"variant_id", "variant_id", asText}, {"product_id", "product_id", asText}, {"stock_id", "stock_id", asText}, {"quantity", "quantity", asNumber}},
			required: []string{"variant_id", "stock_id", "quantity"},
		}
	case "prices":
		return sheet{
			own:      []column{{"variant_id", "variant_id", asText}, {"product_id", "product_id", asText}, {"price", "price", asNumber}},
			required: []string{"variant_id", "price"},
		}
	}
	return sheet{}
}

// used is a column of a sheet that a table has.
type used struct {
	column
	at int    // its place in a line
	of string // for a family, what stands after the colon
}

// header is what the first line of a table says.
type header struct {
	width   int
	id      int // the place of the column that names the item
	own     []used
	part    []used
	names   []string
	parts   bool // each line may be a part of the item that the line before began
	single  bool // the columns of a part stand for the item's only one
	ignored []string
}

// readHeader holds the names of a table's columns against its sheet.
func readHeader(cells []string, s sheet, entity string) (header, error) {
	h := header{width: len(cells), names: make([]string, len(cells))}
	seen := map[string]bool{}
	for at, cell := range cells {
		name, of, isFamily := strings.Cut(strings.TrimSpace(cell), ":")
		name, of = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(of)
		fits := func(c column) bool { return c.name == name && c.kind.family() == isFamily && (of != "" || !isFamily) }
		h.names[at] = name
		if isFamily {
			h.names[at] += ":" + of
		}
		if seen[h.names[at]] && h.names[at] != "" {
			return header{}, fault.New(fault.Invalid, "duplicate_column", "The column %s is there twice.", h.names[at])
		}
		seen[h.names[at]] = true
		if i := slices.IndexFunc(s.own, fits); i >= 0 {
			h.own = append(h.own, used{s.own[i], at, of})
			if i == 0 {
				h.id = at
			}
		} else if i := slices.IndexFunc(s.part, fits); i >= 0 {
			h.part = append(h.part, used{s.part[i], at, of})
		} else if h.names[at] != "" {
			h.ignored = append(h.ignored, "column "+h.names[at])
		}
	}
	for _, name := range s.required {
		if !seen[name] {
			return header{}, fault.New(fault.Invalid, "missing_column", "A table of %s must have the column %s; its first line names its columns. Known are %s.", entity, name, s.known())
		}
	}
	if len(h.part) > 0 {
		h.parts = seen[s.part[0].name]
		h.single = !h.parts && s.single != ""
		if !h.parts && !h.single {
			return header{}, fault.New(fault.Invalid, "missing_column", "A table with the column %s must have %s too.", h.part[0].name, s.part[0].name)
		}
	}
	return h, nil
}

// known lists the columns of a sheet.
func (s sheet) known() string {
	var names []string
	for _, c := range slices.Concat(s.own, s.part) {
		if c.kind.family() {
			c.name += ":ID"
		}
		names = append(names, c.name)
	}
	return strings.Join(names, ", ")
}
