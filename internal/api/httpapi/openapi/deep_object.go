package openapi

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"vitrine/internal/api/httpapi"
)

// queryParams describes the query parameters of a route, except unlisted ones. Parameters with brackets, such as
// price[from] and price[to], become one parameter of the style deepObject.
func queryParams(documented []httpapi.Param) []*huma.Param {
	var list []*huma.Param
	objects := map[string]*huma.Param{}
	for _, d := range documented {
		if d.Unlisted {
			continue
		}

		base, rest, hasBrackets := strings.Cut(d.Name, "[")
		if !hasBrackets {
			list = append(list, newParam(d, "query"))
			continue
		}

		p := objects[base]
		if p == nil {
			explode := true
			p = &huma.Param{Name: base, In: "query", Style: "deepObject", Explode: &explode,
				Schema: &huma.Schema{Type: huma.TypeObject}}
			objects[base] = p
			list = append(list, p)
		} else {
			p.Description += "\n\n"
		}

		p.Description += "`" + d.Name + "`: " + d.Description
		addDeepMember(p.Schema, strings.Split(strings.TrimSuffix(rest, "]"), "]["), d)
	}

	return list
}

// addDeepMember adds the member that the keys, the texts in the brackets, lead to. A key in braces stands for any name,
// and an empty one for the elements of a list. A schema may be both an object and a list.
func addDeepMember(s *huma.Schema, keys []string, d httpapi.Param) {
	leaf := newParam(d, "query").Schema
	key := keys[0]

	if len(keys) > 1 {
		child, _ := s.AdditionalProperties.(*huma.Schema)
		if child == nil {
			child = &huma.Schema{}
			s.AdditionalProperties = child
		}
		addDeepMember(child, keys[1:], d)
		return
	}

	if key == "" {
		leaf.Format = "uuid"
		s.AnyOf = append(s.AnyOf, &huma.Schema{Type: huma.TypeArray, Items: leaf})
		return
	}

	target := s
	if s.Type != huma.TypeObject { // beside a list
		last := len(s.AnyOf) - 1
		if last < 0 || s.AnyOf[last].Type != huma.TypeObject {
			s.AnyOf = append(s.AnyOf, &huma.Schema{Type: huma.TypeObject})
			last++
		}
		target = s.AnyOf[last]
	}

	if target.Properties == nil {
		target.Properties = map[string]*huma.Schema{}
	}

	target.Properties[key] = leaf
}
