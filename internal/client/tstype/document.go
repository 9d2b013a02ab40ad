// Package tstype writes TypeScript: the types of the storefront's part of an OpenAPI document, which the client in
// clients/typescript has, and the features and options of a store, which vitrine types prints.
package tstype

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// refPrefix is what references to named schemas begin with.
const refPrefix = "#/components/schemas/"

// document is the part of an OpenAPI document that has types.
type document struct {
	Paths      map[string]map[string]operation
	Components struct {
		Schemas   map[string]schema
		Responses map[string]response
	}
}

type operation struct {
	OperationID string
	Security    []map[string][]string
	RequestBody struct{ Content map[string]media }
	Responses   map[string]response
}

type response struct {
	Ref     string `json:"$ref"`
	Content map[string]media
}

type media struct{ Schema schema }

// schema is a JSON Schema, with the keywords that the documents have.
type schema struct {
	Ref                  string `json:"$ref"`
	Description          string
	Type                 json.RawMessage
	Enum                 []json.RawMessage
	Properties           properties
	Required             []string
	Items                *schema
	AnyOf, OneOf, AllOf  []schema
	AdditionalProperties json.RawMessage
}

// properties are the members of an object, in their order.
type properties []property

type property struct {
	name   string
	schema schema
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *properties) UnmarshalJSON(text []byte) error {
	d := jsontext.NewDecoder(bytes.NewReader(text))
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}

		member := property{name: name.String()}
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		if err := json.Unmarshal(value, &member.schema); err != nil {
			return err
		}

		*p = append(*p, member)
	}

	return nil
}

// Document returns a declaration file with the types that the operations of visitors and customers take and answer
// with, and with the codes of their problems.
func Document(openAPI []byte) ([]byte, error) {
	var d document
	if err := json.Unmarshal(openAPI, &d); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}

	named := map[string]bool{}
	codes := map[string][]string{}
	for _, item := range d.Paths {
		for _, op := range item {
			if op.isPublic() {
				codes[op.OperationID] = d.problemCodes(op)
				d.addOperation(named, op)
			}
		}
	}

	var b bytes.Buffer
	b.WriteString("// The types of the storefront's API, with dates=iso. Written from its OpenAPI document:\n" +
		"// go test ./clients/typescript -run TestSchema -update\n")
	for _, name := range slices.Sorted(maps.Keys(named)) {
		b.WriteString("\n")
		d.declare(&b, name)
	}

	writeCodes(&b, codes)
	return b.Bytes(), nil
}

// isPublic reports whether visitors or customers may call an operation.
func (op operation) isPublic() bool {
	return slices.ContainsFunc(op.Security, func(s map[string][]string) bool {
		_, customer := s["customerToken"]
		return customer
	})
}

// addOperation adds the names of the schemas of an operation and of all that they refer to.
func (d *document) addOperation(named map[string]bool, op operation) {
	for _, m := range op.RequestBody.Content {
		d.addSchema(named, m.Schema)
	}
	for status, r := range op.Responses {
		if strings.HasPrefix(status, "2") {
			for _, m := range r.Content {
				d.addSchema(named, m.Schema)
			}
		}
	}
	d.addSchema(named, schema{Ref: refPrefix + "Problem"})
}

func (d *document) addSchema(named map[string]bool, s schema) {
	if s.Ref != "" {
		name := strings.TrimPrefix(s.Ref, refPrefix)
		if !named[name] {
			named[name] = true
			d.addSchema(named, d.Components.Schemas[name])
		}
		return
	}

	for _, p := range s.Properties {
		d.addSchema(named, p.schema)
	}
	for _, part := range slices.Concat(s.AnyOf, s.OneOf, s.AllOf) {
		d.addSchema(named, part)
	}
	if s.Items != nil {
		d.addSchema(named, *s.Items)
	}
}

