package productui

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// maxCombinations bounds the rows that one step adds to the grid.
const maxCombinations = 500

// step changes the form without saving it. It reports whether there is such a step. The name of a step may end with the
// indexes of the rows that it is about, such as drop-item:0:2.
func (ui *UI) step(
	ctx context.Context, tx store.Tx, form *productForm, name string, newFeature string, l *frame.Language,
) (known bool, err error) {
	name, arguments, _ := strings.Cut(name, ":")
	var rows []int
	for text := range strings.SplitSeq(arguments, ":") {
		n, err := strconv.Atoi(text)
		if err != nil {
			n = -1
		}
		rows = append(rows, n)
	}

	switch name {
	case "enter", "find-categories", "find-features", "find-options", "choose-values":
	case "add-feature":
		form.addFeature(newFeature)
	case "drop-feature":
		form.Features = without(form.Features, rows[0])
	case "add-variant":
		form.Variants = append(form.Variants, form.newVariant())
	case "drop-variant":
		form.Variants = without(form.Variants, rows[0])
	case "fill-column":
		form.fillColumn()
	case "copy-images":
		form.copyPictures(form.PictureOption)
	case "add-combinations":
		err = ui.addCombinations(ctx, tx, form, l)
	case "add-group":
		form.Groups = append(form.Groups, &groupRow{Other: newObject(), Items: []*itemRow{{Other: newObject()}}})
	case "drop-group":
		form.Groups = without(form.Groups, rows[0])
	case "add-item":
		if i := rows[0]; i >= 0 && i < len(form.Groups) {
			form.Groups[i].Items = append(form.Groups[i].Items, &itemRow{Other: newObject()})
		}
	case "drop-item":
		if i := rows[0]; i >= 0 && i < len(form.Groups) && len(rows) == 2 {
			form.Groups[i].Items = without(form.Groups[i].Items, rows[1])
		}
	default:
		return false, nil
	}

	return true, err
}

// without returns a list without its element i, if it has that element.
func without[T any](list []T, i int) []T {
	if i < 0 || i >= len(list) {
		return list
	}
	return slices.Delete(list, i, i+1)
}

// addFeature adds a row for a feature, to which the operator then gives a value.
func (form *productForm) addFeature(featureID string) {
	if featureID != "" {
		form.Features = append(form.Features, featureRow{FeatureID: featureID})
	}
}

// newVariant returns a row with the columns of the form.
func (form *productForm) newVariant() *variantRow {
	return &variantRow{Texts: map[string]string{}, Options: make([]valueField, len(form.Options)),
		Stocks: make([]string, len(form.Stocks)), Reserved: make([]string, len(form.Stocks))}
}

// addCombinations adds a row for each combination of the chosen values that the grid does not have.
func (ui *UI) addCombinations(ctx context.Context, tx store.Tx, form *productForm, l *frame.Language) error {
	chosen, err := ui.chosenValues(ctx, tx, form, l)
	if err != nil || form.Cross.Error != "" {
		return err
	}

	total := 1
	for _, values := range chosen {
		if total *= len(values); total > maxCombinations {
			form.Cross.Error = tooManyCombinations(l)
			return nil
		}
	}

	if (len(form.Variants)+total)*(len(form.Options)+len(chosen)+len(form.Stocks)) > maxCells {
		form.Cross.Error = l.T("The table would become too large. Save the product first, " +
			"then add further combinations.")
		return nil
	}

	columns := form.addColumns()
	present := map[string]bool{}
	for _, v := range form.Variants {
		present[v.combination(form.Options)] = true
	}

	added := 0
	for n := range total {
		row := form.newVariant()
		row.Texts["price"] = form.Cross.Price
		for i := len(chosen) - 1; i >= 0; i-- {
			row.Options[columns[i]] = chosen[i][n%len(chosen[i])]
			n /= len(chosen[i])
		}

		if key := row.combination(form.Options); !present[key] {
			present[key] = true
			form.Variants = append(form.Variants, row)
			added++
		}
	}

	if added == 0 {
		form.Cross.Error = l.T("The product has all of these combinations already.")
		return nil
	}

	form.Cross = crossForm{}
	options, err := ui.attributes(ctx, tx, catalog.Option, form.optionIDs())
	form.sortColumns(options)
	return err
}

// sortColumns puts the columns of the options in the order in which they are shown once they are stored, the oldest
// option first.
func (form *productForm) sortColumns(options map[string]catalog.Attribute) {
	order := make([]int, len(form.Options))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(options[form.Options[a].ID].Key, options[form.Options[b].ID].Key)
	})

	form.Options = inOrder(form.Options, order)
	for _, v := range form.Variants {
		v.Options = inOrder(v.Options, order)
	}
}

// inOrder returns the elements of a list in an order of their indexes.
func inOrder[T any](list []T, order []int) []T {
	sorted := make([]T, len(order))
	for i, from := range order {
		sorted[i] = list[from]
	}
	return sorted
}

func tooManyCombinations(l *frame.Language) string {
	return l.T("These are more than %s combinations; choose fewer values.", strconv.Itoa(maxCombinations))
}

// chosenValues returns the values that are ticked or typed, for each chosen option. What is wrong with them is in
// form.Cross.Error.
func (ui *UI) chosenValues(
	ctx context.Context, tx store.Tx, form *productForm, l *frame.Language,
) (chosen [][]valueField, err error) {
	if _, err := ui.completeCross(ctx, tx, &form.Cross, nil); err != nil {
		return nil, err
	}

	if len(form.Cross.Options) == 0 {
		form.Cross.Error = l.T("Choose an option first.")
		return nil, nil
	}

	for i := range form.Cross.Options {
		o := &form.Cross.Options[i]
		if strings.Count(o.Others, "\n") > maxCombinations {
			form.Cross.Error = tooManyCombinations(l)
			return nil, nil
		}

		var values []valueField
		for _, v := range o.Values {
			if v.Selected {
				values = append(values, valueField{ID: v.ID, Was: v.Name, Text: v.Name})
			}
		}

		// Typed names are looked up when the product is saved, which can also create them.
		for _, name := range frame.TextAreaLines(o.Others) {
			if !slices.ContainsFunc(values, func(v valueField) bool { return strings.EqualFold(v.Text, name) }) {
				values = append(values, valueField{Text: name, IsNew: true})
			}
		}

		if len(values) == 0 {
			form.Cross.Error = l.T("Choose values of %s.", o.Name)
			return nil, nil
		}

		chosen = append(chosen, values)
	}

	return chosen, nil
}

// addColumns adds the columns of the chosen options that the grid does not have, and returns the columns of all of
// them.
func (form *productForm) addColumns() []int {
	columns := make([]int, len(form.Cross.Options))
	for i, o := range form.Cross.Options {
		at := slices.IndexFunc(form.Options, func(c choice) bool { return c.ID == o.ID })
		if at < 0 {
			at = len(form.Options)
			form.Options = append(form.Options, choice{ID: o.ID, Name: o.Name})
			for _, v := range form.Variants {
				v.Options = append(v.Options, valueField{})
			}
		}
		columns[i] = at
	}
	return columns
}

// combination returns a text that is equal for rows with the same options.
func (v *variantRow) combination(options []choice) string {
	var parts []string
	for i, o := range v.Options {
		if o.Text != "" {
			parts = append(parts, options[i].ID+strings.ToLower(o.Text))
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, "\x00")
}
