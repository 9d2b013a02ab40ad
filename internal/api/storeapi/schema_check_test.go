package storeapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/shop/catalog"
)

// openAPI is the OpenAPI document as text and parsed.
type openAPI struct {
	text []byte
	root map[string]any
}

func newDocument(t *testing.T) (openAPI, []httpapi.Route) {
	t.Helper()
	routes := New(Deps{Catalog: catalog.New(catalog.Deps{})}).Routes()
	d, err := openapi.NewDocument(spec.About("test"), routes)
	if err != nil {
		t.Fatal(err)
	}
	text, err := d.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return openAPI{text, parseJSON(t, string(text)).(map[string]any)}, append(routes, d.Routes()...)
}

// newISODocument returns the document that describes the answers to requests with dates=iso.
func newISODocument(t *testing.T) openAPI {
	t.Helper()
	d, err := openapi.NewDocument(spec.About("test"), New(Deps{Catalog: catalog.New(catalog.Deps{})}).Routes())
	if err != nil {
		t.Fatal(err)
	}
	text, err := d.ISOJSON()
	if err != nil {
		t.Fatal(err)
	}
	return openAPI{text, parseJSON(t, string(text)).(map[string]any)}
}

// parseJSON parses JSON. Numbers are of type json.Number.
func parseJSON(t *testing.T, text string) any {
	t.Helper()
	var v any
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// find resolves a reference such as #/components/schemas/Store.
func (o openAPI) find(ref string) any {
	var v any = o.root
	for name := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		object, _ := v.(map[string]any)
		v = object[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]
	}
	return v
}

// violations returns how a value violates a schema of the document. It is stricter than JSON Schema: a member that the
// schema does not describe is a violation, and so is a keyword that this function does not know.
func (o openAPI) violations(schema, v any, place string) []string {
	s, ok := schema.(map[string]any)
	if !ok {
		return []string{place + ": no schema"}
	}

	var found []string
	fail := func(format string, args ...any) { found = append(found, place+": "+fmt.Sprintf(format, args...)) }
	for keyword, rule := range s {
		switch keyword {
		case "description", "title", "examples", "default", "contentMediaType":
		case "required", "additionalProperties": // checked by properties
		case "$ref":
			found = append(found, o.violations(o.find(rule.(string)), v, place)...)
		case "type":
			if !hasType(rule, v) {
				fail("%v is no %v", v, rule)
			}
		case "enum":
			if !slices.Contains(rule.([]any), v) {
				fail("%v is none of %v", v, rule)
			}
		case "format":
			if !hasFormat(rule.(string), v) {
				fail("%v is no %v", v, rule)
			}
		case "pattern":
			if text, ok := v.(string); ok && !regexp.MustCompile(rule.(string)).MatchString(text) {
				fail("%q does not match %v", text, rule)
			}
		case "minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum":
			if !inBounds(keyword, toFloat(rule), v) {
				fail("%v breaks %s %v", v, keyword, rule)
			}
		case "items":
			list, _ := v.([]any)
			for i, element := range list {
				found = append(found, o.violations(rule, element, fmt.Sprintf("%s[%d]", place, i))...)
			}
		case "properties":
			found = append(found, o.memberViolations(s, v, place)...)

		case "oneOf", "anyOf":
			fits := 0
			var why []string
			for _, choice := range rule.([]any) {
				if wrong := o.violations(choice, v, place); len(wrong) > 0 {
					why = append(why, wrong...)
				} else {
					fits++
				}
			}

			if fits == 0 || (keyword == "oneOf" && fits > 1) {
				fail("fits %d of %s: %s", fits, keyword, strings.Join(why, "; "))
			}

		case "allOf": // a schema and what one more object says of some of its members
			for _, part := range rule.([]any) {
				part := maps.Clone(part.(map[string]any))
				if part["$ref"] == nil {
					part["additionalProperties"] = true
				}
				found = append(found, o.violations(part, v, place)...)
			}

		case "const":
			if v != rule {
				fail("%v is not %v", v, rule)
			}
		default:
			fail("the schema has an unknown keyword %s", keyword)
		}
	}

	return found
}

func (o openAPI) memberViolations(s map[string]any, v any, place string) (found []string) {
	object, ok := v.(map[string]any)
	if !ok {
		return nil // the keyword type reports it
	}

	properties := s["properties"].(map[string]any)
	for name, member := range object {
		if rule, known := properties[name]; known {
			found = append(found, o.violations(rule, member, place+"."+name)...)
		} else if s["additionalProperties"] != true {
			found = append(found, place+": "+name+" is not described")
		}
	}

	required, _ := s["required"].([]any)
	for _, name := range required {
		if _, there := object[name.(string)]; !there {
			found = append(found, fmt.Sprintf("%s: %s is missing", place, name))
		}
	}

	return found
}

func hasType(rule, v any) bool {
	if choices, ok := rule.([]any); ok {
		return slices.ContainsFunc(choices, func(c any) bool { return hasType(c, v) })
	}

	switch v := v.(type) {
	case nil:
		return rule == "null"
	case bool:
		return rule == "boolean"
	case string:
		return rule == "string"
	case json.Number:
		return rule == "number" || (rule == "integer" && toFloat(v) == math.Trunc(toFloat(v)))
	case []any:
		return rule == "array"
	}

	return rule == "object"
}

func hasFormat(format string, v any) bool {
	text, ok := v.(string)
	if !ok {
		return format == "int64" || v == nil // the keyword type decides whether null is allowed
	}
	switch format {
	case "uuid":
		_, err := uuid.Parse(text)
		return err == nil
	case "date":
		_, err := time.Parse(time.DateOnly, text)
		return err == nil
	case "date-time":
		return regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(Z|[+-]\d{2}:\d{2})$`).MatchString(text)
	}
	return false
}

func toFloat(v any) float64 {
	f, _ := v.(json.Number).Float64()
	return f
}

func inBounds(keyword string, bound float64, v any) bool {
	var size float64
	switch v := v.(type) {
	case string:
		size = float64(utf8.RuneCountInString(v))
	case []any:
		size = float64(len(v))
	case json.Number:
		size = toFloat(v)
	default:
		return true
	}
	if strings.HasPrefix(keyword, "min") {
		return size >= bound
	}
	return size <= bound
}
