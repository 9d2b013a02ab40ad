package e2e

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/testkit/apitest"
)

// longListLen is more than maxBufferedElements, so a list of this length is not kept in memory. It is parsed from the
// body again when the edit is applied.
const longListLen = 2100

// eachListLength runs fn for each attributeAPI. The argument pad of fn is the number of elements that the test must add
// to its lists. It is 0, so that lists are kept in memory. For the first attributeAPI, fn runs again with longListLen.
func eachListLength(t *testing.T, fn func(t *testing.T, s *apitest.Server, at attributeAPI, pad int)) {
	t.Helper()
	eachAttributeAPI(t, func(t *testing.T, s *apitest.Server, at attributeAPI) {
		fn(t, s, at, 0)
		if at == attributeAPIs()[0] { // long lists are slow, and all attributeAPIs use the same parser
			fn(t, s, at, longListLen)
		}
	})
}

type attributeEdit struct {
	Name    string           `json:"name,omitempty"`
	Values  []map[string]any `json:"values,omitempty"`
	Removed []string         `json:"removed_values,omitempty"`
}

// renamedValue returns an element of values that renames a value.
func renamedValue(id, name string) map[string]any { return map[string]any{"id": id, "name": name} }

// A request is applied in the order removals, renames, additions. A renamed value keeps its position, a new value goes
// to the end, other values stay.
func TestAttributeEdit_removesThenRenamesThenAdds(t *testing.T) {
	t.Parallel()
	eachListLength(t, func(t *testing.T, s *apitest.Server, at attributeAPI, pad int) {
		a := createAttribute(s, at.list, append([]string{"a", "b", "c", "d", "e"}, numberedNames("p", pad)...)...)
		e := attributeEdit{
			// New values come before and between the renames. One rename uses the name of a value that the same request
			// removes.
			Values: []map[string]any{{"name": "new 1"}, renamedValue(a.values[3], "b"), {"name": "new 2"},
				renamedValue(a.values[0], "A"), {"name": "a"}},
			Removed: []string{a.values[1], a.values[4]},
		}
		want := []string{"A", "c", "b"}
		for i := range pad { // of three padding values, one is removed, one is renamed and one stays
			switch id := a.values[5+i]; i % 3 {
			case 0:
				e.Removed = append(e.Removed, id)
			case 1:
				e.Values = append(e.Values, renamedValue(id, fmt.Sprint("r", i)),
					map[string]any{"name": fmt.Sprint("n", i)})
				want = append(want, fmt.Sprint("r", i))
			default:
				want = append(want, fmt.Sprint("p", i))
			}
		}

		want = append(want, "new 1", "new 2", "a")
		for i := range pad {
			if i%3 == 1 {
				want = append(want, fmt.Sprint("n", i))
			}
		}

		r := s.OK(200, "PUT", at.edit+a.id+"?with=values", e)
		if got := r.Texts("data.values", "name"); !slices.Equal(got, want) {
			t.Fatalf("%s, %d padding values: the values are %.300q, want %.300q", at.name, pad, got, want)
		}

		// Renamed and untouched values keep their ids.
		after := parseAttribute(r)
		if after.values[0] != a.values[0] || after.values[1] != a.values[2] || after.values[2] != a.values[3] {
			t.Errorf("%s: the ids of kept values have changed", at.name)
		}

		page := s.Get(at.list + "/" + a.id + "/values?per_page=1")
		if got := page.Text("meta.total"); got != fmt.Sprint(len(want)) {
			t.Errorf("%s: the total of values is %s, want %d", at.name, got, len(want))
		}
	})
}

