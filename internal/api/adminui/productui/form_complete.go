package productui

import (
	"context"
	"slices"
	"strings"

	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

const (
	// maxCategories is the number of categories that are searched, and shownCategories how many are shown.
	maxCategories   = 10_000
	shownCategories = 30
	// shownValues is the number of values of an option that can be ticked; others are typed.
	shownValues = 100
)

// complete adds to a form what can be chosen from, and the names of what is chosen.
func (ui *UI) complete(ctx context.Context, tx store.Tx, form *productForm) error {
	features, _, err := ui.Catalog.Attributes.List(ctx, tx, catalog.Feature, "", maxAttributes, 0)
	if err != nil {
		return err
	}
	options, _, err := ui.Catalog.Attributes.List(ctx, tx, catalog.Option, "", maxAttributes, 0)
	if err != nil {
		return err
	}
	form.AllFeatures, form.AllOptions = attributeChoices(features), attributeChoices(options)
	form.completeNames()
	categories, _, err := ui.Catalog.Categories.List(ctx, tx, catalog.CategoryFilter{}, maxCategories, 0)
	if err != nil {
		return err
	}
	form.completeCategories(categories)
	return ui.completeCross(ctx, tx, &form.Cross, options)
}

// completeNames sets the names of the features and options of the form, which the browser may not have sent.
func (form *productForm) completeNames() {
	nameOf := func(list []choice, id, otherwise string) string {
		if i := slices.IndexFunc(list, func(c choice) bool { return c.ID == id }); i >= 0 {
			return list[i].Name
		}
		return otherwise
	}
	for i := range form.Features {
		f := &form.Features[i]
		f.FeatureName = nameOf(form.AllFeatures, f.FeatureID, f.FeatureName)
	}
	for i := range form.Options {
		form.Options[i].Name = nameOf(form.AllOptions, form.Options[i].ID, form.Options[i].Name)
	}
}

func attributeChoices(list []catalog.Attribute) []choice {
	choices := make([]choice, len(list))
	for i, a := range list {
		choices[i] = choice{ID: a.ID.String(), Name: a.Name}
	}
	slices.SortStableFunc(choices, func(a, b choice) int { return strings.Compare(a.Name, b.Name) })
	return choices
}

// completeCategories shows the ticked categories and those that match the search. Without a search, all are shown if
// they are few.
func (form *productForm) completeCategories(all []catalog.Category) {
	byID := make(map[catalog.CategoryID]*catalog.Category, len(all))
	for i := range all {
		byID[all[i].ID] = &all[i]
	}
	ticked := map[string]bool{}
	for _, c := range form.Categories {
		ticked[c.ID] = c.Ticked
	}
	words, _ := locale.QueryWords(form.CategorySearch)
	form.Categories, form.MoreCategories = nil, false
	var others []categoryBox
	for i := range all {
		c := &all[i]
		box := categoryBox{ID: c.ID.String(), Name: c.Name, Path: categoryPath(byID, c), Ticked: ticked[c.ID.String()]}
		switch {
		case box.Ticked:
			form.Categories = append(form.Categories, box)
		case form.CategorySearch == "" && len(all) > shownCategories:
			form.MoreCategories = true
		case containsWords(box.Path, words):
			others = append(others, box)
		}
	}
	byPath := func(a, b categoryBox) int { return strings.Compare(a.Path, b.Path) }
	slices.SortStableFunc(form.Categories, byPath)
	slices.SortStableFunc(others, byPath)
	if len(others) > shownCategories {
		others, form.MoreCategories = others[:shownCategories], true
	}
	form.Categories = append(form.Categories, others...)
}

// containsWords reports whether each of the words begins some word of the text.
func containsWords(text string, words []string) bool {
	text = locale.SearchText(text)
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, " "+w) })
}

// categoryPath returns the names from the root to the category.
func categoryPath(byID map[catalog.CategoryID]*catalog.Category, c *catalog.Category) string {
	path := c.Name
	for range 20 { // deeper trees are cut
		if c.ParentID == nil {
			break
		}
		parent, ok := byID[*c.ParentID]
		if !ok {
			break
		}
		path, c = parent.Name+" › "+path, parent
	}
	return path
}

// completeCross adds the values of the chosen options.
func (ui *UI) completeCross(
	ctx context.Context, tx store.Tx, cross *crossForm, options []catalog.Attribute,
) error {
	var chosen []catalog.Attribute
	var known []crossOption
	for _, o := range cross.Options {
		i := slices.IndexFunc(options, func(a catalog.Attribute) bool { return a.ID.String() == o.ID })
		if i < 0 {
			continue
		}
		o.Name = options[i].Name
		chosen, known = append(chosen, options[i]), append(known, o)
	}
	cross.Options = known
	values, err := ui.Catalog.Attributes.FirstValues(ctx, tx, chosen, shownValues)
	if err != nil {
		return err
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
	return nil
}
