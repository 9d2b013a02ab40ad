package e2e

import (
	"flag"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/databasetest"
)

// Random sequences of creations, edits and deletions give the same results in a simple model and on both engines.
func TestAttributes_matchModel(t *testing.T) {
	t.Parallel()
	setRapidChecks(t, "30")
	var shops []*apitest.Server
	for _, engine := range databasetest.SampledEngines(t) {
		shops = append(shops, apitest.StartServer(t, engine))
	}

	rapid.Check(t, func(t *rapid.T) {
		m := &attributeModel{T: t}
		for _, s := range shops {
			m.servers = append(m.servers, s.WithKeys(s.NewStore(store.Edit{})))
		}
		for range rapid.IntRange(1, 14).Draw(t, "steps") {
			m.step()
		}
		m.compareLists()
	})
}

// setRapidChecks sets the flag rapid.checks, the number of sequences, unless the command line sets it. The flag is
// global, so no other test that runs rapid.Check may be parallel.
func setRapidChecks(t *testing.T, n string) {
	t.Helper()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if given {
		return
	}
	if err := flag.Set("rapid.checks", n); err != nil {
		t.Fatal(err)
	}
}

// attributeModel is the expected content of a store, and the servers to compare with it.
type attributeModel struct {
	*rapid.T
	servers []*apitest.Server
	lists   [2][]*modelAttribute // options and features
}

type modelAttribute struct {
	name       string
	filterable bool
	fieldType  string
	rangeType  string
	values     []*modelValue
	version    int
	ids        []string // the id on each server
}

type modelValue struct {
	name string
	ids  []string
}

func (m *attributeModel) step() {
	kind := rapid.IntRange(0, 1).Draw(m.T, "kind")
	if len(m.lists[kind]) == 0 {
		m.create(kind)
		return
	}

	switch rapid.IntRange(0, 9).Draw(m.T, "step") {
	case 0, 1:
		m.create(kind)
	case 2:
		at := rapid.IntRange(0, len(m.lists[kind])-1).Draw(m.T, "which")
		a := m.lists[kind][at]
		for i, s := range m.servers {
			s.OK(204, "DELETE", listPath(kind)+"/"+a.ids[i], nil)
		}
		m.lists[kind] = slices.Delete(m.lists[kind], at, at+1)
	default:
		m.edit(kind, rapid.SampledFrom(m.lists[kind]).Draw(m.T, "which"))
	}
}

func listPath(kind int) string { return []string{optionsPath, featuresPath}[kind] }

// drawName draws a name: a number or another text.
func (m *attributeModel) drawName() string {
	return rapid.SampledFrom([]string{"1", "2,5", "-3", "0.10", "7", "S", "red", "1e5", "x y"}).Draw(m.T, "name")
}

// drawFields draws the members of a feature for a request, adds them to body and applies them to a. It reports whether
// the server accepts them.
func (m *attributeModel) drawFields(kind int, a *modelAttribute, body map[string]any) (fine bool) {
	fine = true
	if kind == 0 {
		return fine
	}

	if rapid.Bool().Draw(m.T, "send filterable") {
		a.filterable = rapid.Bool().Draw(m.T, "filterable")
		body["filterable"] = a.filterable
	}

	if rapid.IntRange(0, 2).Draw(m.T, "send field_type") == 0 {
		a.fieldType = rapid.SampledFrom([]string{"select", "range"}).Draw(m.T, "field_type")
		body["field_type"] = a.fieldType
	}

	sent := rapid.IntRange(0, 3).Draw(m.T, "send range_type") == 0
	if sent {
		a.rangeType = rapid.SampledFrom([]string{"float", "integer"}).Draw(m.T, "range_type")
		body["range_type"] = map[string]any{"id": a.rangeType}
	}

	switch {
	case a.fieldType == "select":
		a.rangeType = ""
		fine = !sent
	case a.rangeType == "":
		a.rangeType = "float"
	}

	return fine
}

var decimalPattern = regexp.MustCompile(`^-?[0-9]+([.,][0-9]+)?$`)

// number returns the number that a value with this name has on the attribute, or nil if the name is not allowed.
func (a *modelAttribute) number(name string) *big.Rat {
	if !decimalPattern.MatchString(name) {
		return nil
	}
	r, ok := new(big.Rat).SetString(strings.Replace(name, ",", ".", 1))
	if !ok || (a.rangeType == "integer" && !r.IsInt()) {
		return nil
	}
	return r
}

