package pushclient

import (
	"fmt"
	"slices"
	"strings"
)

// members writes cells as members of an item or of one of its parts; each name gets the prefix. A cell that cannot be read becomes a string: it is
// seen in the rejects, and refused if it is sent as it is.
func (g *group) members(o *object, line int64, prefix string, columns []used, cells []string) {
	for i, u := range columns {
		name := prefix + u.member
		switch {
		case u.kind.family():
			// The first column of a family writes for all.
			if slices.IndexFunc(columns, func(other used) bool { return other.member == u.member }) == i {
				o.member(name)
				o.buf = g.family(o.buf, line, u.member, columns, cells)
			}
		case u.kind == asIDs, u.kind == asTexts && cells[i] != "":
			o.member(name)
			o.buf = append(o.buf, '[')
			for n, id := range parts(cells[i]) {
				o.buf = quote(comma(o.buf, n), id)
			}
			o.buf = append(o.buf, ']')
		case u.kind == asPlace && cells[i] == "":
			o.member(name)
			o.buf = append(o.buf, "null"...)
		case cells[i] == "":
		case u.kind == asNumber:
			o.member(name)
			o.buf = g.number(o.buf, line, u, cells[i])
		case u.kind == asBool:
			o.member(name)
			o.buf = g.boolean(o.buf, line, u, cells[i])
		default:
			o.text(name, cells[i])
		}
	}
}

// family writes the list that all columns of a family make together. It is the full list: an empty cell is not in it.
func (g *group) family(buf []byte, line int64, member string, columns []used, cells []string) []byte {
	buf = append(buf, '[')
	n := 0
	for i, u := range columns {
		if u.member != member || cells[i] == "" {
			continue
		}
		if u.kind == asAmounts {
			o := newObject(comma(buf, n))
			o.text("stock_id", u.of)
			o.member("quantity")
			o.buf = g.number(o.buf, line, u, cells[i])
			buf = o.end()
			n++
			continue
		}
		values := parts(cells[i])
		if u.kind == asChoice && len(values) > 1 {
			g.fail(line, u.name+":"+u.of, "%s:%s must be one value; %s is several", u.name, u.of, cells[i])
		}
		for _, value := range values {
			o := newObject(comma(buf, n))
			o.text("id", u.of)
			o.text("value_id", value)
			buf = o.end()
			n++
		}
	}
	return append(buf, ']')
}

func (g *group) number(buf []byte, line int64, u used, cell string) []byte {
	if n, ok := numberOf(cell, g.in.sep); ok {
		return append(buf, n...)
	}
	right := "such as 12.50"
	if g.in.sep != ',' {
		right = "such as 12.50 or 12,50"
	}
	g.fail(line, g.header.names[u.at], "%s must be a number %s; %q is not", g.header.names[u.at], right, cell)
	return quote(buf, cell)
}

func (g *group) boolean(buf []byte, line int64, u used, cell string) []byte {
	switch strings.ToLower(cell) {
	case "true", "1":
		return fmt.Append(buf, true)
	case "false", "0":
		return fmt.Append(buf, false)
	}
	g.fail(line, u.name, "%s must be true or false; %q is neither", u.name, cell)
	return quote(buf, cell)
}

// comma separates the nth element of a list from the one before.
func comma(buf []byte, n int) []byte {
	if n > 0 {
		return append(buf, ',')
	}
	return buf
}
