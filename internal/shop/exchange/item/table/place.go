package table

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Place tells where the members of an item stand in its file.
type Place struct {
	reader    *Reader
	line      int64   // of the item
	partLines []int64 // of its parts
	// singleLine is the line of the only part of an item, which has no id; 0 if there is none.
	singleLine int64
}

// Locate returns the column and the line of a member of the item, such as variants[1].price. body is the JSON of the
// item. It returns the member itself if the table has no column for it.
func (p *Place) Locate(body []byte, member string) (_ string, line int64) {
	schema, header := &p.reader.schema, &p.reader.header
	name, index, rest := cutStep(member)
	columns, line := header.itemColumns, p.line
	if header.singlePart && name == schema.partsMember && index == 0 && rest != "" {
		return p.Locate(body, schema.singlePrefix+rest) // the file has found the variant by its SKU
	}

	switch {
	case header.grouped && name == schema.partsMember && index >= 0:
		if index < len(p.partLines) {
			line = p.partLines[index]
		}
		columns = header.partColumns
		body = elementOf(memberOf(body, name), index)
		name, index, rest = cutStep(rest)
	case (header.singlePart || p.singleLine > 0) && !hasMember(columns, name):
		line = max(line, p.singleLine)
		columns = header.partColumns
		body = memberOf(body, name)
		name = strings.TrimPrefix(name, schema.singlePrefix)
		if index >= 0 {
			body = elementOf(body, index)
		}
		return header.columnName(columns, member, name, rest, body), line
	}

	body = memberOf(body, name)
	if index >= 0 {
		body = elementOf(body, index)
	}
	return header.columnName(columns, member, name, rest, body), line
}

// columnName returns the name of the column of a member. element is the element of a list that the member has, and rest
// the path within it. Without a column it returns path.
func (h *tableHeader) columnName(columns []tableColumn, path, name, rest string, element jsontext.Value) string {
	for _, c := range columns {
		switch {
		case c.member != name:
		case c.cellType.isFamily():
			if c.names(element) {
				return h.heading(&c)
			}
		case rest == "" || c.name == name || strings.HasSuffix(c.name, "_"+rest):
			return h.heading(&c)
		}
	}
	return path
}

// heading returns the name of a column in the file.
func (h *tableHeader) heading(c *tableColumn) string {
	switch {
	case h.isMapped:
		return h.names[c.index]
	case c.cellType.isFamily():
		return c.name + ":" + c.familyID
	}
	return c.name
}

// names reports whether an element of a list comes from the column of a family.
func (c *tableColumn) names(element jsontext.Value) bool {
	for _, member := range []string{"id", "stock_id", "price_list_id"} {
		var id string
		if json.Unmarshal(memberOf(element, member), &id) != nil || id == "" {
			continue
		}
		if c.cellType != listPriceCell {
			return id == c.familyID
		}
		steps := string(memberOf(element, "from_quantity"))
		return c.familyID == id && steps == "1" || c.familyID == id+"@"+steps
	}
	return false
}

func hasMember(columns []tableColumn, name string) bool {
	return slices.ContainsFunc(columns, func(c tableColumn) bool { return c.member == name })
}

// cutStep cuts the first step off a path: its name and its position in a list, or -1.
func cutStep(path string) (name string, index int, rest string) {
	step, rest, _ := strings.Cut(path, ".")
	name, position, found := strings.Cut(step, "[")
	index, err := strconv.Atoi(strings.TrimSuffix(position, "]"))
	if !found || err != nil || index < 0 {
		index = -1
	}
	return name, index, rest
}

// memberOf returns a member of an object; nil if there is none.
func memberOf(object jsontext.Value, name string) jsontext.Value {
	var members map[string]jsontext.Value
	if json.Unmarshal(object, &members) != nil {
		return nil
	}
	return members[name]
}

// elementOf returns an element of a list; nil if there is none.
func elementOf(list jsontext.Value, index int) jsontext.Value {
	var elements []jsontext.Value
	if json.Unmarshal(list, &elements) != nil || index >= len(elements) {
		return nil
	}
	return elements[index]
}
