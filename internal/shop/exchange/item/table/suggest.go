package table

import (
	"slices"
	"strings"

	"vitrine/internal/kit/fault"
)

// maxSuggestName limits the length of a name for which a known column is looked up, in bytes.
const maxSuggestName = 64

// IgnoredColumn is a column that the entity does not have.
type IgnoredColumn struct {
	Name string
	// DidYouMean is the known column that was probably meant; nil if none is similar.
	DidYouMean *string
}

// suggest returns the known column that was probably meant by an unknown one, or nil. family is the part after the
// colon of the unknown one, or "".
func (s tableSchema) suggest(name, family string) *string {
	if len(name) > maxSuggestName {
		return nil
	}

	var best *column
	folded := foldName(name)
	most := max(1, len(name)/3)
	columns := slices.Concat(s.itemColumns, s.partColumns)
	for i := range columns {
		known := foldName(columns[i].name)
		if n := fault.EditDistance(folded, known); n <= most && n < len(known) {
			best = &columns[i]
			most = n - 1
		}
	}

	// JSON calls the columns of the only variant by their names with a prefix. most is -1 after an equal name.
	if most >= 0 && s.singlePrefix != "" {
		for i := range s.partColumns {
			if folded == foldName(s.singlePrefix+s.partColumns[i].name) {
				best = &s.partColumns[i]
				break // price, not price:ID
			}
		}
	}

	switch {
	case best == nil:
		return nil
	case !best.cellType.isFamily():
		return &best.name
	case family == "":
		family = "ID"
	}

	return new(best.name + ":" + family)
}

var nameFolder = strings.NewReplacer("_", "", "-", "", " ", "")

// foldName returns a name in a form in which Variant ID and variant_id are equal.
func foldName(name string) string { return nameFolder.Replace(strings.ToLower(name)) }
