package productui

import (
	"context"
	"slices"
	"strings"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/slug"
	"vitrine/internal/shop/store"
)

const (
	// shownCategories is the number of categories that are shown beside the ticked ones.
	shownCategories = 30
	// shownAttributes is the number of features and of options that can be chosen from without a search.
	shownAttributes = 200
	// shownValues is the number of values of an option that can be ticked; others are typed.
	shownValues = 100
)

// complete adds to a form what can be chosen from, and the names of what is chosen. What is chosen is read by id, the
// rest is a list with a limit that a search narrows down.
func (ui *UI) complete(ctx context.Context, tx store.Tx, form *productForm) error {
	if err := ui.completeFeatures(ctx, tx, form); err != nil {
		return err
	}
	if err := ui.completeCategories(ctx, tx, form); err != nil {
		return err
	}

	if err := completeSlugs(ctx, tx, form); err != nil {
		return err
	}

	listed, total, err := ui.Catalog.Attributes.List(ctx, tx, catalog.Option, form.OptionSearch, shownAttributes, 0)
	if err != nil {
		return err
	}

	form.AllOptions = attributeChoices(listed)
	form.MoreOptions = total > int64(len(listed))
	options, err := ui.completeCross(ctx, tx, &form.Cross, form.optionIDs())
	if err != nil {
		return err
	}

	for i := range form.Options {
		if a, ok := options[form.Options[i].ID]; ok {
			form.Options[i].Name = a.Name
		}
	}

	for _, o := range form.Cross.Options {
		form.AllOptions = withChoice(form.AllOptions, choice{ID: o.ID, Name: o.Name})
	}

	return nil
}

// completeSlugs adds the former addresses of a product.
func completeSlugs(ctx context.Context, tx store.Tx, form *productForm) error {
	productID, err := id.Parse[catalog.Product](form.ID)
	if err != nil {
		return nil // it is new
	}
	former, err := slug.FormerOf(ctx, tx, slug.Product, productID)
	form.FormerSlugs = slug.Join(former)
	return err
}

// completeFeatures adds the features that can be added. It also adds the names of the features in the form, because the
// browser may not have sent them.
func (ui *UI) completeFeatures(ctx context.Context, tx store.Tx, form *productForm) error {
	listed, total, err := ui.Catalog.Attributes.List(ctx, tx, catalog.Feature, form.FeatureSearch, shownAttributes, 0)
	if err != nil {
		return err
	}

	form.AllFeatures = attributeChoices(listed)
	form.MoreFeatures = total > int64(len(listed))
	used, err := ui.attributes(ctx, tx, catalog.Feature, form.featureIDs())
	if err != nil {
		return err
	}

	for i := range form.Features {
		f := &form.Features[i]
		if a, ok := used[f.FeatureID]; ok {
			f.FeatureName = a.Name
		}
	}

	return nil
}

// featureIDs and optionIDs return the ids of the features and the options that the form uses.
func (form *productForm) featureIDs() (ids []string) {
	for i := range form.Features {
		ids = append(ids, form.Features[i].FeatureID)
	}
	return ids
}

func (form *productForm) optionIDs() (ids []string) {
	for _, o := range form.Options {
		ids = append(ids, o.ID)
	}
	return ids
}

// attributes returns the options or features with these ids, by id. It skips ids that the store does not have.
func (ui *UI) attributes(
	ctx context.Context, tx store.Tx, kind catalog.Kind, ids []string,
) (map[string]catalog.Attribute, error) {
	found, err := ui.Catalog.Attributes.ByID(ctx, tx, kind, parseIDs[catalog.Attribute](ids))
	byID := make(map[string]catalog.Attribute, len(found))
	for attributeID, a := range found {
		byID[attributeID.String()] = a
	}
	return byID, err
}

// parseIDs returns the ids that the texts are, each once. Other texts are left out.
func parseIDs[T any](texts []string) (ids []id.Of[T]) {
	known := make(map[id.Of[T]]bool, len(texts))
	for _, text := range texts {
		if one, err := id.Parse[T](text); err == nil && !known[one] {
			known[one] = true
			ids = append(ids, one)
		}
	}
	return ids
}

func attributeChoices(list []catalog.Attribute) []choice {
	choices := make([]choice, len(list))
	for i, a := range list {
		choices[i] = choice{ID: a.ID.String(), Name: a.Name}
	}
	slices.SortStableFunc(choices, func(a, b choice) int { return strings.Compare(a.Name, b.Name) })
	return choices
}

// withChoice returns the list with a choice at its beginning, unless the list has it.
func withChoice(list []choice, one choice) []choice {
	if slices.ContainsFunc(list, func(c choice) bool { return c.ID == one.ID }) {
		return list
	}
	return append([]choice{one}, list...)
}

// completeCategories shows the ticked categories and those that match the search. Without a search, all are shown if
// they are few.
func (ui *UI) completeCategories(ctx context.Context, tx store.Tx, form *productForm) error {
	var texts []string
	for _, c := range form.Categories {
		if c.Ticked {
			texts = append(texts, c.ID)
		}
	}

	ticked := parseIDs[catalog.Category](texts)
	filter := catalog.CategoryFilter{Search: form.CategorySearch}
	matching, total, err := ui.Catalog.Categories.List(ctx, tx, filter, shownCategories, 0)
	if err != nil {
		return err
	}

	form.MoreCategories = total > int64(len(matching))
	ids := slices.Clone(ticked)
	if form.CategorySearch != "" || !form.MoreCategories {
		for i := range matching {
			if !slices.Contains(ticked, matching[i].ID) {
				ids = append(ids, matching[i].ID)
			}
		}
	}

	paths, err := view.CategoryPaths(ctx, tx, ids)
	if err != nil {
		return err
	}

	form.Categories = nil
	for _, c := range paths {
		form.Categories = append(form.Categories, categoryBox{ID: c.ID.String(), Name: c.Name, Path: c.Path,
			Ticked: slices.Contains(ticked, c.ID)})
	}

	slices.SortStableFunc(form.Categories, func(a, b categoryBox) int {
		if a.Ticked != b.Ticked {
			return map[bool]int{true: -1, false: 1}[a.Ticked]
		}
		return strings.Compare(a.Path, b.Path)
	})
	return nil
}

// completeCross adds the names and the values of the chosen options. It returns these options and the used ones, by id.
func (ui *UI) completeCross(
	ctx context.Context, tx store.Tx, cross *crossForm, used []string,
) (map[string]catalog.Attribute, error) {
	for _, o := range cross.Options {
		used = append(used, o.ID)
	}

	options, err := ui.attributes(ctx, tx, catalog.Option, used)
	if err != nil {
		return nil, err
	}

	var chosen []catalog.Attribute
	var known []crossOption
	for _, o := range cross.Options {
		if a, ok := options[o.ID]; ok {
			o.Name = a.Name
			chosen, known = append(chosen, a), append(known, o)
		}
	}

	cross.Options = known
	values, err := view.FirstValues(ctx, tx, chosen, shownValues)
	if err != nil {
		return nil, err
	}

	for i := range cross.Options {
		o := &cross.Options[i]
		ticked := map[string]bool{}
		for _, v := range o.Values {
			ticked[v.ID] = v.Selected
		}

		o.Values = nil
		for _, v := range values[chosen[i].ID] {
			o.Values = append(o.Values, choice{ID: v.ID.String(), Name: v.Name, Selected: ticked[v.ID.String()]})
		}

		o.More = chosen[i].ValueCount > int64(len(o.Values))
	}

	return options, nil
}
