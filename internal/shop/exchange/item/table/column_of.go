package table

import "strings"

// ColumnOf returns the column of a table of the entity that a change is about, for people: the field
// variants[7].remainders[main] of a product is the column remainder:main, followed by the id of the variant. A field
// without a column is returned as it is.
func ColumnOf(entity, field string) string {
	schema := schemaOf(entity)
	columns := schema.itemColumns
	part := ""

	if rest, ok := strings.CutPrefix(field, schema.partsMember+"["); ok && schema.partsMember != "" {
		id, member, found := strings.Cut(rest, "].")
		if !found {
			return field
		}
		columns = schema.partColumns
		part = " (" + id + ")"
		field = member
	} else if rest, ok := strings.CutPrefix(field, schema.singlePrefix); ok && schema.singlePrefix != "" {
		columns = schema.partColumns
		field = rest
	}

	name, id, inList := strings.Cut(strings.TrimSuffix(field, "]"), "[")
	for _, c := range columns {
		switch {
		case c.member != name:
		case c.cellType == listPriceCell && inList:
			list, steps, _ := strings.Cut(id, ",")
			if steps != "1" && steps != "" {
				list += "@" + steps
			}
			return c.name + ":" + list + part
		case c.cellType.isFamily() && inList:
			return c.name + ":" + id + part
		case !inList:
			return c.name + part
		}
	}

	return field + part
}
