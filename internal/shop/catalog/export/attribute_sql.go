package export

import (
	"cmp"
	"context"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

const exportAttributesSQL = `
SELECT ` + catalog.AttributeColumns + `
FROM attributes
WHERE store_id = $1
  AND kind = $2
  AND key > $3
  AND updated_at >= $4
ORDER BY key
LIMIT $5`

const exportValuesSQL = `
WITH r(key) AS (ROWS)
SELECT v.attribute_key, v.position, v.key, v.id, v.external_id, v.name
FROM r
CROSS JOIN LOOKUP (attribute_values v WHERE v.store_id = $1 AND v.attribute_key = r.key AND v.deleted_at IS NULL)`

const exportLongListSQL = `
SELECT position, key, id, external_id, name
FROM attribute_values
WHERE store_id = $1
  AND attribute_key = $2
  AND deleted_at IS NULL
ORDER BY `

// ExportedAttribute is an option or a feature of an export.
type ExportedAttribute struct {
	// AttributePush has no Values; EachValue returns them. Removed are the external ids of values that were deleted.
	catalog.AttributePush
	Key     int64
	LeftOut bool // it has no external id
	// EachValue calls fn for each value in its order. It returns the number of values without an external id, for which
	// it does not call fn.
	EachValue func(fn func(catalog.ValuePush) error) (leftOut int64, err error)
}

const (
	// exportPageAttributes and exportPageValues limit the attributes that are read together, and their values. The
	// values of an attribute with more are read one by one.
	exportPageAttributes = 500
	exportPageValues     = 10_000
)

// exportValue is a value with its place among the values of its attribute.
type exportValue struct {
	catalog.ValuePush
	position, key int64
}

// Attributes calls fn for each option or feature that was changed since a time in microseconds, in the order of their
// creation.
func (s *Exports) Attributes(
	ctx context.Context, tx store.Tx, kind catalog.Kind, changedSince int64, fn func(*ExportedAttribute) error,
) (err error) {
	defer fault.AddContext(&err, "export %ss", kind)

	names := &exportNames{}
	for after := int64(0); ; {
		var page []catalog.Attribute
		err := database.QueryEach(ctx, tx, exportAttributesSQL,
			[]any{string(kind), after, changedSince, exportPageAttributes},
			database.AppendScanned(&page, catalog.ScanAttribute))
		if err != nil {
			return err
		}

		for rest := page; len(rest) > 0; {
			n := shortAttributes(rest)
			if err := eachExported(ctx, tx, names, rest[:n], changedSince, fn); err != nil {
				return err
			}
			rest = rest[n:]
		}

		if len(page) < exportPageAttributes {
			return nil
		}

		after = page[len(page)-1].Key
	}
}

// IS NOT NULL matches the condition of a partial index; see docs/planner.md.
const attributeKeysSQL = `
WITH r(external_id) AS (ROWS)
SELECT a.key
FROM r
CROSS JOIN LOOKUP (attributes a WHERE a.store_id = $1 AND a.kind = $2 AND a.external_id = r.external_id
	AND a.external_id IS NOT NULL)`

// AttributesByID is like Attributes, for the attributes with these external ids, in any order.
func (s *Exports) AttributesByID(
	ctx context.Context, tx store.Tx, kind catalog.Kind, externalIDs []string, fn func(*ExportedAttribute) error,
) (err error) {
	defer fault.AddContext(&err, "export %ss", kind)

	var keys []int64
	err = tx.QueryRows(ctx, attributeKeysSQL, write.TextBatch(externalIDs), database.AppendColumn(&keys), string(kind))
	if err != nil {
		return err
	}

	slices.Sort(keys)
	var list []catalog.Attribute
	err = tx.QueryRows(ctx, catalog.LockedAttributesSQL, write.KeyBatch(keys),
		database.AppendScanned(&list, catalog.ScanAttribute))
	for len(list) > 0 && err == nil {
		n := shortAttributes(list)
		err = eachExported(ctx, tx, &exportNames{}, list[:n], 0, fn)
		list = list[n:]
	}

	return err
}

// shortAttributes returns how many of the attributes, at least one, have exportPageValues values together.
func shortAttributes(list []catalog.Attribute) int {
	values := int64(0)
	for i := range list {
		if values += list[i].ValueCount; values > exportPageValues {
			return max(1, i)
		}
	}
	return len(list)
}

// eachExported calls fn for each attribute. Their values are in memory, unless a single attribute has very many. If
// changedSince is not 0, the values that are gone since then are added.
func eachExported(
	ctx context.Context, tx store.Tx, names *exportNames, list []catalog.Attribute, changedSince int64,
	fn func(*ExportedAttribute) error,
) error {
	values, leftOut := map[int64][]exportValue{}, map[int64]int64{}
	long := len(list) == 1 && list[0].ValueCount > exportPageValues
	if !long {
		keys := make([]int64, len(list))
		for i := range list {
			keys[i] = list[i].Key
		}

		err := write.QueryByKey(ctx, tx, exportValuesSQL, keys, func(rows database.Rows) error {
			var attribute int64
			v, err := names.scanValue(rows, &attribute)
			if v.ID == "" {
				leftOut[attribute]++
			} else {
				values[attribute] = append(values[attribute], v)
			}
			return err
		})
		if err != nil {
			return err
		}
	}

	exported := make([]*ExportedAttribute, len(list))
	for i := range list {
		a := &list[i]
		out := &ExportedAttribute{Key: a.Key}
		exported[i] = out
		out.ID = names.own(a.ExternalID, a.ID.String, &out.LeftOut)
		out.Name = &a.Name

		if a.Kind == catalog.Feature {
			out.Filterable, out.FieldType = &a.Filterable, &a.FieldType
			if a.FieldType == catalog.Range {
				out.RangeType = &a.RangeType
			}
		}

		out.EachValue = func(fn func(catalog.ValuePush) error) (int64, error) {
			if long {
				return names.eachLongValue(ctx, tx, a, fn)
			}

			sorted := values[a.Key]
			slices.SortFunc(sorted, func(a, b exportValue) int {
				return cmp.Or(cmp.Compare(a.position, b.position), cmp.Compare(a.key, b.key))
			})
			for _, v := range sorted {
				if err := fn(v.ValuePush); err != nil {
					return 0, err
				}
			}

			return leftOut[a.Key], nil
		}
	}

	if changedSince != 0 {
		if err := addRemoved(ctx, tx, list[0].Kind, exported, changedSince); err != nil {
			return err
		}
	}

	for _, a := range exported {
		if err := fn(a); err != nil {
			return err
		}
	}

	return nil
}

// eachLongValue calls fn for each value of an attribute, in its order, while it reads them.
func (n *exportNames) eachLongValue(
	ctx context.Context, tx store.Tx, a *catalog.Attribute, fn func(catalog.ValuePush) error,
) (leftOut int64, err error) {
	order := "key"
	if a.Ordered {
		order = "position, key"
	}
	err = database.QueryEach(ctx, tx, exportLongListSQL+order, []any{a.Key}, func(rows database.Rows) error {
		v, err := n.scanValue(rows)
		if v.ID == "" {
			leftOut++
			return err
		}
		return fn(v.ValuePush)
	})
	return leftOut, err
}

// scanValue scans a value. The columns before the value's own are scanned into leading. Without an external id, ID is
// the value's own id if n.ownIDs is set, and otherwise empty.
func (n *exportNames) scanValue(rows database.Rows, leading ...any) (v exportValue, err error) {
	var i catalog.ValueID
	var externalID *string
	err = rows.Scan(append(leading, &v.position, &v.key, &i, &externalID, &v.Name)...)
	v.ID = n.name(externalID, i.String).text
	return v, err
}
