package productui

import (
	"errors"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
)

// maxProblems bounds the links above a form to its fields with messages.
const maxProblems = 20

// rowErrors are the messages of a row of the form.
type rowErrors []memberError

// memberError is a message about a member of a row: the end of the name of its field, such as "price" or "option.0". A
// message about the whole row has no member.
type memberError struct{ Member, Text string }

// has reports whether there is a message about a member.
func (all rowErrors) has(member string) bool {
	return slices.ContainsFunc(all, func(e memberError) bool { return e.Member == member })
}

// attributes returns the attributes of the field of a member: its name, which is also its id, its hints, and its
// messages. None of them is escaped, so they must come from the program, never from a request.
func (all rowErrors) attributes(row, member string, hints ...string) template.HTMLAttr {
	name := row + "." + member
	text := `id="` + name + `" name="` + name + `"`
	if all.has(member) {
		text += ` aria-invalid="true"`
		hints = append(hints, row+"-wrong")
	}
	if len(hints) > 0 {
		text += ` aria-describedby="` + strings.Join(hints, " ") + `"`
	}
	return template.HTMLAttr(text)
}

// Cell returns the attributes of a field of row i of the grid, for the template.
func (v *variantRow) Cell(i int, member string, hints ...string) template.HTMLAttr {
	return v.Errors.attributes("variant."+strconv.Itoa(i), member, hints...)
}

// Cell returns the attributes of a field of group i, for the template.
func (g *groupRow) Cell(i int, member string) template.HTMLAttr {
	return g.Errors.attributes("group."+strconv.Itoa(i), member)
}

// place is where a message of the form stands: at a member of a row, or at a field that is in no row.
type place struct {
	row    *rowErrors // nil for a field that is in no row
	member string     // of the row, or the name of the field
	label  string     // of the member
}

// formErrors are messages at the rows and fields of a form.
type formErrors struct {
	l    *frame.Language
	list []placedError
}

type placedError struct {
	place
	message string
}

func (e *formErrors) add(at place, message string) {
	e.list = append(e.list, placedError{at, message})
}

// check adds a broken rule, unless broken is nil.
func (e *formErrors) check(at place, broken *fault.Field) {
	if broken != nil {
		e.add(at, e.l.Fault(broken.Message))
	}
}

func (e *formErrors) notNumber(at place, text string) {
	e.add(at, e.l.T("“%s” is not a number. Write it like 1990.50.", text))
}

// typedText returns the text of a scalar member as its rule reads it: a number without groups of digits and with a
// point. For a text that is no number, typedText adds a message and returns "".
func (e *formErrors) typedText(at place, text string, isNumber bool) string {
	if !isNumber || text == "" {
		return text
	}
	number, ok := parseNumber(text)
	if !ok {
		e.notNumber(at, text)
		return ""
	}
	return number
}

// errFormInvalid reports that the form has messages at its fields.
var errFormInvalid = errors.New("the form has errors")

// put puts a message at its place.
func (form *productForm) put(at place, message string) {
	if at.row == nil {
		if form.Errors == nil {
			form.Errors = frame.FieldErrors{}
		}
		form.Errors[at.member] = append(form.Errors[at.member], message)
		return
	}

	if at.label != "" {
		message = at.label + ": " + message
	}
	*at.row = append(*at.row, memberError{at.member, message})
}

// addErrors puts the messages of a fault at the fields of the form.
func (form *productForm) addErrors(err error, sent sentRows, l *frame.Language) {
	var f *fault.Error
	if !errors.As(err, &f) {
		return
	}
	for _, field := range f.Fields {
		if at, ok := form.placeOf(field.Field, sent, l); ok {
			form.put(at, l.Fault(field.Message))
		}
	}
}

// placeOf returns the place of the field with this path in the edit, such as variants[2].price. It returns false for a
// row that the form does not show.
func (form *productForm) placeOf(path string, sent sentRows, l *frame.Language) (at place, ok bool) {
	list, i, member := indexed(path)

	switch {
	case i < 0:
		return place{member: path}, true
	case list == "variants" && i < len(sent.variants):
		v := sent.variants[i]
		return place{&v.Errors, v.cell(member), form.memberLabel(v.cell(member), l)}, true
	case list == "features" && i < len(sent.features):
		return place{row: &sent.features[i].Errors}, true
	case list == "modifiers" && i < len(form.Groups):
		cell := groupCell(member)
		return place{&form.Groups[i].Errors, cell, form.memberLabel(cell, l)}, true
	}

	return place{member: path}, !slices.Contains([]string{"variants", "features", "modifiers"}, list)
}

