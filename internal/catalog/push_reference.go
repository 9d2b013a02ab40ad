package catalog

import (
	"context"
	"fmt"

	"vitrine/internal/database"
	"vitrine/internal/fault"
	"vitrine/internal/store"
)

// pushReferences are the things that pushed products name by accounting's ids, as far as the store has them.
type pushReferences struct {
	*references
	attributes map[attributeName]pushedRow
	values     map[valueName]pushedRow
	categories map[string]pushedRow
	stocks     map[string]stockRow
}

type attributeName struct {
	kind       Kind
	externalID string
}

type valueName struct {
	attributeKey int64
	externalID   string
}

// pushedRow is a row that was found by an external id.
type pushedRow struct {
	key int64
	id  [16]byte
}

// lockPushReferences finds all that products refer to, with one query a table, and keeps it from being removed until the transaction
// ends. Stocks that the store does not have are made.
func (s *Service) lockPushReferences(ctx context.Context, q database.Querier, storeID store.ID, items []*ProductPush) (*pushReferences, error) {
	r := &pushReferences{
		references: &references{
			attributes: map[AttributeID]knownAttribute{}, values: map[ValueID]knownValue{},
			categories: map[CategoryID]int64{}, stocks: map[StockID]int64{}, given: map[ImageID]bool{},
		},
		attributes: map[attributeName]pushedRow{}, values: map[valueName]pushedRow{}, categories: map[string]pushedRow{},
	}
	stocks := map[string]bool{}
	pairs := map[attributeName]map[string]bool{}
	note := func(kind Kind, refs []ReferencePush) {
		for _, ref := range refs {
			a := attributeName{kind, ref.Attribute}
			if pairs[a] == nil {
				pairs[a] = map[string]bool{}
			}
			pairs[a][ref.Value] = true
		}
	}
	for _, p := range items {
		for _, c := range p.categories() {
			r.categories[c] = pushedRow{}
		}
		note(Feature, p.features())
		for _, v := range p.variants() {
			note(Option, orEmpty(v.Options))
			for _, m := range orEmpty(v.Remainders) {
				stocks[m.Stock] = true
			}
		}
	}
	if err := r.lockAttributes(ctx, q, storeID, pairs); err != nil {
		return nil, err
	}
	if err := r.lockCategories(ctx, q, storeID); err != nil {
		return nil, err
	}
	var err error
	r.stocks, err = s.stocksFor(ctx, q, storeID, sortedTexts(stocks))
	for _, row := range r.stocks {
		r.references.stocks[row.id] = row.key
	}
	return r, err
}

// waiting is what a list of references has that is not there yet.
type waiting struct {
	refs     []ReferencePush
	warnings []fault.Field
}

// valuesOf turns references into those that are known and those that wait. member gives the place of a member of the i-th.
func (r *pushReferences) valuesOf(kind Kind, list []ReferencePush, member func(i int, name string) string) ([]ValueRef, waiting) {
	known := make([]ValueRef, 0, len(list))
	var w waiting
	for i, ref := range list {
		a := r.attributes[attributeName{kind, ref.Attribute}]
		v := r.values[valueName{a.key, ref.Value}]
		switch {
		case a.key == 0:
			w.add(ref, fault.Field{Field: member(i, "id"), Code: "unknown_" + string(kind), Message: fmt.Sprintf(
				"There is no %s with the id %s yet. The reference is kept, and is linked by itself when it arrives.", kind.Noun(), ref.Attribute)})
		case v.key == 0:
			w.add(ref, fault.Field{Field: member(i, "value_id"), Code: "unknown_value", Message: fmt.Sprintf(
				"The %s %s has no value with the id %s yet. The reference is kept, and is linked by itself when it arrives.", kind.Noun(), ref.Attribute, ref.Value)})
		default:
			known = append(known, ValueRef{a.id, v.id})
		}
	}
	return known, w
}

func (w *waiting) add(ref ReferencePush, warning fault.Field) {
	w.refs, w.warnings = append(w.refs, ref), append(w.warnings, warning)
}

// categoriesOf turns the categories of a product into those that are known and those that wait.
func (r *pushReferences) categoriesOf(list []string) ([]CategoryID, waiting) {
	known := make([]CategoryID, 0, len(list))
	var w waiting
	for i, c := range list {
		if row := r.categories[c]; row.key != 0 {
			known = append(known, row.id)
			continue
		}
		w.add(ReferencePush{Attribute: c}, fault.Field{Field: string(place("").element("categories", i)), Code: "unknown_category", Message: fmt.Sprintf(
			"There is no category with the id %s yet. The reference is kept, and is linked by itself when it arrives.", c)})
	}
	return known, w
}
