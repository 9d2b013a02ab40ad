package apitest

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// goldenPlaceholders maps values that differ between runs to fixed placeholders. Ids are numbered in the order in which
// they appear.
type goldenPlaceholders struct {
	keys   Keys
	ids    []string
	values map[string]string
}

var uuidPattern = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

func newPlaceholders(k Keys) *goldenPlaceholders {
	return &goldenPlaceholders{keys: k, values: map[string]string{
		"{store}": k.StoreID.String(), "{secret}": k.Secret, "{publishable}": k.Publishable, "{exchange}": k.Exchange,
	}}
}

// expand replaces placeholders by their values.
func (n *goldenPlaceholders) expand(text string) string {
	for name, value := range n.values {
		text = strings.ReplaceAll(text, name, value)
	}
	return text
}

// replaceIDs replaces ids by placeholders. A new id gets the next number.
func (n *goldenPlaceholders) replaceIDs(text string) string {
	return uuidPattern.ReplaceAllStringFunc(text, func(found string) string {
		if found == n.keys.StoreID.String() {
			return "{store}"
		}
		at := slices.Index(n.ids, found)
		if at < 0 {
			at = len(n.ids)
			n.ids = append(n.ids, found)
			n.values[n.name(at)] = found
		}
		return n.name(at)
	})
}

func (n *goldenPlaceholders) name(at int) string { return "{id:" + strconv.Itoa(at+1) + "}" }

// datePattern matches a date object.
var datePattern = regexp.MustCompile(`\{"` + strings.Join([]string{
	"timezone", "datetime_utc", "datetime", "datetime_at", "date", "diff", "timestamp", "iso_utc", "iso",
}, `":(?:"[^"]*"|-?\d+),"`) + `":"[^"]*"\}`)

// formatBody formats the body of a response so that it can be read in a golden file. Dates and ids become placeholders,
// short values stay on one line, and members keep their order.
func (n *goldenPlaceholders) formatBody(r *Response) string {
	body := bytes.ReplaceAll(r.Body, []byte(r.Header.Get("X-Request-Id")), []byte("{request_id}"))
	body = datePattern.ReplaceAll(body, []byte(`"{date}"`))
	value, err := jsontext.NewDecoder(bytes.NewReader(body)).ReadValue()
	if err != nil {
		return n.replaceIDs(string(r.Body)) // the body is not JSON
	}
	return formatGoldenJSON(jsontext.Value(n.replaceIDs(string(value))), "")
}

// maxLineLength is the length up to which a value stays on one line.
const maxLineLength = 110

// formatGoldenJSON formats a valid JSON value. It starts all lines but the first with indent.
func formatGoldenJSON(value jsontext.Value, indent string) string {
	line := slices.Clone(value)
	_ = line.Format(jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true)) // the value is valid
	isObject := value.Kind() == jsontext.KindBeginObject
	if !isObject && value.Kind() != jsontext.KindBeginArray || len(line)+len(indent) <= maxLineLength {
		return string(line)
	}

	d := jsontext.NewDecoder(bytes.NewReader(value))
	begin, _ := d.ReadToken()
	text := begin.String()
	separator := ""

	for d.PeekKind() != jsontext.KindEndObject && d.PeekKind() != jsontext.KindEndArray {
		text += separator + "\n  " + indent
		if isObject {
			name, _ := d.ReadValue()
			text += string(name) + ": "
		}
		part, _ := d.ReadValue()
		text += formatGoldenJSON(part, indent+"  ")
		separator = ","
	}

	end, _ := d.ReadToken()
	return text + "\n" + indent + end.String()
}
