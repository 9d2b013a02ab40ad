package catalogui

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/store"
)

// maxNamedValues is the number of values that a message or an entry of the audit log names.
const maxNamedValues = 10

// maxLines is the number of values that can be added at once.
const maxLines = 100_000

// listNames returns the first names of a list.
func listNames(names []string) string {
	if len(names) > maxNamedValues {
		return strings.Join(names[:maxNamedValues], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// addValues adds a value for each line of the form.
func (p attributePages) addValues(w http.ResponseWriter, r *httpapi.Request) error {
	err := frame.ParseLargeForm(r)
	text := r.PostForm.Get("lines")
	if err == nil && strings.Count(text, "\n") > maxLines {
		err = fault.New(fault.TooLarge, "too_many_lines", "These are more than %d lines.", maxLines)
	}

	if fault.KindOf(err) == fault.TooLarge {
		return p.reject(w, r, err, func(v frame.View, b *attributePage) string {
			return v.T("These are too many values at once, so nothing was added. Go back in the browser to find what " +
				"you typed, " +
				"and add them in parts.")
		})
	}

	if err != nil {
		return err
	}

	attributeID := p.idOf(r)
	names, err := readLines(text)
	var added catalog.AddedValues
	if err == nil {
		added, err = frame.ChangeLong(r,
			func(ctx context.Context, tx store.Tx) (catalog.AddedValues, error) {
				return p.Catalog.Attributes.AddValues(ctx, tx, p.kind, attributeID, names, nil)
			})
	}

	if frame.Refused(err) {
		return p.reject(w, r, err, func(v frame.View, b *attributePage) string {
			b.Lines = text
			b.Errors = frame.FieldErrors{"lines": lineMessages(v, err, names)}
			return v.T("Nothing was added: look at the marked fields.")
		})
	}

	if err != nil {
		return err
	}

	l := p.pages.Language(r)
	message := l.Plural(added.Added, "%d value is added.", "%d values are added.")
	if added.ExistingTotal > 0 {
		message += " " + l.Plural(added.ExistingTotal, "%d was there already: %s.", "%d were there already: %s.",
			listNames(added.Existing))
	}

	return p.RedirectWith(w, r, p.pathOf(r), frame.Toast{Text: message})
}

// readLines returns the names in a text with one name a line, and fault.Invalid if there is none.
func readLines(text string) ([]string, error) {
	names := frame.TextAreaLines(text)
	if len(names) == 0 {
		return nil, fault.OneField("values", "required", "Write at least one value.")
	}
	return names, nil
}

// lineMessages returns the messages of a refused list of values, each with the line that it is about.
func lineMessages(v frame.View, err error, names []string) (messages []string) {
	var f *fault.Error
	if !errors.As(err, &f) || len(f.Fields) == 0 {
		return []string{v.Refusal(err)}
	}
	for _, field := range f.Fields {
		_, index, _ := strings.Cut(field.Field, "[")
		index, _, _ = strings.Cut(index, "]")
		if i, err := strconv.Atoi(index); err == nil && i < len(names) {
			messages = append(messages, v.T("“%s”: %s", names[i], v.Fault(field.Message)))
			continue
		}
		messages = append(messages, v.Fault(field.Message))
	}
	return messages
}

func valueIDOf(r *httpapi.Request) catalog.ValueID {
	return httpapi.PathID[catalog.Value](r, "value", "value")
}

func (p attributePages) renameValue(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	attributeID := p.idOf(r)
	valueID := valueIDOf(r)
	was := r.PostForm.Get("was")
	name := strings.TrimSpace(r.PostForm.Get("name"))

	same, err := p.otherValue(r, valueID, name)
	if err != nil {
		return err
	}
	if same != nil {
		return p.RedirectWith(w, r, mergeAddress(p.pathOf(r), valueID, same.ID), frame.Toast{
			Text: p.pages.Language(r).T("“%s” is there already: nothing was renamed, but the two can be merged.",
				same.Name)})
	}

	present, err := frame.Change(p.Frame, r, func(ctx context.Context, tx store.Tx) (catalog.Value, error) {
		return p.Catalog.Attributes.RenameValue(ctx, tx, p.kind, attributeID, valueID, was, name)
	})
	if frame.Refused(err) {
		field := func(row *valueRow) *frame.RowField { return &row.NameField }
		return p.rejectRow(w, r, err, r.PostForm.Get("name"), field, func(v frame.View) string {
			if fault.KindOf(err) == fault.Stale {
				return v.T("Somebody else has renamed this value meanwhile: it is “%s” now. Nothing was saved.",
					present.Name)
			}
			return strings.Join(lineMessages(v, err, []string{name}), " ")
		})
	}

	if err != nil {
		return err
	}

	target := frame.BackTo(r, p.pathOf(r))
	if present.Name == name {
		return frame.Redirect(w, r.Request, target)
	}

	return p.RedirectWith(w, r, target, frame.Toast{
		Text: p.pages.Language(r).T("“%s” is “%s” now.", was, name),
		Undo: &frame.Undo{Action: p.pathOf(r) + "/values/" + valueID.String(),
			Fields: url.Values{"was": {name}, "name": {was}, "back": {target}}},
	})
}

// otherValue returns another value of the same name, or nil. Upper and lower case may differ.
func (p attributePages) otherValue(r *httpapi.Request, valueID catalog.ValueID, name string) (*catalog.Value, error) {
	attributeID := p.idOf(r)
	return frame.ReadStore(p.Frame, r, true, func(ctx context.Context, tx store.Tx) (*catalog.Value, error) {
		a, err := p.Catalog.Attributes.Find(ctx, tx, p.kind, attributeID)
		if err != nil {
			return nil, err
		}
		found, err := view.ValuesByName(ctx, tx, p.Catalog.Attributes, map[int64][]string{a.Key: {name}})
		if same, ok := found[a.Key][name]; ok && same.ID != valueID {
			return &same, err
		}
		return nil, err
	})
}

// mergeAddress returns the address of the page that shows what merging two values would do. The second one stays.
func mergeAddress(path string, one, other catalog.ValueID) string {
	return path + "/values/merge?" + url.Values{"value": {one.String(), other.String()},
		"into": {other.String()}}.Encode()
}

// placeValue moves a value to the place that a button or the field of the form names. It needs no version: the other
// values keep their order, whatever it is by now.
func (p attributePages) placeValue(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	attributeID := p.idOf(r)
	valueID := valueIDOf(r)
	place, err := readPlace(r, "to", "place")
	was := 0
	if err == nil {
		was, err = frame.Change(p.Frame, r, func(ctx context.Context, tx store.Tx) (int, error) {
			_, was, err := p.Catalog.Attributes.PlaceValue(ctx, tx, p.kind, attributeID, valueID, place, nil)
			return was, err
		})
	}

	if frame.Refused(err) {
		field := func(row *valueRow) *frame.RowField { return &row.PlaceField }
		return p.rejectRow(w, r, err, r.PostForm.Get("place"), field,
			func(v frame.View) string { return v.Refusal(err) })
	}

	if err != nil {
		return err
	}

	target := frame.BackTo(r, p.pathOf(r))
	return p.RedirectWith(w, r, target, frame.Toast{
		Text: p.pages.Language(r).T("Moved to place %d.", place),
		Undo: &frame.Undo{Action: p.pathOf(r) + "/values/" + valueID.String() + "/place",
			Fields: url.Values{"place": {strconv.Itoa(was)}, "back": {target}}},
	})
}

// readPlace reads a place from the first of the fields that is not empty. The error is fault.Invalid.
func readPlace(r *httpapi.Request, fields ...string) (int, error) {
	for _, field := range fields {
		text := strings.TrimSpace(r.PostForm.Get(field))
		if text == "" {
			continue
		}
		if place, err := strconv.Atoi(text); err == nil && place >= 1 {
			return place, nil
		}
	}
	return 0, fault.OneField(fields[0], "out_of_range", "A place is a whole number from 1 on.")
}

func (p attributePages) sortValues(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	attributeID := p.idOf(r)
	pre := frame.RenderedVersion(r)
	_, err := frame.Change(p.Frame, r, func(ctx context.Context, tx store.Tx) (catalog.Attribute, error) {
		return p.Catalog.Attributes.SortValues(ctx, tx, p.kind, attributeID, pre)
	})
	if frame.Refused(err) {
		return p.reject(w, r, err, func(v frame.View, b *attributePage) string {
			if fault.KindOf(err) == fault.Stale {
				return v.StaleImpact()
			}
			return v.Refusal(err)
		})
	}

	return p.Done(w, r, err, p.pathOf(r), p.pages.Language(r).T("The values are sorted."))
}

// valueRemoval is the data of the page that asks whether to remove values.
type valueRemoval struct {
	catalog.Attribute
	Option bool
	Path   string
	Values []catalog.Value
	Impact *catalog.Impact
}

// Used is the number of products or variants that would lose a value.
func (b valueRemoval) Used() int64 { return b.Impact.VariantsTotal + b.Impact.ProductsTotal }

// maxRemoved is the number of values that one form may remove: all values of a page.
const maxRemoved = pageSize

// readValueIDs reads the chosen values from the query or the form. The error is fault.Invalid.
func readValueIDs(from url.Values) (ids []catalog.ValueID, err error) {
	for _, text := range from["value"] {
		valueID, err := id.Parse[catalog.Value](text)
		if err != nil {
			return nil, fault.OneField("value", "invalid_id", "A chosen value is not known.")
		}
		ids = append(ids, valueID)
	}
	if len(ids) == 0 || len(ids) > maxRemoved {
		return nil, fault.OneField("value", "required", "Choose 1 to %d values to remove.", maxRemoved)
	}
	return ids, nil
}

func (p attributePages) removeValuesPage(w http.ResponseWriter, r *httpapi.Request) error {
	ids, err := readValueIDs(r.URL.Query())
	var v frame.View
	if err == nil {
		v, err = p.removalView(r, ids)
	}
	if frame.Refused(err) {
		return p.reject(w, r, err, func(v frame.View, _ *attributePage) string { return v.Refusal(err) })
	}
	if err != nil {
		return err
	}
	return p.pages.Render(w, http.StatusOK, "values_remove", v)
}

func (p attributePages) removalView(r *httpapi.Request, ids []catalog.ValueID) (frame.View, error) {
	attributeID := p.idOf(r)

	body, err := frame.ReadStore(p.Frame, r, true, func(ctx context.Context, tx store.Tx) (b valueRemoval, err error) {
		b.Option = p.kind == catalog.Option
		if b.Attribute, err = p.Catalog.Attributes.Find(ctx, tx, p.kind, attributeID); err != nil {
			return b, err
		}
		b.Path = p.path + "/" + b.ID.String()
		b.Values, err = p.Catalog.Attributes.ValuesByID(ctx, tx, b.Attribute, ids)
		return b, err
	})
	if err != nil {
		return frame.View{}, err
	}

	body.Impact, err = p.Catalog.Attributes.Impact(r.Context(), r.WriteLong, r.Principal.Store.ID, p.kind, attributeID,
		catalog.AttributeEdit{Removed: catalog.ListOf(ids...)})
	if err != nil {
		return frame.View{}, err
	}

	v := p.pages.NewView(r, "Remove values", p.navItem(), body)
	v.Crumbs = []frame.Link{{Text: v.T(p.title()), URL: p.path}, {Text: body.Name, URL: body.Path}}
	return v, nil
}

func (p attributePages) removeValues(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	ids, err := readValueIDs(r.PostForm)
	if err == nil {
		err = p.remove(r, ids)
	}

	if fault.KindOf(err) == fault.Stale {
		v, viewErr := p.removalView(r, ids)
		if viewErr != nil {
			return viewErr
		}
		return p.pages.Reject(w, "values_remove", v, v.StaleImpact())
	}

	if frame.Refused(err) {
		return p.reject(w, r, err, func(v frame.View, _ *attributePage) string { return v.Refusal(err) })
	}
	if err != nil {
		return err
	}

	return p.RedirectWith(w, r, p.pathOf(r), frame.Toast{
		Text: p.pages.Language(r).Plural(len(ids), "%d value is removed.", "%d values are removed.")})
}

// remove removes values, if the option or feature still is as the page before showed it.
func (p attributePages) remove(r *httpapi.Request, ids []catalog.ValueID) error {
	attributeID := p.idOf(r)
	pre := frame.RenderedVersion(r)
	_, err := frame.ChangeLong(r, func(ctx context.Context, tx store.Tx) (catalog.Attribute, error) {
		return p.Catalog.Attributes.RemoveValues(ctx, tx, p.kind, attributeID, ids, pre)
	})
	return err
}
