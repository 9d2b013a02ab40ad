package productui

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/id"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/modifier"
)

// jsonObject is a group of modifiers or a modifier. Members that the form does not show are kept as they are.
type jsonObject map[string]jsontext.Value

// parseModifiers returns the form of stored modifiers. Those without an id have the made one, so that it stays when the
// form changes their names.
func parseModifiers(stored string) []*groupRow {
	var list []jsonObject
	if err := json.Unmarshal([]byte(modifier.WithIDs(stored)), &list); err != nil {
		return nil // only valid modifiers are stored, or none
	}

	groups := make([]*groupRow, 0, len(list))
	for _, o := range list {
		var items []jsonObject
		if raw, ok := o["items"]; ok {
			_ = json.Unmarshal(raw, &items) // stored items are valid, or null
		}

		delete(o, "items")
		g := &groupRow{Name: o.takeText("name"), Min: o.takeText("min"), Max: o.takeText("max"),
			Required: o.takeText("required") == "true", Items: []*itemRow{}}
		g.Other = o.text()
		for _, item := range items {
			row := &itemRow{Name: item.takeText("name"), Price: item.takeText("price")}
			row.Other = item.text()
			g.Items = append(g.Items, row)
		}

		groups = append(groups, g)
	}

	return groups
}

// takeText removes a member and returns it as the text of a field. A member that is null or missing is "".
func (o jsonObject) takeText(name string) string {
	raw, ok := o[name]
	delete(o, name)
	if !ok || raw.Kind() == 'n' {
		return ""
	}
	var text string
	if raw.Kind() == '"' && json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// text returns the object as JSON with sorted members.
func (o jsonObject) text() string {
	b := []byte{'{'}
	for i, name := range slices.Sorted(maps.Keys(o)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(wire.AppendString(b, name), ':')
		b = append(b, o[name]...)
	}
	return string(append(b, '}'))
}

// newObject returns the JSON of a group or a modifier that has only an id, by which storefronts refer to it.
func newObject() string { return `{"id":"` + id.New[groupRow]().String() + `"}` }

// appendMember appends the comma, the name and the colon of a member.
func appendMember(b []byte, name string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	return append(wire.AppendString(b, name), ':')
}

// appendOther appends the members that the form does not show. The text comes back from the browser, so it may be
// anything; what is not an object is ignored.
func appendOther(b []byte, other string) []byte {
	var o jsonObject
	if json.Unmarshal([]byte(other), &o) != nil {
		return b
	}
	for _, shown := range []string{"name", "min", "max", "required", "items", "price"} {
		delete(o, shown)
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		b = append(appendMember(b, name), o[name]...)
	}
	return b
}

// modifiers returns the modifiers of the form, which are stored as JSON, or fault.Invalid.
func (form *productForm) modifiers(wrong *formErrors) (modifiers *string, err error) {
	body := append(form.appendModifiers([]byte(`{"modifiers":`), wrong), '}')
	in := wire.NewReader(bytes.NewReader(body))
	in.Object(func(string) { modifiers = wire.OrNil(catalog.ReadModifiers(in)) })
	return modifiers, in.End()
}

// appendModifiers appends the modifiers of the form as JSON.
func (form *productForm) appendModifiers(b []byte, wrong *formErrors) []byte {
	b = append(b, '[')
	for _, g := range form.Groups {
		b = appendOther(append(appendComma(b), '{'), g.Other)
		b = wire.AppendString(appendMember(b, "name"), g.Name)
		b = appendNumber(b, "min", g.Min, place{&g.Errors, "min", wrong.l.T("At least")}, wrong)
		b = appendNumber(b, "max", g.Max, place{&g.Errors, "max", wrong.l.T("At most")}, wrong)

		if g.Required {
			b = append(appendMember(b, "required"), "true"...)
		}

		b = append(appendMember(b, "items"), '[')
		for i, item := range g.Items {
			at := place{&g.Errors, "item." + strconv.Itoa(i) + ".price", wrong.l.T("Choice")}
			b = appendOther(append(appendComma(b), '{'), item.Other)
			b = wire.AppendString(appendMember(b, "name"), item.Name)
			b = append(appendNumber(b, "price", item.Price, at, wrong), '}')
		}

		b = append(b, "]}"...)
	}

	return append(b, ']')
}

// appendComma appends a comma unless the list is empty.
func appendComma(b []byte) []byte {
	if b[len(b)-1] != '[' {
		b = append(b, ',')
	}
	return b
}

// appendNumber appends a member that is a number, unless the field is empty.
func appendNumber(b []byte, name, text string, at place, wrong *formErrors) []byte {
	if text == "" {
		return b
	}
	number, ok := parseNumber(text)
	if !ok {
		wrong.notNumber(at, text)
		return b
	}
	return append(appendMember(b, name), number...)
}

// parseNumber turns a number as people type it, such as 1 990,50, into a JSON number.
func parseNumber(text string) (string, bool) {
	text = strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\u00a0', '\u202f':
			return -1
		case ',':
			return '.'
		}
		return r
	}, text)

	whole, fraction, pointed := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	if !isDigits(whole) || len(whole) > 20 || (pointed && !isDigits(fraction)) {
		return "", false
	}

	number := strings.TrimLeft(whole, "0")
	if number == "" {
		number = "0"
	}

	if strings.HasPrefix(text, "-") {
		number = "-" + number
	}

	if pointed {
		number += "." + fraction
	}

	return number, true
}

func isDigits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }
