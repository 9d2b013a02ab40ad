package adminui_test

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// form returns the fields of the form with this id as a browser would send them, without its buttons and files.
func (p response) form(id string) url.Values {
	p.t.Helper()
	root, err := html.Parse(strings.NewReader(p.text))
	if err != nil {
		p.t.Fatal(err)
	}
	fields, found := url.Values{}, false
	var walk func(n *html.Node, inside, disabled bool)
	walk = func(n *html.Node, inside, disabled bool) {
		if n.Type == html.ElementNode {
			if n.Data == "form" {
				inside = attribute(n, "id") == id
				found = found || inside
			}
			disabled = disabled || hasAttribute(n, "disabled")
			if owner := attribute(n, "form"); !disabled && (owner == id || (owner == "" && inside)) {
				addField(fields, n)
			}
		}
		for c := range n.ChildNodes() {
			walk(c, inside, disabled)
		}
	}
	walk(root, false, false)
	if !found {
		p.t.Fatalf("%s has no form %q: %.3000s", p.requestLine(), id, p.text)
	}
	return fields
}

// addField adds a field of a form with its value.
func addField(fields url.Values, n *html.Node) {
	name := attribute(n, "name")
	switch {
	case name == "" || n.Data == "button":
	case n.Data == "textarea":
		fields.Add(name, strings.TrimPrefix(textOf(n), "\n"))
	case n.Data == "select":
		var first, selected *html.Node
		for option := range n.Descendants() {
			if option.Data == "option" {
				if first == nil {
					first = option
				}
				if hasAttribute(option, "selected") {
					selected = option
				}
			}
		}
		if selected == nil {
			selected = first
		}
		if selected != nil {
			fields.Add(name, attribute(selected, "value"))
		}
	case n.Data == "input" && attribute(n, "type") == "file":
	case n.Data == "input" && slices.Contains([]string{"checkbox", "radio"}, attribute(n, "type")):
		if hasAttribute(n, "checked") {
			fields.Add(name, attribute(n, "value"))
		}
	case n.Data == "input":
		fields.Add(name, attribute(n, "value"))
	}
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func hasAttribute(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}
