package table

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// writeMembers writes cells as members of an item or of one of its parts, with prefix before each member name. An
// unreadable cell becomes a string: the rejects file then shows it, and the gate rejects it if it is pushed unchanged.
func (g *recordGroup) writeMembers(w *jsonWriter, line int64, prefix string, columns []tableColumn, cells []string) {
	for i, col := range columns {
		name := prefix + col.member

		cell := cells[i]
		switch {
		case col.cellType.isFamily():
			// The first column of a family writes the list for all columns of the family.
			if col.firstOfFamily {
				w.text(name)
				g.writeFamily(w, line, col.member, columns, cells)
			}
		case col.cellType == idListCell, col.cellType == textListCell && cell != "":
			w.text(name)
			w.write(jsontext.BeginArray)
			w.text(splitList(cell)...)
			w.write(jsontext.EndArray)
		case col.cellType == unitCodeCell, col.cellType == unitNameCell:
			if i == slices.IndexFunc(columns, func(c tableColumn) bool { return c.member == col.member }) {
				writeUnit(w, name, columns, cells)
			}
		case col.cellType == seoTitleCell, col.cellType == seoDescriptionCell, col.cellType == seoNoIndexCell:
			if i == slices.IndexFunc(columns, func(c tableColumn) bool { return c.member == col.member }) {
				g.writeSEO(w, line, name, columns, cells)
			}
		case col.cellType == nullableTextCell && cell == "":
			w.text(name)
			w.write(jsontext.Null)
		case cell == "":
		case col.cellType == nullableNumberCell && strings.EqualFold(cell, "null"):
			w.text(name)
			w.write(jsontext.Null)
		case col.cellType == numberCell, col.cellType == nullableNumberCell:
			w.text(name)
			g.writeNumber(w, line, col, cell)
		case col.cellType == boolCell:
			w.text(name)
			g.writeBool(w, line, col, cell)
		default:
			w.text(name, cell)
		}
	}
}

// writeFamily writes the complete list that the columns of a family make together. Empty cells are left out.
func (g *recordGroup) writeFamily(w *jsonWriter, line int64, member string, columns []tableColumn, cells []string) {
	w.write(jsontext.BeginArray)

	for i, col := range columns {
		if col.member != member || cells[i] == "" {
			continue
		}

		if col.cellType == listPriceCell {
			g.writeListPrice(w, line, col, cells[i])
			continue
		}

		if col.cellType == remainderCell {
			w.write(jsontext.BeginObject)
			w.text("stock_id", col.familyID, "quantity")
			g.writeNumber(w, line, col, cells[i])
			w.write(jsontext.EndObject)
			continue
		}

		values := splitList(cells[i])
		if col.cellType == valueRefCell && len(values) > 1 {
			g.fail(line, col.name+":"+col.familyID, "%s:%s must be one value; %s are several", col.name, col.familyID,
				cells[i])
		}

		for _, value := range values {
			w.write(jsontext.BeginObject)
			w.text("id", col.familyID, "value_id", value)
			w.write(jsontext.EndObject)
		}
	}

	w.write(jsontext.EndArray)
}

// writeListPrice writes a price in a price list. The text after the last @ of the column's id is the quantity from
// which on the price applies, if it is a number.
func (g *recordGroup) writeListPrice(w *jsonWriter, line int64, col tableColumn, cell string) {
	list := col.familyID
	quantity := "1"
	if at := strings.LastIndexByte(list, '@'); at > 0 {
		if n, ok := parseNumber(list[at+1:], g.records.sep); ok {
			list = strings.TrimSpace(list[:at])
			quantity = n
		}
	}

	w.write(jsontext.BeginObject)
	w.text("price_list_id", list, "from_quantity")
	w.raw(jsontext.Value(quantity))
	w.text("price")
	if strings.EqualFold(cell, "null") {
		w.write(jsontext.Null)
	} else {
		g.writeNumber(w, line, col, cell)
	}
	w.write(jsontext.EndObject)
}

