package view

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// errEnough ends the reading of values.
var errEnough = errors.New("enough values are read")

// SearchValues returns the first values of an attribute of whose names each word of text begins some word. It returns
// at most limit values. An empty text matches all.
func SearchValues(
	ctx context.Context, tx store.Tx, attributes *catalog.Attributes, a catalog.Attribute, text string, limit int,
) (found []catalog.Value, err error) {
	words, nothing := locale.QueryWords(text)
	if nothing {
		return nil, nil
	}

	err = attributes.EachValue(ctx, tx, a, func(v catalog.Value) error {
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

// FirstValues returns the first values of each attribute, at most limit of each, in one round trip to the database.
func FirstValues(
	ctx context.Context, tx store.Tx, list []catalog.Attribute, limit int64,
) (_ map[catalog.AttributeID][]catalog.Value, err error) {
	defer fault.AddContext(&err, "read the first values of %d attributes", len(list))
	return firstValues(ctx, tx, list, limit)
}

// ValuesByName returns the values of attributes that have the wanted names, by the wanted name. Equal names are
// preferred, but upper and lower case and surrounding spaces may differ. Of several values with one name, the first one
// counts. Names that no value has are left out. The keys of wanted are row keys.
func ValuesByName(
	ctx context.Context, tx store.Tx, attributes *catalog.Attributes, wanted map[int64][]string,
) (found map[int64]map[string]catalog.Value, err error) {
	defer fault.AddContext(&err, "find values of %d attributes by name", len(wanted))

	found = make(map[int64]map[string]catalog.Value, len(wanted))
	bySimilar := make(map[int64]map[string][]string, len(wanted))
	for key, names := range wanted {
		found[key], bySimilar[key] = map[string]catalog.Value{}, map[string][]string{}
		for _, name := range names {
			similar := similarName(name)
			bySimilar[key][similar] = append(bySimilar[key][similar], name)
		}
	}

	keys := slices.Sorted(maps.Keys(wanted))
	return found, attributes.EachValueOf(ctx, tx, keys, func(key int64, v catalog.Value) error {
		for _, name := range bySimilar[key][similarName(v.Name)] {
			if known, ok := found[key][name]; !ok || (v.Name == name && known.Name != name) {
				found[key][name] = v
			}
		}
		return nil
	})
}

// similarName returns a text that is equal for names that differ in case and surrounding spaces only.
func similarName(name string) string { return strings.ToLower(strings.TrimSpace(name)) }