// fits reports whether the field type and range type of the attribute allow the names of all its values.
func (a *modelAttribute) fits() bool {
	return a.fieldType != "range" ||
		!slices.ContainsFunc(a.values, func(v *modelValue) bool { return a.number(v.name) == nil })
}

func (m *attributeModel) create(kind int) {
	a := &modelAttribute{name: m.drawName(), fieldType: "select", version: 1}
	body := map[string]any{"name": a.name}
	fine := m.drawFields(kind, a, body)
	sent := []map[string]any{}

	for range rapid.IntRange(0, 4).Draw(m.T, "values") {
		v := &modelValue{name: m.drawName()}
		a.values = append(a.values, v)
		sent = append(sent, map[string]any{"name": v.name})
	}

	body["values"] = sent
	want := 201
	if !fine || !a.fits() {
		want = 422
	}

	for _, r := range m.send(want, "POST", func(int) (string, any) { return listPath(kind) + "?with=values", body }) {
		m.checkAttribute(kind, a, r)
	}

	if want == 201 {
		m.lists[kind] = append(m.lists[kind], a)
	}
}

func (m *attributeModel) edit(kind int, old *modelAttribute) {
	next := &modelAttribute{name: old.name, filterable: old.filterable, fieldType: old.fieldType,
		rangeType: old.rangeType, version: old.version + 1, ids: old.ids}
	body := map[string]any{}
	if rapid.Bool().Draw(m.T, "send name") {
		next.name = m.drawName()
		body["name"] = next.name
	}

	fine := m.drawFields(kind, next, body)

	// Each value is removed, renamed, neither, or both, which is an error. It is also an error if a value is listed
	// twice, or if an unknown id is listed.
	removed, renamed := map[*modelValue]int{}, map[*modelValue][]string{}
	for _, v := range old.values {
		switch rapid.IntRange(0, 11).Draw(m.T, "fate") {
		case 0, 1, 2:
			removed[v] = 1
		case 3, 4, 5:
			renamed[v] = []string{m.drawName()}

		case 6:
			switch rapid.IntRange(0, 9).Draw(m.T, "mistake") {
			case 0:
				removed[v] = 2
			case 1:
				renamed[v] = []string{m.drawName(), m.drawName()}
			case 2:
				removed[v], renamed[v] = 1, []string{m.drawName()}
			}
		}
	}

	var added []string
	for range rapid.IntRange(0, 3).Draw(m.T, "added") {
		added = append(added, m.drawName())
	}

	stranger := rapid.IntRange(0, 14).Draw(m.T, "stranger")

	for _, v := range old.values {
		if removed[v] > 1 || len(renamed[v]) > 1 || (removed[v] > 0 && len(renamed[v]) > 0) {
			fine = false
		}

		if removed[v] > 0 {
			continue
		}

		kept := &modelValue{name: v.name, ids: v.ids}
		if names := renamed[v]; len(names) > 0 {
			kept.name = names[0]
		}

		next.values = append(next.values, kept)
	}

	for _, name := range added {
		next.values = append(next.values, &modelValue{name: name})
	}

	fine = fine && stranger > 1 && next.fits()

	paths := []string{listPath(kind)}
	if kind == 0 {
		paths = append(paths, "/v2/product-variants")
	}

	path := rapid.SampledFrom(paths).Draw(m.T, "path")
	renamesFirst := rapid.Bool().Draw(m.T, "renames first")
	want := map[bool]int{true: 200, false: 422}[fine]
	for _, r := range m.send(want, "PUT", func(i int) (string, any) {
		b := map[string]any{}
		for name, member := range body {
			b[name] = member
		}

		var renames, news []map[string]any
		gone := []string{}
		for _, v := range old.values {
			for range removed[v] {
				gone = append(gone, v.ids[i])
			}
			for _, name := range renamed[v] {
				renames = append(renames, renamedValue(v.ids[i], name))
			}
		}

		for _, name := range added {
			news = append(news, map[string]any{"name": name})
		}

		switch stranger {
		case 0:
			gone = append(gone, unknownID)
		case 1:
			renames = append(renames, renamedValue(unknownID, "1"))
		}

		if renamesFirst {
			b["values"] = append(append([]map[string]any{}, renames...), news...)
		} else {
			b["values"] = append(append([]map[string]any{}, news...), renames...)
		}

		b["removed_values"] = gone
		return path + "/" + old.ids[i] + "?with=values", b
	}) {
		m.checkAttribute(kind, next, r)
	}

	if fine {
		*old = *next
	}
}