// writeUnit writes the unit that its two columns make together, unless both cells are empty.
func writeUnit(w *jsonWriter, member string, columns []tableColumn, cells []string) {
	var code, name string
	for i, col := range columns {
		switch col.cellType {
		case unitCodeCell:
			code = cells[i]
		case unitNameCell:
			name = cells[i]
		}
	}

	switch {
	case code == "" && name == "":
		return
	case code == "" && strings.EqualFold(name, "null"):
		w.text(member)
		w.write(jsontext.Null)
		return
	}

	w.text(member)
	w.write(jsontext.BeginObject)
	w.text("code", code, "name", name)
	w.write(jsontext.EndObject)
}

// writeSEO writes the object that its three columns make together, unless all cells are empty.
func (g *recordGroup) writeSEO(w *jsonWriter, line int64, member string, columns []tableColumn, cells []string) {
	var title, description, hidden string
	var flag tableColumn
	for i, col := range columns {
		switch col.cellType {
		case seoTitleCell:
			title = cells[i]
		case seoDescriptionCell:
			description = cells[i]
		case seoNoIndexCell:
			hidden = cells[i]
			flag = col
		}
	}

	switch {
	case title == "" && description == "" && hidden == "":
		return
	case strings.EqualFold(title, "null") && description == "" && hidden == "":
		w.text(member)
		w.write(jsontext.Null)
		return
	}

	w.text(member)
	w.write(jsontext.BeginObject)
	w.text("title", title, "description", description)
	if hidden != "" {
		w.text("noindex")
		g.writeBool(w, line, flag, hidden)
	}
	w.write(jsontext.EndObject)
}

func (g *recordGroup) writeNumber(w *jsonWriter, line int64, col tableColumn, cell string) {
	name := g.header.names[col.index]
	parse := func() (string, bool) { return parseNumber(cell, g.records.sep) }
	if g.header.isMapped {
		parse = func() (string, bool) { return parseWrittenNumber(cell) }
	}
	if n, ok := parse(); ok {
		w.raw(jsontext.Value(n))
		return
	}

	example := "such as 12.50"
	if g.records.sep != ',' || g.header.isMapped {
		example = "such as 12.50 or 12,50"
	}
	g.fail(line, name, "%s must be a number %s; %q is not", name, example, cell)
	w.text(cell)
}

func (g *recordGroup) writeBool(w *jsonWriter, line int64, col tableColumn, cell string) {
	switch strings.ToLower(cell) {
	case "true", "1":
		w.write(jsontext.True)
	case "false", "0":
		w.write(jsontext.False)
	default:
		g.fail(line, col.name, "%s must be true or false; %q is neither", col.name, cell)
		w.text(cell)
	}
}

// digitSpaceRemover removes plain, no-break and narrow no-break spaces, which may group the digits of a number.
var digitSpaceRemover = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "")

// numberPattern matches a number after the spaces between its digits are removed.
var numberPattern = regexp.MustCompile(`^-?[0-9]+([.,][0-9]+)?$`)

// parseNumber converts a cell to a JSON number. Spaces may group digits. A comma is a decimal
// separator. If sep, the separator of cells, is a comma, a cell with a comma is not a number.
func parseNumber(cell string, sep byte) (string, bool) {
	cell = digitSpaceRemover.Replace(cell)
	if !numberPattern.MatchString(cell) || sep == ',' && strings.Contains(cell, ",") {
		return "", false
	}

	sign := ""
	if rest, ok := strings.CutPrefix(cell, "-"); ok {
		sign = "-"
		cell = rest
	}

	integer, fraction, _ := strings.Cut(strings.ReplaceAll(cell, ",", "."), ".")
	integer = strings.TrimLeft(integer, "0")
	if integer == "" {
		integer = "0"
	}

	if fraction != "" {
		fraction = "." + fraction
	}

	return sign + integer + fraction, true
}

