package search

import (
	"context"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// The most that one query may ask for: what lies beyond is no shopper.
const (
	MaxChoices = 50
	MaxValues  = 1000
)

// filter is a query whose names were looked up: it speaks of row keys.
type filter struct {
	// matchesNothing says that no product can match: the text has no word in it.
	matchesNothing bool
	words          []string
	category       *namedCategory
	price          bounds[int64]
	inStock        bool
	features       []selection
	options        []selection
}

// bounds are inclusive; nil is open.
type bounds[T int64 | float64] struct{ from, to *T }

func (b bounds[T]) isSet() bool { return b.from != nil || b.to != nil }

func (b bounds[T]) contain(v T) bool {
	return (b.from == nil || v >= *b.from) && (b.to == nil || v <= *b.to)
}

// namedCategory is a category that a query names.
type namedCategory struct {
	key  int64
	id   catalog.CategoryID
	name string
}

// selection is a selection inside one attribute.
type selection struct {
	attribute
	values []namedValue // one of them must be carried; none where only bounds are asked for
	bounds bounds[float64]
}

// attribute is a feature or an option.
type attribute struct {
	key        int64
	id         catalog.AttributeID
	kind       catalog.Kind
	name       string
	filterable bool
	fieldType  catalog.FieldType
	version    int64
}

// namedValue is a value that a query names.
type namedValue struct {
	key       int64
	id        catalog.ValueID
	name      string
	attribute int64
}

// filtersVariants reports whether a variant must be found.
func (f *filter) filtersVariants() bool { return len(f.options) > 0 || f.price.isSet() || f.inStock }

// resolve looks up what a query names. It returns fault.Invalid for what does not exist or may not be filtered by.
func resolve(ctx context.Context, q database.Querier, storeID store.ID, query Query) (*filter, error) {
	f := &filter{inStock: query.InStock}
	f.price = bounds[int64]{(*int64)(query.PriceFrom), (*int64)(query.PriceTo)}
	if query.Text != "" {
		f.words, f.matchesNothing = locale.QueryWords(query.Text)
	}
	var wrong []fault.Field
	if query.Category != nil {
		var err error
		if f.category, err = findCategory(ctx, q, storeID, *query.Category); err != nil {
			return nil, err
		}
		if f.category == nil {
			wrong = append(wrong, fault.Field{Field: "category", Code: "unknown_category", Message: "There is no category with this id in this store."})
		}
	}
	named, err := findNamedAttributes(ctx, q, storeID, query)
	if err != nil {
		return nil, err
	}
	f.features = named.selections(query.Features, catalog.Feature, &wrong)
	f.options = named.selections(query.Options, catalog.Option, &wrong)
	return f, fault.Fields(wrong)
}

// namedAttributes are the attributes and values that a query names, as far as the store has them.
type namedAttributes struct {
	attributes map[catalog.AttributeID]attribute
	values     map[catalog.ValueID]namedValue
}

func (n namedAttributes) selections(asked []Choice, kind catalog.Kind, wrong *[]fault.Field) []selection {
	list := make([]selection, 0, len(asked))
	for _, c := range asked {
		refuse := func(code, message string) {
			*wrong = append(*wrong, fault.Field{Field: c.Place, Code: code, Message: message})
		}
		a, ok := n.attributes[c.ID]
		switch {
		case !ok || a.kind != kind:
			refuse("unknown_"+string(kind), "There is no "+kind.Noun()+" with this id in this store.")
			continue
		case kind == catalog.Feature && !a.filterable:
			refuse("not_filterable", "This feature is not filterable; a feature takes part in filtering once its filterable is true.")
			continue
		case (c.From != nil || c.To != nil) && a.fieldType != catalog.Range:
			refuse("not_a_range", "This feature is of type select: filter it by the ids of its values. Only a feature of type range takes from and to.")
			continue
		}
		chosen := selection{attribute: a, bounds: bounds[float64]{c.From, c.To}}
		for _, id := range c.Values {
			v, ok := n.values[id]
			if !ok || v.attribute != a.key {
				refuse("unknown_value", "This "+kind.Noun()+" has no value "+id.String()+".")
				break
			}
			if !slices.Contains(chosen.values, v) {
				chosen.values = append(chosen.values, v)
			}
		}
		list = append(list, chosen)
	}
	return list
}
