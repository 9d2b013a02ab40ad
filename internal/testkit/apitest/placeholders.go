package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// placeholderNames maps values that differ between runs to fixed placeholders. Ids are numbered in the order in which
// they appear.
type placeholderNames struct {
	keys   Keys
	ids    []string
	values map[string]string
}

var uuidPattern = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

func newPlaceholders(k Keys) *placeholderNames {
	return &placeholderNames{keys: k, values: map[string]string{
		"{store}": k.StoreID.String(), "{secret}": k.Secret, "{publishable}": k.Publishable, "{exchange}": k.Exchange,
	}}
}

// expand replaces placeholders by their values.
func (n *placeholderNames) expand(text string) string {
	for name, value := range n.values {
		text = strings.ReplaceAll(text, name, value)
	}
	return text
}

// replaceIDs replaces ids by placeholders. A new id gets the next number.
func (n *placeholderNames) replaceIDs(text string) string {
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

func (n *placeholderNames) name(at int) string { return "{id:" + strconv.Itoa(at+1) + "}" }

// formatBody formats the body of a response for people. Dates and ids become placeholders, short values stay on one
// line, and members keep their order.
func (n *placeholderNames) formatBody(r *Response) string {
	body := bytes.ReplaceAll(r.Body, []byte(r.Header.Get("X-Request-Id")), []byte("{request_id}"))
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	tree, err := n.parseJSON(d)
	if err != nil {
		return n.replaceIDs(string(r.Body)) // the body is not JSON
	}
	return tree.write("")
}

// jsonNode is a JSON value that keeps the order of its members.
type jsonNode struct {
	open, text string // open is "{" or "[", or empty for a scalar, which is in text
	names      []string
	parts      []jsonNode
}

func (n *placeholderNames) parseJSON(d *json.Decoder) (jsonNode, error) {
	token, err := d.Token()
	if err != nil {
		return jsonNode{}, err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return jsonNode{text: n.replaceIDs(scalarText(token))}, nil
	}
	t := jsonNode{open: delim.String()}
	for d.More() {
		if delim == '{' {
			name, err := d.Token()
			if err != nil {
				return t, err
			}
			t.names = append(t.names, fmt.Sprint(name))
		}
		part, err := n.parseJSON(d)
		if err != nil {
			return t, err
		}
		t.parts = append(t.parts, part)
	}
	_, err = d.Token()
	if slices.Equal(t.names, dateFields()) {
		return jsonNode{text: `"{date}"`}, err
	}
	return t, err
}

// dateFields are the members of a date object in their order.
func dateFields() []string {
	return []string{
		"timezone", "datetime_utc", "datetime", "datetime_at", "date", "diff", "timestamp", "iso_utc", "iso",
	}
}

func scalarText(token any) string {
	if number, ok := token.(json.Number); ok {
		return number.String()
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(token) // a string, a bool or nil can always be encoded
	return strings.TrimSpace(b.String())
}

// maxLineLength is the length up to which a value stays on one line.
const maxLineLength = 110

func (t jsonNode) write(indent string) string {
	if line := t.line(); t.open == "" || len(line)+len(indent) <= maxLineLength {
		return line
	}
	var b strings.Builder
	b.WriteString(t.open)
	for i, p := range t.parts {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n" + indent + "  " + t.label(i) + p.write(indent+"  "))
	}
	b.WriteString("\n" + indent + t.close())
	return b.String()
}

func (t jsonNode) line() string {
	if t.open == "" {
		return t.text
	}
	parts := make([]string, len(t.parts))
	for i, p := range t.parts {
		parts[i] = t.label(i) + p.line()
	}
	return t.open + strings.Join(parts, ", ") + t.close()
}

func (t jsonNode) label(i int) string {
	if t.open == "{" {
		return scalarText(t.names[i]) + ": "
	}
	return ""
}

func (t jsonNode) close() string {
	if t.open == "{" {
		return "}"
	}
	return "]"
}
