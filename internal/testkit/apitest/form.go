package apitest

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// FormFields returns the fields of a form of an HTML page as a browser would send them, without its buttons and files.
// The form is the one with this id or action. FormFields fails the test if the page has none.
func FormFields(tb testing.TB, page, form string) url.Values {
	tb.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		tb.Fatal(err)
	}

	var target *html.Node
	for n := range root.Descendants() {
		if n.Data == "form" && target == nil && (attribute(n, "id") == form || attribute(n, "action") == form) {
			target = n
		}
	}

	if target == nil {
		tb.Fatalf("the page has no form %q: %.3000s", form, page)
	}

	fields := url.Values{}
	var walk func(n, owner *html.Node, disabled bool)

	walk = func(n, owner *html.Node, disabled bool) {
		if n.Type == html.ElementNode {
			if n.Data == "form" {
				owner = n
			}

			disabled = disabled || hasAttribute(n, "disabled")
			belongs := owner == target
			if id := attribute(n, "form"); id != "" {
				belongs = id == attribute(target, "id")
			}

			if belongs && !disabled {
				addField(fields, n)
			}
		}

		for c := range n.ChildNodes() {
			walk(c, owner, disabled)
		}
	}

	walk(root, nil, false)
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
