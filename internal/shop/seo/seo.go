// Package seo has what a shop tells search engines about a product or a category: a title and a description for their
// results, and whether the page is to be left out of them.
package seo

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/rule"
)

// The maximum lengths of a title and of a description, in characters.
const (
	MaxTitle       = 255
	MaxDescription = 1000
)

// Meta is what search engines are told of one thing. The zero Meta says nothing of its own. Metas are compared with ==.
type Meta struct {
	Title       string
	Description string
	NoIndex     bool
}

// Title is the rule of a title: at most 255 characters on one line, trimmed. It may be empty.
func Title(sent string) (string, *fault.Field) {
	text := strings.TrimSpace(sent)
	if broken := rule.OneLine(text); broken != nil {
		return "", broken
	}
	return text, rule.Plain(text, MaxTitle)
}

// Description is the rule of a description: at most 1,000 characters, trimmed. It may be empty.
func Description(sent string) (string, *fault.Field) {
	text := strings.TrimSpace(sent)
	return text, rule.Plain(text, MaxDescription)
}

// Normalized returns the Meta as it is stored, or the rule that it breaks.
func (m Meta) Normalized() (Meta, *fault.Field) {
	title, broken := Title(m.Title)
	if broken != nil {
		return Meta{}, broken
	}
	description, broken := Description(m.Description)
	if broken != nil {
		return Meta{}, broken
	}
	return Meta{title, description, m.NoIndex}, nil
}

// Read reads {"title", "description", "noindex"}. A member that is missing or null is empty, or false, and null stands
// for an empty object.
func Read(r *wire.Reader) (m Meta, ok bool) {
	if r.Null() {
		return Meta{}, true
	}

	text := func(of rule.Text) string {
		if r.Null() {
			return ""
		}
		value, _ := wire.As(r, r.String, of)
		return value
	}

	ok = r.Object(func(name string) {
		switch name {
		case "title":
			m.Title = text(Title)
		case "description":
			m.Description = text(Description)
		case "noindex":
			if !r.Null() {
				m.NoIndex, _ = r.Bool()
			}
		default:
			r.UnknownMember()
		}
	})
	return m, ok
}

// AppendJSON appends the Meta as it is read. It is always an object.
func (m Meta) AppendJSON(b []byte) []byte {
	b = append(b, `{"title":`...)
	b = wire.AppendString(b, m.Title)
	b = append(b, `,"description":`...)
	b = wire.AppendString(b, m.Description)
	if m.NoIndex {
		return append(b, `,"noindex":true}`...)
	}
	return append(b, `,"noindex":false}`...)
}

// OrNull returns the Meta as a column value: its JSON, or NULL if it says nothing.
func (m Meta) OrNull() any {
	if m == (Meta{}) {
		return nil
	}
	return string(m.AppendJSON(nil))
}

// Scan implements sql.Scanner.
func (m *Meta) Scan(v any) error {
	*m = Meta{}
	switch text := v.(type) {
	case nil:
		return nil
	case string:
		return m.decode([]byte(text))
	case []byte:
		return m.decode(text)
	}
	return fmt.Errorf("cannot read %T as what search engines are told", v)
}

func (m *Meta) decode(text []byte) error {
	var stored struct {
		Title       string `json:"title"`
		Description string `json:"description"`
		NoIndex     bool   `json:"noindex"`
	}
	if err := json.Unmarshal(text, &stored); err != nil {
		return fmt.Errorf("read what search engines are told: %w", err)
	}
	*m = Meta(stored)
	return nil
}

// These lines of Text say whether the thing is left out of search results.
const (
	hidden = "noindex"
	shown  = "index"
)

// Text returns the Meta as people write it: a line noindex if it is set, a line with the title, and the description. A
// title that is missing leaves an empty line before a description. A line index precedes a title that is one of these
// words.
func (m Meta) Text() string {
	var lines []string
	switch {
	case m.NoIndex:
		lines = append(lines, hidden)
	case m.Title == hidden || m.Title == shown:
		lines = append(lines, shown)
	}
	if m.Title != "" || m.Description != "" {
		lines = append(lines, m.Title)
	}
	if m.Description != "" {
		lines = append(lines, m.Description)
	}
	return strings.Join(lines, "\n")
}

// Parse returns the Meta that a text of Meta.Text stands for.
func Parse(text string) (m Meta, _ *fault.Field) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	first, rest, _ := strings.Cut(text, "\n")
	if flag := strings.TrimSpace(first); flag == hidden || flag == shown {
		m.NoIndex = flag == hidden
		first, rest, _ = strings.Cut(rest, "\n")
	}
	m.Title = strings.TrimSpace(first)
	m.Description = strings.TrimSpace(rest)
	return m, nil
}
