package push

import (
	"fmt"
	"slices"
	"strings"
)

// writeMembers writes cells as members of an item or of one of its parts, with prefix before each member name. An
// unreadable cell becomes a string: the rejects file then shows it, and the gate rejects it if it is pushed unchanged.
func (g *recordGroup) writeMembers(o *objectWriter, line int64, prefix string, columns []tableColumn, cells []string) {
	for i, col := range columns {
		name := prefix + col.member
		switch {
		case col.cellType.isFamily():
			// The first column of a family writes the list for all columns of the family.
			if slices.IndexFunc(columns, func(other tableColumn) bool { return other.member == col.member }) == i {
				o.member(name)
				o.buf = g.appendFamily(o.buf, line, col.member, columns, cells)
			}
		case col.cellType == idListCell, col.cellType == textListCell && cells[i] != "":
			o.member(name)
			o.buf = append(o.buf, '[')
			for n, id := range splitList(cells[i]) {
				o.buf = appendQuoted(appendComma(o.buf, n), id)
			}
			o.buf = append(o.buf, ']')
		case col.cellType == nullableTextCell && cells[i] == "":
			o.member(name)
			o.buf = append(o.buf, "null"...)
		case cells[i] == "":
		case col.cellType == numberCell:
			o.member(name)
			o.buf = g.appendNumber(o.buf, line, col, cells[i])
		case col.cellType == boolCell:
			o.member(name)
			o.buf = g.appendBool(o.buf, line, col, cells[i])
		default:
			o.textMember(name, cells[i])
		}
	}
}

// appendFamily appends the complete list that the columns of a family make together. Empty cells are left out.
func (g *recordGroup) appendFamily(
	buf []byte, line int64, member string, columns []tableColumn, cells []string,
) []byte {
	buf = append(buf, '[')
	n := 0
	for i, col := range columns {
		if col.member != member || cells[i] == "" {
			continue
		}
		if col.cellType == remainderCell {
			o := newObjectWriter(appendComma(buf, n))
			o.textMember("stock_id", col.familyID)
			o.member("quantity")
			o.buf = g.appendNumber(o.buf, line, col, cells[i])
			buf = o.end()
			n++
			continue
		}
		values := splitList(cells[i])
		if col.cellType == valueRefCell && len(values) > 1 {
			g.fail(line, col.name+":"+col.familyID, "%s:%s must be one value; %s are several", col.name, col.familyID,
				cells[i])
		}
		for _, value := range values {
			o := newObjectWriter(appendComma(buf, n))
			o.textMember("id", col.familyID)
			o.textMember("value_id", value)
			buf = o.end()
			n++
		}
	}
	return append(buf, ']')
}

func (g *recordGroup) appendNumber(buf []byte, line int64, col tableColumn, cell string) []byte {
	if n, ok := parseNumber(cell, g.records.sep); ok {
		return append(buf, n...)
	}
	example := "such as 12.50"
	if g.records.sep != ',' {
		example = "such as 12.50 or 12,50"
	}
	g.fail(line, g.header.names[col.index], "%s must be a number %s; %q is not", g.header.names[col.index], example,
		cell)
	return appendQuoted(buf, cell)
}

func (g *recordGroup) appendBool(buf []byte, line int64, col tableColumn, cell string) []byte {
	switch strings.ToLower(cell) {
	case "true", "1":
		return fmt.Append(buf, true)
	case "false", "0":
		return fmt.Append(buf, false)
	}
	g.fail(line, col.name, "%s must be true or false; %q is neither", col.name, cell)
	return appendQuoted(buf, cell)
}

// appendComma appends a comma before every element of a list except the first.
func appendComma(buf []byte, n int) []byte {
	if n > 0 {
		return append(buf, ',')
	}
	return buf
}