// An edit is refused with 422, and nothing is applied, if an id in values or removed_values is not the id of a value of
// the attribute, occurs twice in a list or occurs in both lists, or if an element has an id but no name.
func TestAttributeEdit_refusesInvalidValueIDs(t *testing.T) {
	t.Parallel()
	eachListLength(t, func(t *testing.T, s *apitest.Server, at attributeAPI, pad int) {
		a := createAttribute(s, at.list, append([]string{"a", "b", "c"}, numberedNames("p", 2*pad)...)...)

		foreign := map[string]string{
			"unknown":              unknownID,
			"of another attribute": createAttribute(s, at.list, "x").values[0],
			"of the other kind": createAttribute(s,
				map[bool]string{true: featuresPath, false: optionsPath}[at.list == optionsPath], "x").values[0],
			"of another store": createAttribute(s.WithKeys(s.Other), at.list, "x").values[0],
			"of the attribute": a.id,
			"of the store":     s.StoreID.String(),
			"zero":             "00000000-0000-0000-0000-000000000000",
		}

		// In a long list the other elements are valid: half of the padding values are renamed, half are removed.
		var right attributeEdit
		for i := range pad {
			right.Values = append(right.Values, renamedValue(a.values[3+i], "renamed"))
			right.Removed = append(right.Removed, a.values[3+pad+i])
		}

		path := at.edit + a.id
		before := s.Dump()
		refuse := func(problem, method, path string, body any) {
			t.Helper()
			if got := s.Do(method, path, body).Problem(); got != problem {
				t.Errorf("%s, %d padding values: got %s, want %s", at.name, pad, got, problem)
			}
		}

		// tryValues puts the invalid elements before the valid ones and after them.
		tryValues := func(code string, elements ...map[string]any) {
			t.Helper()
			last := len(elements) - 1
			front, back := right, right
			front.Values = append(slices.Clone(elements), right.Values...)
			back.Values = append(slices.Clone(right.Values), elements...)

			if pad == 0 {
				refuse(fmt.Sprintf("422 values[%d].id %s", last, code), "PUT", path, front)
			}

			refuse(fmt.Sprintf("422 values[%d].id %s", pad+last, code), "PUT", path, back)
		}

		tryRemoved := func(code string, ids ...string) {
			t.Helper()
			last := len(ids) - 1
			front, back := right, right
			front.Removed = append(slices.Clone(ids), right.Removed...)
			back.Removed = append(slices.Clone(right.Removed), ids...)

			if pad == 0 {
				refuse(fmt.Sprintf("422 removed_values[%d] %s", last, code), "PUT", path, front)
			}

			refuse(fmt.Sprintf("422 removed_values[%d] %s", pad+last, code), "PUT", path, back)

			if at.list == optionsPath && pad == 0 {
				refuse(fmt.Sprintf("422 removed_values[%d] %s", pad+last, code), "DELETE", "/v2/product-variants/"+a.id,
					back)
			}
		}
		for why, id := range foreign {
			if pad > 0 && why != "of another store" {
				continue // long lists are slow, so only one foreign id is tried with them
			}
			tryValues("unknown_value", renamedValue(id, "x"))
			tryRemoved("unknown_value", id)
		}

		tryValues("duplicate_id", renamedValue(a.values[0], "x"), renamedValue(a.values[0], "y"))
		tryRemoved("duplicate_id", a.values[0], a.values[0])

		if pad == 0 {
			tryValues("duplicate_id", renamedValue(a.values[0], "x"), renamedValue(strings.ToUpper(a.values[0]), "y"))
			tryRemoved("duplicate_id", a.values[0], strings.ToUpper(a.values[0]))
		}

		tryValues("invalid_id", renamedValue("a", "x"))
		tryRemoved("invalid_id", "a")

		both := right
		both.Values = append(slices.Clone(right.Values), renamedValue(a.values[0], "x"))
		both.Removed = append([]string{a.values[0]}, right.Removed...)
		refuse(fmt.Sprintf("422 values[%d].id removed_too", pad), "PUT", path, both)

		if pad > 0 { // the duplicates are far apart
			apart := right
			apart.Values = append(append([]map[string]any{renamedValue(a.values[0], "x")}, right.Values...),
				renamedValue(a.values[0], "y"))
			refuse(fmt.Sprintf("422 values[%d].id duplicate_id", pad+1), "PUT", path, apart)
			apart = right
			apart.Removed = append(append([]string{a.values[0]}, right.Removed...), a.values[0])
			refuse(fmt.Sprintf("422 removed_values[%d] duplicate_id", pad+1), "PUT", path, apart)
		}

		nameless := right
		nameless.Values = append([]map[string]any{{"id": a.values[0]}}, right.Values...)
		refuse("422 values[0].name required", "PUT", path, nameless)

		s.WantUnchanged(before, "%s: refused edits", at.name)

		// Without the invalid elements the edit succeeds.
		if pad > 0 {
			s.OK(200, "PUT", path, right)
		}
	})
}