// problemCodes returns the codes of the problems of an operation, sorted.
func (d *document) problemCodes(op operation) []string {
	var codes []string
	for _, r := range op.Responses {
		if r.Ref != "" {
			r = d.Components.Responses[r.Ref[strings.LastIndex(r.Ref, "/")+1:]]
		}
		for _, part := range r.Content["application/problem+json"].Schema.AllOf {
			for _, p := range part.Properties {
				if p.name == "code" {
					codes = append(codes, literals(p.schema.Enum)...)
				}
			}
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// declare writes the declaration of a named schema.
func (d *document) declare(b *bytes.Buffer, name string) {
	s := d.Components.Schemas[name]
	writeComment(b, "", s.Description)
	if len(s.Properties) > 0 && s.AllOf == nil {
		fmt.Fprintf(b, "export interface %s %s\n", name, typeOf(s, ""))
		return
	}
	fmt.Fprintf(b, "export type %s = %s;\n", name, typeOf(s, ""))
}

func writeComment(b *bytes.Buffer, indent, text string) {
	if text != "" {
		fmt.Fprintf(b, "%s/** %s */\n", indent, strings.ReplaceAll(strings.ReplaceAll(text, "*/", "* /"), "\n", " "))
	}
}

// typeOf returns the TypeScript type of a schema.
func typeOf(s schema, indent string) string {
	union := func(parts []schema, sign string) string {
		texts := make([]string, len(parts))
		for i, part := range parts {
			texts[i] = typeOf(part, indent)
		}
		return strings.Join(texts, sign)
	}

	switch {
	case s.Ref != "":
		return strings.TrimPrefix(s.Ref, refPrefix)
	case len(s.Enum) > 0:
		return strings.Join(literals(s.Enum), " | ")
	case len(s.AnyOf) > 0:
		return union(s.AnyOf, " | ")
	case len(s.OneOf) > 0:
		return union(s.OneOf, " | ")
	case len(s.AllOf) > 0:
		return union(s.AllOf, " & ")
	}

	var names []string
	if len(s.Type) > 0 && s.Type[0] == '[' {
		_ = json.Unmarshal(s.Type, &names) // the document is ours
	} else {
		names = []string{strings.Trim(string(s.Type), `"`)}
	}

	for i, name := range names {
		names[i] = simpleType(s, name, indent)
	}
	return strings.Join(names, " | ")
}

// simpleType returns the TypeScript type of a schema whose type has this name.
func simpleType(s schema, name, indent string) string {
	switch name {
	case "integer":
		return "number"
	case "array":
		element := typeOf(*s.Items, indent)
		if strings.Contains(element, " | ") {
			element = "(" + element + ")"
		}
		return element + "[]"
	case "object":
		return objectType(s, indent)
	case "":
		return "unknown"
	}
	return name
}

func objectType(s schema, indent string) string {
	if len(s.Properties) == 0 {
		var element schema
		if json.Unmarshal(s.AdditionalProperties, &element) == nil && len(s.AdditionalProperties) > 4 {
			return "Record<string, " + typeOf(element, indent) + ">"
		}
		return "Record<string, unknown>"
	}

	var b bytes.Buffer
	b.WriteString("{\n")
	for _, p := range s.Properties {
		writeComment(&b, indent+"  ", p.schema.Description)
		optional := "?"
		if slices.Contains(s.Required, p.name) {
			optional = ""
		}
		fmt.Fprintf(&b, "%s  %s%s: %s;\n", indent, memberName(p.name), optional, typeOf(p.schema, indent+"  "))
	}
	b.WriteString(indent + "}")
	return b.String()
}

func literals(values []json.RawMessage) []string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return texts
}

// writeCodes writes the codes of the problems of each operation: those that all operations have, and the others.
func writeCodes(b *bytes.Buffer, codes map[string][]string) {
	operations := map[string]int{} // by code
	for _, list := range codes {
		for _, code := range list {
			operations[code]++
		}
	}

	var common, others []string
	for _, code := range slices.Sorted(maps.Keys(operations)) {
		if operations[code] == len(codes) {
			common = append(common, code)
		} else {
			others = append(others, code)
		}
	}

	const separator = "\n  | "
	fmt.Fprintf(b, "\n/** The codes of problems that every operation may answer with. */\n"+
		"export type CommonProblemCode =%s%s;\n", separator, strings.Join(common, separator))
	b.WriteString("\n/** The codes of the problems of each operation. */\nexport interface ProblemCodes {\n")
	for _, name := range slices.Sorted(maps.Keys(codes)) {
		own := slices.DeleteFunc(codes[name], func(code string) bool { return slices.Contains(common, code) })
		fmt.Fprintf(b, "  %s: %s;\n", name, strings.Join(append([]string{"CommonProblemCode"}, own...), " | "))
	}
	fmt.Fprintf(b, "}\n\n/** The codes of all problems. Later versions may have others. */\n"+
		"export type ProblemCode =%sCommonProblemCode%s%s;\n", separator, separator, strings.Join(others, separator))
}
