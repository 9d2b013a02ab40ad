package modifier

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"slices"
	"strconv"
	"strings"
)

// WithIDs returns stored modifiers in which each group and each item has an id. Those without one get a made id, which
// follows from the name, and among equal names of a list from their order: it stays the same when the same names are
// stored again, in whichever order and with whichever prices. An id that another object of the list has is never made.
func WithIDs(stored string) string {
	if stored == "" || stored == None {
		return stored
	}

	type insertion struct {
		from, to int
		text     string
	}
	var insertions []insertion
	insert := func(o *object) {
		switch {
		case !o.made:
		case o.idTo > o.idFrom:
			insertions = append(insertions, insertion{o.idFrom, o.idTo, `"` + o.id + `"`})
		default:
			insertions = append(insertions, insertion{o.idFrom, o.idTo, `"id":"` + o.id + `",`})
		}
	}

	groups := withIDs(stored)
	for i := range groups {
		insert(&groups[i])
		for n := range groups[i].items {
			insert(&groups[i].items[n])
		}
	}

	if insertions == nil {
		return stored
	}

	slices.SortFunc(insertions, func(a, b insertion) int { return cmp.Compare(a.from, b.from) })
	var b strings.Builder
	last := 0
	for _, in := range insertions {
		b.WriteString(stored[last:in.from])
		b.WriteString(in.text)
		last = in.to
	}
	b.WriteString(stored[last:])
	return b.String()
}

// withIDs returns the groups of stored modifiers, with made ids where they have none.
func withIDs(stored string) []object {
	groups := parseObjects([]byte(stored), 0)
	makeIDs(groups)
	for i := range groups {
		makeIDs(groups[i].items)
	}
	return groups
}

// makeIDs gives an id to each object of a list that has none.
func makeIDs(list []object) {
	taken := make(map[string]bool, len(list))
	for i := range list {
		taken[list[i].id] = true
	}

	counts := map[string]int{}
	for i := range list {
		o := &list[i]
		for o.id == "" {
			counts[o.name]++
			if id := madeID(o.name, counts[o.name]); !taken[id] {
				o.id = id
				o.made = true
			}
		}
	}
}

// madeID returns the id of the nth object with a name.
func madeID(name string, n int) string {
	sum := sha256.Sum256([]byte(strconv.Itoa(n) + " " + name))
	const bytes = 8 // enough that the names of a list do not collide
	return "m-" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:bytes]))
}