// A response reports each invalid element, up to 100.
func TestAttributeEdit_reportsEveryInvalidElement(t *testing.T) {
	t.Parallel()
	eachAttributeAPI(t, func(t *testing.T, s *apitest.Server, at attributeAPI) {
		a := createAttribute(s, at.list, "a", "b", "c", "d")

		s.WantProblem("422 values[0].id unknown_value, values[3].id duplicate_id, values[4].id unknown_value", "PUT",
			at.edit+a.id, attributeEdit{
				Name: "x",
				Values: []map[string]any{
					renamedValue(unknownID, "x"), {"name": "fine"}, renamedValue(a.values[0], "x"),
					renamedValue(a.values[0], "x"), renamedValue(a.id, "x"), renamedValue(a.values[1], "fine"),
				},
				Removed: []string{a.values[2]},
			})

		s.WantProblem("422 name required, values[0].name wrong_type, values[1].id wrong_type, values[2] wrong_type, "+
			"removed_values[0] wrong_type", "PUT", at.edit+a.id,
			`{"name": "", "values": [{"name": true}, {"id": 7, "name": "x"}, []], "removed_values": [null]}`)

		problems := make([]string, 100)
		for i := range problems {
			problems[i] = fmt.Sprintf("values[%d].name required", i)
		}

		s.WantProblem("422 "+strings.Join(problems, ", "), "PUT", at.edit+a.id,
			`{"values": [`+strings.Repeat("{},", 149)+`{}]}`)
	})
}

// An element without an id adds a value, even if the attribute has a value of the same name.
func TestAttributeEdit_addsElementsWithoutID(t *testing.T) {
	t.Parallel()
	eachAttributeAPI(t, func(t *testing.T, s *apitest.Server, at attributeAPI) {
		a := createAttribute(s, at.list, "S", "S")
		r := s.OK(200, "PUT", at.edit+a.id+"?with=values", attributeEdit{Values: newValues("S", "S")})
		wantNames(t, r.Texts("data.values", "name"), "S", "S", "S", "S")
		if ids := parseAttribute(r).values; len(slices.Compact(slices.Sorted(slices.Values(ids)))) != 4 {
			t.Errorf("%s: the four values have the ids %q, want four different ones", at.name, ids)
		}
	})
}

// DELETE with a body requires a non-empty removed_values, accepts values, and never deletes the option itself.
func TestRemoveValues_requiresRemovedValues(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		a := createAttribute(s, optionsPath, "S", "M")
		path := "/v2/product-variants/" + a.id
		s.WantProblem("422 removed_values required", "DELETE", path, `{}`)
		s.WantProblem("422 removed_values required", "DELETE", path, `{"removed_values": []}`)
		s.WantProblem("422 removed_values required", "DELETE", path, `{"name": "x", "values": [{"name": "L"}]}`)
		s.WantProblem("400 malformed_json", "DELETE", path, nil)
		s.WantProblem("422 wrong_type", "DELETE", path, `[]`)
		s.WantProblem("404 not_found", "DELETE", "/v2/product-variants/"+unknownID,
			`{"removed_values": ["`+a.values[0]+`"]}`)
		s.WantProblem("404 not_found", "DELETE", "/v2/product-variants/"+createAttribute(s, featuresPath, "x").id,
			`{"removed_values": ["`+a.values[0]+`"]}`)

		r := s.OK(200, "DELETE", path+"?with=values",
			attributeEdit{Name: "Sizes", Removed: []string{a.values[0]},
				Values: []map[string]any{renamedValue(a.values[1], "Medium"), {"name": "L"}}})
		if r.Text("data.name") != "Sizes" {
			t.Errorf("the name is %s, want Sizes", r.Text("data.name"))
		}

		left := parseAttribute(r)
		wantNames(t, r.Texts("data.values", "name"), "Medium", "L")
		s.OK(200, "DELETE", path, attributeEdit{Removed: left.values})

		if got := s.Get(optionsPath + "/" + a.id + "?with=values").Len("data.values"); got != 0 {
			t.Errorf("the option has %d values, want none", got)
		}
	})
}

func TestAttributeDelete_deletesAttributeWithValues(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		for _, list := range []string{optionsPath, featuresPath} {
			createAttribute(s, list, "kept")
			before := s.Dump()
			delete(before, "attribute_versions") // it counts changes, so it differs after a deletion
			delete(before, "audit_entries")      // both changes are recorded
			delete(before, "deleted_ids")        // exports tell of the deletion
			a := createAttribute(s, list, numberedNames("v", 300)...)
			r := s.OK(204, "DELETE", list+"/"+a.id, nil)
			if len(r.Body) > 0 || r.Header.Get("ETag") != "" {
				t.Errorf("%s: the 204 response has the body %q and the ETag %q, want neither", list, r.Body,
					r.Header.Get("ETag"))
			}

			s.WantUnchanged(before, "%s: created and deleted", list)
			s.WantProblem("404 not_found", "DELETE", list+"/"+a.id, nil)
			s.WantProblem("404 not_found", "GET", list+"/"+a.id, nil)
			s.WantProblem("404 not_found", "GET", list+"/"+a.id+"/values", nil)
			s.WantProblem("404 not_found", "PUT", list+"/"+a.id, `{"name": "x"}`)
			s.WantProblem("404 not_found", "POST", list+"/"+a.id+"/impact", `{}`)
		}
	})
}

