package tstype

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
)

// Attribute is a feature or an option of a store, with the names by which programs know it and its values.
type Attribute struct {
	Name, ID string
	IsRange  bool // a feature whose values are numbers
	Values   []Value
}

// Value is a value of an attribute.
type Value struct{ Name, ID string }

// Store returns a TypeScript module with the features and options of a store, for the option schema of the client. The
// parameter from says where they come from. The names of a list differ.
func Store(from string, features, options []Attribute) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// The features and options of %s. Written by vitrine types: write it again when they change.\n"+
		"// Give it to createClient of @vitrine/client as schema; a wrong name is a compile error then.\n"+
		"export const schema = {\n  features: {\n", from)
	writeAttributes(&b, features, true)
	b.WriteString("  },\n  options: {\n")
	writeAttributes(&b, options, false)
	b.WriteString("  },\n} as const;\n")
	return b.Bytes()
}

func writeAttributes(b *bytes.Buffer, list []Attribute, withType bool) {
	for _, a := range list {
		fmt.Fprintf(b, "    %s: {\n      id: %s,\n", memberName(a.Name), literal(a.ID))
		switch {
		case withType && a.IsRange:
			b.WriteString("      type: \"range\",\n")
		case withType:
			b.WriteString("      type: \"select\",\n")
		}

		b.WriteString("      values: {\n")
		for _, v := range a.Values {
			fmt.Fprintf(b, "        %s: %s,\n", memberName(v.Name), literal(v.ID))
		}
		b.WriteString("      },\n    },\n")
	}
}

// distinct makes names differ that occur more than once, by appending ids: the first keeps its name.
func distinct[Element any](list []Element, name func(*Element) *string, id func(*Element) string) {
	seen := make(map[string]bool, len(list))
	for i := range list {
		text := name(&list[i])
		if seen[*text] {
			*text += " (" + id(&list[i]) + ")"
		}
		seen[*text] = true
	}
}

var identifier = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// memberName returns a name as a member of an object. A quoted __proto__ would set the prototype.
func memberName(name string) string {
	switch {
	case name == "__proto__":
		return `["__proto__"]`
	case identifier.MatchString(name):
		return name
	}
	return literal(name)
}

// literal returns a string literal. JSON escapes what JavaScript escapes, U+2028 and U+2029 too.
func literal(text string) string {
	quoted, _ := json.Marshal(text) // a string can be encoded
	return string(quoted)
}
