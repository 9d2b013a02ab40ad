package feed

import (
	"context"
	"maps"
	"slices"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// plan is a definition with the row keys of what it refers to.
type plan struct {
	*Definition
	// categories are the keys of the category of the filter and of those below it; nil without one.
	categories map[int64]bool
	features   []featureKeys
	mapping    map[string]mappedSource
	chain      pricing.Chain
	tree       *catalog.CategoryTree
}

// featureKeys is a FeatureFilter by row keys.
type featureKeys struct {
	attribute int64
	values    map[int64]bool
}

// mappedSource is a source by the row key of its attribute, or 0.
type mappedSource struct {
	source
	key int64
}

// newPlan returns the plan of a definition that breaks no rule itself, and what it refers to that the store does not
// have.
func newPlan(
	ctx context.Context, tx store.Tx, shop store.Store, d *Definition,
) (p *plan, broken []fault.Field, err error) {
	p = &plan{Definition: d, mapping: make(map[string]mappedSource, len(d.Mapping))}
	var wrong rule.Violations
	if p.tree, err = catalog.ReadCategoryTree(ctx, tx); err != nil {
		return nil, nil, err
	}
	p.setCategories(&wrong)

	named, err := p.namedAttributes(ctx, tx)
	if err != nil {
		return nil, nil, err
	}
	p.setFeatures(named, &wrong)
	p.setMapping(named, &wrong)

	if d.PriceListID != nil {
		list, err := selectPriceList(ctx, tx, *d.PriceListID)
		if err != nil {
			return nil, nil, err
		}
		wrong.Check("", "price_list_id", store.CheckPriceList(list.currency, shop.Currency))
		p.chain = list.chain
	}
	return p, wrong.Fields, nil
}

// setCategories finds the categories of the filter.
func (p *plan) setCategories(wrong *rule.Violations) {
	if p.Filter.Category == nil {
		return
	}
	p.categories = map[int64]bool{}
	top := p.tree.Find(*p.Filter.Category)
	if top == nil {
		wrong.Add("filter.category", "unknown_category", "This store has no category with this id.")
		return
	}

	var add func(n *catalog.CategoryNode)
	add = func(n *catalog.CategoryNode) {
		p.categories[n.Key] = true
		for _, child := range n.Children {
			add(child)
		}
	}
	add(top)
}

// namedAttributes are the attributes and values that a definition refers to and that the store has.
type namedAttributes struct {
	attributes map[catalog.AttributeID]namedAttribute
	values     map[catalog.ValueID]namedValue
}

type namedAttribute struct {
	key       int64
	isFeature bool
	isRange   bool
}

type namedValue struct{ key, attribute int64 }

// namedAttributes reads what the definition refers to.
func (p *plan) namedAttributes(ctx context.Context, tx store.Tx) (namedAttributes, error) {
	var attributes []catalog.AttributeID
	var values []catalog.ValueID
	for _, f := range p.Filter.Features {
		attributes = append(attributes, f.ID)
		values = append(values, f.Values...)
	}

	for target, sent := range p.Mapping {
		from, _ := parseSource(target, sent)
		p.mapping[target] = mappedSource{source: from}
		if !from.attribute.IsZero() {
			attributes = append(attributes, from.attribute)
		}
	}
	return selectNamed(ctx, tx, attributes, values)
}

// setFeatures finds the features of the filter and their values.
func (p *plan) setFeatures(named namedAttributes, wrong *rule.Violations) {
	for i, f := range p.Filter.Features {
		at := rule.FieldPath("filter").Element("features", i)
		attribute, found := named.attributes[f.ID]
		switch {
		case !found || !attribute.isFeature:
			wrong.Add(at.Member("id"), "unknown_feature", "This store has no feature with this id.")
			continue
		case attribute.isRange:
			wrong.Add(at.Member("id"), "not_a_select",
				"This feature is a range of numbers; a feed is filtered by the values of features of type select.")
			continue
		}

		keys := featureKeys{attribute.key, make(map[int64]bool, len(f.Values))}
		for j, valueID := range f.Values {
			value, found := named.values[valueID]
			if !found || value.attribute != attribute.key {
				wrong.Add(string(rule.FieldPath(at.Member("values")).Index(j)), "unknown_value",
					"This feature has no value with this id.")
			}
			keys.values[value.key] = true
		}
		p.features = append(p.features, keys)
	}
}

// setMapping finds the features and options of the mapping.
func (p *plan) setMapping(named namedAttributes, wrong *rule.Violations) {
	for _, target := range slices.Sorted(maps.Keys(p.mapping)) {
		from := p.mapping[target]
		if from.attribute.IsZero() {
			continue
		}
		attribute, found := named.attributes[from.attribute]
		if !found {
			wrong.Add("mapping."+target, "unknown_feature", "This store has no feature or option with this id.")
		}
		from.key = attribute.key
		p.mapping[target] = from
	}
}

// errBroken returns the Conflict fault for a feed that refers to what was deleted since.
func errBroken(broken []fault.Field) error {
	e := fault.New(fault.Conflict, "feed_broken",
		"The feed refers to something that was deleted since, so it would not be what was meant. Edit the feed.")
	e.Fields = broken
	return e
}