// Pages list the values in their order, also after removals.
func TestAttributeValues_arePaginated(t *testing.T) {
	t.Parallel()
	eachAttributeAPI(t, func(t *testing.T, s *apitest.Server, at attributeAPI) {
		a := createAttribute(s, at.list, numberedNames("v", 120)...)
		s.OK(200, "PUT", at.edit+a.id,
			attributeEdit{Removed: a.values[10:30],
				Values: append(newValues("last"), renamedValue(a.values[0], "first"))})
		want := append(append([]string{"first"}, numberedNames("v", 120)[1:10]...),
			append(numberedNames("v", 120)[30:], "last")...)
		var got []string

		for page := 1; ; page++ {
			r := s.Get(fmt.Sprintf("%s/%s/values?per_page=25&page=%d", at.list, a.id, page))
			if r.Text("meta") != fmt.Sprintf(`{"current_page":%d,"last_page":5,"per_page":25,"total":101}`, page) {
				t.Fatalf("%s: page %d has the meta %s", at.name, page, r.Text("meta"))
			}
			got = append(got, r.Texts("data", "name")...)
			if r.Len("data") < 25 {
				break
			}
		}

		wantNames(t, got, want...)
		wantNames(t, valueNames(s, at.list, a.id), want...)
	})
}

// The values of options are cached by version. After each kind of change, the next read on any node must show it.
func TestAttributeList_showsChangesImmediatelyOnAllNodes(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		node := s.StartNode()
		for _, list := range []string{optionsPath, featuresPath} {
			a := createAttribute(s, list, "S")

			check := func(what string, want ...string) {
				t.Helper()
				for _, n := range []*apitest.Server{s, node, s} {
					r := n.Get(list + "?with=values&q=attribute")
					if got := r.Texts("data.0.values", "name"); !slices.Equal(got, want) {
						t.Errorf("%s after %s: %q, want %q", list, what, got, want)
					}
				}
			}

			check("creating", "S")
			s.OK(200, "PUT", list+"/"+a.id, attributeEdit{Values: newValues("M")})
			check("adding", "S", "M")
			node.OK(200, "PUT", list+"/"+a.id,
				attributeEdit{Values: []map[string]any{renamedValue(a.values[0], "Small")}})
			check("renaming on another node", "Small", "M")
			s.WantProblem("422 values[1].id unknown_value", "PUT", list+"/"+a.id,
				attributeEdit{Values: []map[string]any{renamedValue(a.values[0], "never"),
					renamedValue(unknownID, "x")}})
			check("a refused edit", "Small", "M")
			s.OK(200, "PUT", list+"/"+a.id, attributeEdit{Removed: a.values[:1]})
			check("removing", "M")
		}
	}, apitest.Alone())
}

// A client reads its own writes on the same node, while other clients read and write.
func TestAttributeList_readsOwnWritesUnderLoad(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		const writers, rounds = 6, 8
		ids := make([]string, writers)
		for i := range ids {
			ids[i] = createAttribute(s, optionsPath).id
		}

		var wait sync.WaitGroup
		for i := range writers {
			wait.Go(func() {
				var want []string
				for round := range rounds {
					want = append(want, fmt.Sprintf("w%d r%d", i, round))
					if r, err := s.Try("PUT", optionsPath+"/"+ids[i],
						attributeEdit{Values: newValues(want[round])}); err != nil || r.Status != 200 {
						t.Errorf("writer %d: %v %v", i, r, err)
						return
					}

					list, err := s.Try("GET", optionsPath+"?with=values&per_page=250", nil)
					if err != nil || list.Status != 200 {
						t.Errorf("reader %d: %v %v", i, list, err)
						return
					}

					at := slices.Index(list.Texts("data", "id"), ids[i])
					if got := list.Texts(fmt.Sprintf("data.%d.values", at), "name"); !slices.Equal(got, want) {
						t.Errorf("writer %d reads %[3]q, want %[2]q", i, want, got)
						return
					}
				}
			})
		}

		wait.Wait()
	})
}
