package xlsx

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// add adds the cells that the attributes of an element mergeCell name, such as ref="A1:B3", if these are several rows.
func (m *mergedCells) add(attributes []byte) {
	text, _, _ := bytes.Cut(attributes, []byte(">"))
	_, ref, found := strings.Cut(string(text), `ref="`)
	if !found {
		_, ref, found = strings.Cut(string(text), `ref='`)
	}
	if !found {
		return
	}

	ref = ref[:max(0, strings.IndexAny(ref, `"'`))]
	from, to, _ := strings.Cut(ref, ":")
	column, first, ok := parseRef(from)
	_, last, okLast := parseRef(to)
	if ok && okLast && last > first && column < maxColumns {
		m.pending = append(m.pending, merge{column: column, first: first, last: last})
	}
}

func sortMerges(list []merge) {
	slices.SortFunc(list, func(a, b merge) int {
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.column, b.column))
	})
}
