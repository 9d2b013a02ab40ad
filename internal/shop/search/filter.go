package search

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/language"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/store"
)

// The limits of one query. No storefront needs more. MaxNames is the limit of each list of named products.
const (
	MaxNames   = 250
	MaxChoices = 50
	MaxValues  = 1000
)

// maxWithBarcode bounds what a placeholder finds that many products have as their barcode.
const maxWithBarcode = 1000

// searchFilter is a resolved query: ids are replaced by row keys, and text by normalized words.
type searchFilter struct {
	// matchesNothing is set if no product can match, because the text contains no word.
	matchesNothing bool
	// named has the row keys of the named products, in the order of the list. It is nil if no products are named.
	named    []int64
	words    []string       // of SQL, with е for ё
	text     string         // of the columns: the query for words, or "" if it has nothing but spaces
	rules    *textRules     // that are tried out; nil for those of the store
	category *CategoryCount // without its count
	price    bounds[int64]
	prices   pricing.Chain // of the reader
	inStock  bool
	features []selection
	options  []selection
	origin   Origin
}

// bounds is an inclusive range; a nil bound means no limit.
type bounds[T int64 | float64] struct{ from, to *T }

func (b bounds[T]) isSet() bool { return b.from != nil || b.to != nil }

func (b bounds[T]) contain(v T) bool {
	return (b.from == nil || v >= *b.from) && (b.to == nil || v <= *b.to)
}

// selection is a resolved Choice.
type selection struct {
	attribute
	values []namedValue // a product or variant must have one of them; empty if only bounds are given
	bounds bounds[float64]
}

type attribute struct {
	key        int64
	id         catalog.AttributeID
	kind       catalog.Kind
	name       string
	filterable bool
	fieldType  catalog.FieldType
	version    int64
}

type namedValue struct {
	key       int64
	id        catalog.ValueID
	name      string
	position  int64
	attribute int64
}

// filtersVariants reports whether a product needs a matching variant to match.
func (f *searchFilter) filtersVariants() bool {
	return len(f.options) > 0 || f.price.isSet() || f.inStock
}

// isEmpty reports whether every product matches.
func (f *searchFilter) isEmpty() bool {
	return !f.matchesNothing && f.named == nil && len(f.words) == 0 && f.text == "" && f.category == nil &&
		len(f.features) == 0 &&
		f.origin == AnyOrigin && !f.filtersVariants()
}

// onlyWords returns the filter without anything but the words.
func (f *searchFilter) onlyWords() *searchFilter {
	return &searchFilter{words: f.words, matchesNothing: f.matchesNothing, text: f.text}
}

// newSearchFilter returns the filter of a query without what the query refers to by id.
func newSearchFilter(query Query) *searchFilter {
	f := &searchFilter{inStock: query.InStock, origin: query.Origin, prices: query.Prices}
	f.price = bounds[int64]{(*int64)(query.PriceFrom), (*int64)(query.PriceTo)}
	if query.Text != "" {
		f.words, f.matchesNothing = locale.QueryWords(strings.NewReplacer("ё", "е", "Ё", "Е").Replace(query.Text))
		if strings.TrimSpace(query.Text) != "" {
			f.text = query.Text
		}
	}
	return f
}

// resolveSearchFilter replaces the ids of a query by row keys, on a snapshot with this state. It returns fault.Invalid
// if one is unknown or not filterable.
func (s *Service) resolveSearchFilter(
	ctx context.Context, tx store.Tx, query Query, state State,
) (*searchFilter, error) {
	f := newSearchFilter(query)
	if query.Rules != nil {
		storeLocale, err := readLocale(ctx, tx)
		if err != nil {
			return nil, err
		}
		f.rules = newTextRules(language.StemmerFor(storeLocale), query.Rules)
	}
	if query.namesProducts() {
		var err error
		if f.named, err = findNamedProducts(ctx, tx, query); err != nil {
			return nil, err
		}
	}

	var wrong []fault.Field
	if query.Category != nil {
		category, err := findCategory(ctx, tx, *query.Category)
		switch {
		case errors.Is(err, database.ErrNoRows):
			wrong = append(wrong, fault.Field{Field: "category", Code: "unknown_category",
				Message: "There is no category with this id in this store."})
		case err != nil:
			return nil, err
		default:
			f.category = &category
		}
	}

	named, err := findNamedAttributes(ctx, tx, query)
	if err != nil {
		return nil, err
	}

	s.filters.add(tx.StoreID(), state, f.category, named)
	f.setSelections(named, query, &wrong)
	return f, fault.Fields(wrong)
}

// setSelections sets the features and options of the filter, and appends what is wrong with the features and options of
// the query.
func (f *searchFilter) setSelections(named namedAttributes, query Query, wrong *[]fault.Field) {
	f.features = named.selections(query.Features, catalog.Feature, wrong)
	f.options = named.selections(query.Options, catalog.Option, wrong)
}

// orderByName sorts row keys by the order in which the query names the products, and returns those at
// [offset, offset+limit).
func (f *searchFilter) orderByName(keys []int64, limit, offset int64) []int64 {
	position := make(map[int64]int, len(f.named))
	for i, key := range f.named {
		position[key] = i
	}
	slices.SortFunc(keys, func(a, b int64) int { return cmp.Compare(position[a], position[b]) })
	total := int64(len(keys))
	if offset >= total {
		return nil
	}
	return keys[offset:min(offset+limit, total)]
}

// namedAttributes holds the attributes and values that a query refers to and that exist in the store.
type namedAttributes struct {
	attributes map[catalog.AttributeID]attribute
	values     map[catalog.ValueID]namedValue
}

func newNamedAttributes() namedAttributes {
	return namedAttributes{map[catalog.AttributeID]attribute{}, map[catalog.ValueID]namedValue{}}
}

func (n namedAttributes) selections(asked []Choice, kind catalog.Kind, wrong *[]fault.Field) []selection {
	list := make([]selection, 0, len(asked))
	for _, c := range asked {
		refuse := func(code, message string) {
			*wrong = append(*wrong, fault.Field{Field: c.Field, Code: code, Message: message})
		}
		a, ok := n.attributes[c.ID]
		switch {
		case !ok || a.kind != kind:
			refuse("unknown_"+string(kind), "There is no "+kind.Noun()+" with this id in this store.")
			continue
		case kind == catalog.Feature && !a.filterable:
			refuse("not_filterable",
				"This feature is not filterable; a feature takes part in filtering once its filterable is true.")
			continue
		case (c.From != nil || c.To != nil) && a.fieldType != catalog.Range:
			refuse("not_a_range",
				"This feature is of type select: filter it by the ids of its values. "+
					"Only a feature of type range takes from and to.")
			continue
		}

		selected := selection{attribute: a, bounds: bounds[float64]{c.From, c.To}}
		for _, id := range c.Values {
			v, ok := n.values[id]
			if !ok || v.attribute != a.key {
				refuse("unknown_value", "This "+kind.Noun()+" has no value "+id.String()+".")
				break
			}
			if !slices.Contains(selected.values, v) {
				selected.values = append(selected.values, v)
			}
		}

		list = append(list, selected)
	}

	return list
}