// writtenNumberPattern matches a number as people write it: with a currency before or behind it, and with points,
// commas, apostrophes or any spaces between its digits.
var writtenNumberPattern = regexp.MustCompile(
	`^(?:\p{Sc}|\p{L}{1,5}\.?)?([-−]?)(?:\p{Sc})?([0-9][0-9.,']*)(?:\p{Sc}|\p{L}{1,5}\.?|,-)?$`)

// parseWrittenNumber converts a cell of a column that a person has chosen, such as «1 234,50 ₽» or $1,234.50, to a JSON
// number. It is exact. A number such as 1,234 is refused, since it may be more than a thousand or little more than one.
func parseWrittenNumber(cell string) (string, bool) {
	cell = strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) || c == '\u200b' {
			return -1
		}
		return c
	}, cell)
	parts := writtenNumberPattern.FindStringSubmatch(cell)
	if parts == nil {
		return "", false
	}

	digits := strings.ReplaceAll(parts[2], "'", "")
	points := strings.Count(digits, ".")
	commas := strings.Count(digits, ",")
	decimal := strings.LastIndexAny(digits, ".,")
	switch {
	case points > 1 && commas > 1, decimal == len(digits)-1:
		return "", false
	case points > 1 && commas == 0, commas > 1 && points == 0:
		decimal = -1 // 1.234.567
	case points == 0 && commas == 1 && len(digits)-decimal == 4 && decimal <= 3 && digits[0] != '0':
		return "", false
	}

	integer, fraction := digits, ""
	if decimal >= 0 {
		integer = digits[:decimal]
		fraction = digits[decimal:]
	}
	if !isGrouped(integer) {
		return "", false
	}
	integer = strings.NewReplacer(".", "", ",", "").Replace(integer)
	sign := strings.ReplaceAll(parts[1], "−", "-")
	return parseNumber(sign+integer+fraction, 0)
}

// isGrouped reports whether all groups of digits but the first have three digits.
func isGrouped(integer string) bool {
	groups := strings.FieldsFunc(integer, func(c rune) bool { return c == '.' || c == ',' })
	for _, group := range groups[min(1, len(groups)):] {
		if len(group) != 3 {
			return false
		}
	}
	return len(groups) > 0
}

// jsonWriter writes a JSON value to memory. Writing does not fail, because invalid UTF-8 is replaced.
type jsonWriter struct {
	buf   bytes.Buffer
	enc   jsontext.Encoder
	limit int
	// full is set once the value has more than limit bytes. Then nothing more is written, and it is not complete. A
	// value may become much longer than its line: each cell of a family is written with the id of its column.
	full bool
}

// reset discards what was written, and sets the limit of the value in bytes. It must be called before the first write.
func (w *jsonWriter) reset(limit int) {
	w.limit = limit
	w.full = false
	w.buf.Reset()
	w.enc.Reset(&w.buf, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}

func (w *jsonWriter) write(tokens ...jsontext.Token) {
	for _, t := range tokens {
		if w.isFull() {
			return
		}
		_ = w.enc.WriteToken(t)
	}
}

// text writes strings: a member name, an array element, or a name and its value.
func (w *jsonWriter) text(list ...string) {
	for _, s := range list {
		if w.isFull() {
			return
		}
		_ = w.enc.WriteToken(jsontext.String(s))
	}
}

// raw writes a value that is JSON already.
func (w *jsonWriter) raw(value jsontext.Value) {
	if !w.isFull() {
		_ = w.enc.WriteValue(value)
	}
}

func (w *jsonWriter) isFull() bool {
	w.full = w.full || w.enc.OutputOffset() > int64(w.limit)
	return w.full
}

// value returns the value, once it is complete. It is valid until reset.
func (w *jsonWriter) value() jsontext.Value { return bytes.TrimSuffix(w.buf.Bytes(), []byte("\n")) }

func splitList(cell string) []string {
	var values []string
	for value := range strings.SplitSeq(cell, "|") {
		if value = strings.TrimSpace(value); value != "" {
			values = append(values, value)
		}
	}
	return values
}