type serverResponse struct {
	*apitest.Response
	server int
}

// send sends a request to each server. All responses must have the status that the model expects, and all servers must
// report the same problems. send returns the responses if they are successes.
func (m *attributeModel) send(
	want int, method string, request func(shop int) (path string, body any),
) []serverResponse {
	var answers []serverResponse
	problem := ""
	for i, s := range m.servers {
		path, body := request(i)
		r := s.Do(method, path, body)
		if r.Status != want {
			m.Fatalf("%s: %s %s %s: %s, want %d", s.Engine, method, path, toJSON(body), r.Problem(), want)
		}

		if i > 0 && r.Problem() != problem {
			m.Fatalf("%s: %s %s %s: %s, but %s on the other engine", s.Engine, method, path, toJSON(body), r.Problem(),
				problem)
		}

		problem = r.Problem()
		if want < 300 {
			answers = append(answers, serverResponse{r, i})
		}
	}

	return answers
}

// checkAttribute compares the attribute of a response with the model, and stores the ids of new resources in the model.
func (m *attributeModel) checkAttribute(kind int, a *modelAttribute, r serverResponse) {
	if len(a.ids) == r.server {
		a.ids = append(a.ids, r.Text("data.id"))
	}
	if got := r.Header.Get("ETag"); got != fmt.Sprintf(`"v%d"`, a.version) {
		m.Fatalf("the ETag is %s, want v%d", got, a.version)
	}
	m.compare(kind, a, r, "data")
}

func (m *attributeModel) compare(kind int, a *modelAttribute, r serverResponse, at string) {
	if got := r.Text(at + ".id"); got != a.ids[r.server] {
		m.Fatalf("the id is %s, want %s", got, a.ids[r.server])
	}
	if got := r.Text(at + ".name"); got != a.name {
		m.Fatalf("the name is %s, want %s", got, a.name)
	}

	if kind == 1 {
		rangeType := ""
		if r.Has(at + ".range_type.id") {
			rangeType = r.Text(at + ".range_type.id")
		}
		if got, want := r.Text(at+".filterable")+" "+r.Text(at+".field_type.id")+" "+rangeType, fmt.Sprintf("%t %s %s",
			a.filterable, a.fieldType, a.rangeType); got != want {
			m.Fatalf("the feature is %s, want %s", got, want)
		}
	}

	if got := r.Len(at + ".values"); got != len(a.values) {
		m.Fatalf("there are %d values, want %d", got, len(a.values))
	}

	for i, v := range a.values {
		place := fmt.Sprintf("%s.values.%d.", at, i)
		id := r.Text(place + "id")
		if len(v.ids) == r.server {
			v.ids = append(v.ids, id)
		}

		if r.Text(place+"name") != v.name || v.ids[r.server] != id {
			m.Fatalf("value %d is %s %s, want %s %s", i, r.Text(place+"name"), id, v.name, v.ids[r.server])
		}
		if kind == 0 {
			continue
		}

		got := r.Text(place + "range_value")
		if a.fieldType != "range" {
			if got != "null" {
				m.Fatalf("on a select feature range_value is %s", got)
			}
			continue
		}

		if number, ok := new(big.Rat).SetString(got); !ok || number.Cmp(a.number(v.name)) != 0 {
			m.Fatalf("range_value of %s is %s", v.name, got)
		}
	}
}

// compareLists reads all attributes and compares them with the model.
func (m *attributeModel) compareLists() {
	for i, s := range m.servers {
		for kind, list := range m.lists {
			r := serverResponse{s.Get(listPath(kind) + "?with=values&per_page=250"), i}
			if got := r.Len("data"); got != len(list) || r.Text("meta.total") != fmt.Sprint(len(list)) {
				m.Fatalf("%s: %d attributes are listed, want %d", s.Engine, got, len(list))
			}

			for n, a := range list {
				m.compare(kind, a, r, fmt.Sprintf("data.%d", n))
				page := s.Get(fmt.Sprintf("%s/%s/values?per_page=2&page=2", listPath(kind), a.ids[i]))
				if got, want := page.Len("data"), min(2, max(0, len(a.values)-2)); got != want ||
					page.Text("meta.total") != fmt.Sprint(len(a.values)) {
					m.Fatalf("%s: the second page has %d of %s values, want %d of %d", s.Engine, got,
						page.Text("meta.total"), want, len(a.values))
				}
			}
		}
	}
}