// indexed splits the path of a member of an element of a list: of variants[2].price it returns variants, 2 and price.
// The index of another path is -1.
func indexed(path string) (list string, i int, member string) {
	list, rest, _ := strings.Cut(path, "[")
	number, member, _ := strings.Cut(rest, "]")
	i, err := strconv.Atoi(number)
	if err != nil {
		return path, -1, ""
	}
	return list, i, strings.TrimPrefix(member, ".")
}

// cell returns the end of the name of the field in which a member of the sent variant stands: option.2 for options[1]
// if the row has no value in one of the columns before.
func (v *variantRow) cell(member string) string {
	list, n, _ := indexed(member)
	switch {
	case list == "options" && n >= 0:
		texts := make([]string, len(v.Options))
		for i := range v.Options {
			texts[i] = v.Options[i].Text
		}
		return columnCell("option.", texts, n)
	case list == "remainders" && n >= 0:
		return columnCell("stock.", v.Stocks, n)
	case list == "images":
		return "image"
	}
	return member
}

// columnCell returns the end of the name of the field n of those that are not empty.
func columnCell(prefix string, texts []string, n int) string {
	for i, text := range texts {
		if text == "" {
			continue
		}
		if n == 0 {
			return prefix + strconv.Itoa(i)
		}
		n--
	}
	return "" // such as a warehouse that is not shown
}

// groupCell returns the end of the name of the field of a member of a group of modifiers: item.2.price for
// items[2].price.
func groupCell(member string) string {
	list, i, rest := indexed(member)
	if list == "items" && i >= 0 && (rest == "name" || rest == "price") {
		return "item." + strconv.Itoa(i) + "." + rest
	}
	return member
}

// memberLabel returns the label of a field of a row by the end of its name, or "" if it needs none.
func (form *productForm) memberLabel(cell string, l *frame.Language) string {
	for _, m := range catalog.VariantScalars {
		if m.Name == cell {
			return l.T(m.Label())
		}
	}

	list, number, _ := strings.Cut(cell, ".")
	i, _ := strconv.Atoi(number)
	switch {
	case cell == "external_id":
		return l.T("Code in accounting")
	case list == "stock" && i < len(form.Stocks):
		return form.Stocks[i].Name
	case list == "item" || strings.HasPrefix(cell, "items"):
		return l.T("Choice")
	case cell == "image":
		return l.T("Images")
	case cell == "min":
		return l.T("At least")
	case cell == "max":
		return l.T("At most")
	}

	return ""
}

// problems returns links to the fields of the form with messages, in the order of the page, at most so many and one.
func (form *productForm) problems(l *frame.Language) (links []frame.Link) {
	add := func(fieldID, label, message string) {
		if label != "" {
			message = label + ": " + message
		}
		links = append(links, frame.Link{Text: message, URL: "#" + fieldID})
	}
	addField := func(name, fieldID, label string) {
		for _, message := range form.Errors[name] {
			add(fieldID, label, message)
		}
	}
	addRow := func(row, label, whole string, errors rowErrors) {
		for _, e := range errors {
			fieldID := whole
			if e.Member != "" {
				fieldID = row + "." + e.Member
			}
			add(fieldID, label, e.Text)
		}
	}

	for _, m := range catalog.ProductScalars {
		fieldID := m.Name
		if m.Name == "seo" {
			fieldID = "seo_title"
		}
		addField(m.Name, fieldID, l.T(m.Field.Label()))
	}

	addField("external_id", "external_id", l.T("Code in accounting"))
	addField("variants", "variants", "")
	for i, v := range form.Variants {
		row := "variant." + strconv.Itoa(i)
		addRow(row, l.T("Row %s", strconv.Itoa(i+1)), row, v.Errors)
	}

	addField("features", "features", "")
	for i := range form.Features {
		field := "feature." + strconv.Itoa(i)
		addRow(field, form.Features[i].FeatureName, field, form.Features[i].Errors)
	}

	addField("categories", "categories", "")
	addField("canonical_category_id", "canonical_category", l.T("Main category"))
	addField("modifiers", "modifiers", "")
	for i, g := range form.Groups {
		row := "group." + strconv.Itoa(i)
		addRow(row, l.T("Group %s", strconv.Itoa(i+1)), row, g.Errors)
	}

	if more := len(links) - maxProblems; more > 1 {
		rest := l.Plural(more, "%d error more", "%d errors more")
		links = append(links[:maxProblems], frame.Link{Text: rest, URL: links[maxProblems].URL})
	}

	return links
}
