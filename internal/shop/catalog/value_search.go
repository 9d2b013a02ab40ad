package catalog

import (
	"context"
	"errors"
	"strings"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/store"
)

// errEnough ends the reading of values.
var errEnough = errors.New("enough values are read")

// SearchValues returns the first values of an attribute of whose names each word of text begins some word. It returns
// at most limit values. An empty text matches all.
func (s *Attributes) SearchValues(
	ctx context.Context, tx store.Tx, a Attribute, text string, limit int,
) (found []Value, err error) {
	words, nothing := locale.QueryWords(text)
	if nothing {
		return nil, nil
	}
	err = s.EachValue(ctx, tx, a, func(v Value) error {
		name := locale.SearchText(v.Name)
		for _, w := range words {
			if !strings.Contains(name, " "+w) {
				return nil
			}
		}
		if found = append(found, v); len(found) == limit {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return found, err
}

// ValuesByName returns the values of an attribute that have these names, by the given name. Equal names are preferred,
// but upper and lower case and surrounding spaces may differ. Of several values with one name, the first one counts.
// Names that no value has are left out.
func (s *Attributes) ValuesByName(
	ctx context.Context, tx store.Tx, a Attribute, names []string,
) (_ map[string]Value, err error) {
	defer fault.AddContext(&err, "find %d values by name", len(names))
	equal, similar, bySimilar := map[string]Value{}, map[string]Value{}, map[string][]string{}
	for _, name := range names {
		bySimilar[similarName(name)] = append(bySimilar[similarName(name)], name)
	}
	err = s.EachValue(ctx, tx, a, func(v Value) error {
		for _, name := range bySimilar[similarName(v.Name)] {
			if _, known := equal[name]; !known && name == v.Name {
				equal[name] = v
			}
			if _, known := similar[name]; !known {
				similar[name] = v
			}
		}
		return nil
	})
	for name, v := range equal {
		similar[name] = v
	}
	return similar, err
}

// similarName returns a text that is equal for names that differ in case and surrounding spaces only.
func similarName(name string) string { return strings.ToLower(strings.TrimSpace(name)) }
