package archtest

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The message of a rule stands once in the source, at the rule: where fault.Broken gets it.
func TestMessagesOfRules_standOnce(t *testing.T) {
	pkgs, err := loadModule()
	if err != nil {
		t.Fatal(err)
	}

	places := map[string][]string{}
	var rules []string
	for _, p := range pkgs {
		for _, f := range p.Files {
			if f.IsTest() {
				continue
			}

			ast.Inspect(f.Syntax, func(n ast.Node) bool {
				if message := brokenMessage(n); message != "" {
					rules = append(rules, message)
				}
				if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
					value, _ := strconv.Unquote(text.Value)
					places[value] = append(places[value], f.Name)
				}
				return true
			})
		}
	}

	if len(rules) < 10 {
		t.Fatalf("only %d messages of rules were found", len(rules))
	}
	slices.Sort(rules)
	for _, message := range slices.Compact(rules) {
		if len(places[message]) > 1 {
			t.Errorf("%q stands in %s: call the rule instead", message, strings.Join(places[message], ", "))
		}
	}
}

// brokenMessage returns the message of a call of fault.Broken, or "".
func brokenMessage(n ast.Node) string {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) < 2 {
		return ""
	}
	called, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || called.Sel.Name != "Broken" {
		return ""
	}
	text, ok := call.Args[1].(*ast.BasicLit)
	if !ok {
		return ""
	}
	message, _ := strconv.Unquote(text.Value)
	return message
}
