package wire_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
)

type entity struct{}

// product is the type that the tests read. It has a member of every kind.
type product struct {
	Name, Description, Code, Raw string
	Filterable                   bool
	Price                        int64
	Values                       []string
	Events                       []string // the nulls and the values that are not objects
}

// readProduct reads a product and skips unknown members.
func readProduct(body io.Reader) (product, error) { return readProductFrom(wire.NewReader(body)) }

// trimmed is a rule that texts are not empty.
func trimmed(text string) (string, *fault.Field) {
	if text = strings.TrimSpace(text); text == "" {
		return "", fault.Broken("required", "A text is needed.")
	}
	return text, nil
}

// upTo20 is a rule that texts have at most 20 bytes.
func upTo20(text string) (string, *fault.Field) {
	if len(text) > 20 {
		return "", fault.Broken("too_long", "At most 20 bytes.")
	}
	return text, nil
}

func readProductFrom(r *wire.Reader) (p product, err error) {
	err = r.Document(func(member string) {
		switch member {
		case "name":
			p.Name, _ = wire.As(r, r.StringOrNumber, trimmed)
		case "description":
			if r.Null() {
				p.Events = append(p.Events, "no description")
				return
			}
			p.Description, _ = wire.As(r, r.String, upTo20)
		case "code":
			p.Code, _ = wire.As(r, r.StringOrNumber, trimmed)
		case "filterable":
			p.Filterable, _ = r.Bool()
		case "price":
			p.Price, _ = r.Fixed(4, 12)
		case "raw":
			raw, _ := r.Raw()
			p.Raw = string(raw)
		case "id":
			_, _ = wire.ID[entity](r)

		case "values":
			r.Array(func(int) {
				if !r.IsObject() {
					p.Events = append(p.Events, "no object")
				}

				r.Object(func(member string) {
					if member == "name" {
						name, ok := wire.As(r, r.StringOrNumber, trimmed)
						if ok {
							p.Values = append(p.Values, name)
						}
					}
				})
			})
		}
	})

	return p, err
}

const sample = ` {"name": "Lampe \ud83d\udca1", "id": "01890a5d-ac96-774b-bcce-b302099a8057", "description": null, "code": 7,
	"filterable": true, "price": 10.50, "raw": {"a": [1, {"b": "]"}]}, "unknown": {"name": [true, false, null, "x", -1.5e-3]},
	"values": [{"name": "rot"}, {"name": 10.50, "more": []}, {"name": "\u0067r\u00fcn\t\n"}]} ` + "\n"

func TestDocument_readsKnownMembersAndSkipsTheOthers(t *testing.T) {
	for name, body := range map[string]io.Reader{
		"whole":         strings.NewReader(sample),
		"byte by byte":  iotest.OneByteReader(strings.NewReader(sample)),
		"EOF with data": iotest.DataErrReader(strings.NewReader(sample)),
	} {
		got, err := readProduct(body)
		want := product{
			Name: "Lampe 💡", Code: "7", Filterable: true, Price: 105000, Raw: `{"a": [1, {"b": "]"}]}`,
			Values: []string{"rot", "10.50", "grün"}, Events: []string{"no description"},
		}
		if err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: %v\n%s", name, err, cmp.Diff(want, got))
		}
	}
}

// nestedJSON returns a value with the given number of nested levels.
func nestedJSON(levels int) string {
	var b strings.Builder
	for i := range levels {
		b.WriteString([]string{"[", `{"a":`}[i%2])
	}
	if levels%2 == 0 {
		b.WriteString("1")
	}
	for i := levels - 1; i >= 0; i-- {
		b.WriteString([]string{"]", "}"}[i%2])
	}
	return b.String()
}

// malformedValues are values that make a document malformed at any position.
var malformedValues = map[string]string{
	"invalid UTF-8":                     "\"a\xffb\"",
	"an overlong form":                  "\"\xc0\xaf\"",
	"a surrogate in UTF-8":              "\"\xed\xa0\x80\"",
	"invalid UTF-8 in a name":           "{\"\xff\": 1}",
	"a truncated character":             "\"\xf0\x9f\x92\"",
	"a lone high surrogate":             `"\ud800"`,
	"a lone low surrogate":              `"\udc00"`,
	"two high surrogates":               `"\ud800\ud800"`,
	"surrogates the wrong way round":    `"\udca1\ud83d"`,
	"a high surrogate before a letter":  `"\ud83dx"`,
	"a lone surrogate in a name":        `{"\ud800": 1}`,
	"a member twice":                    `{"a": 1, "a": 1}`,
	"a member twice, once escaped":      `{"a": 1, "\u0061": 1}`,
	"a member twice, inside":            `[{"x": {"b": 1, "c": 2, "b": 3}}]`,
	"a raw control character":           "\"a\x01b\"",
	"a raw newline":                     "\"a\nb\"",
	"a raw NUL":                         "\"\x00\"",
	"no value":                          ``,
	"a comma at the end of a list":      `[1,]`,
	"a comma at the end of an object":   `{"a": 1,}`,
	"a comma at the start":              `[,1]`,
	"two commas":                        `[1,,2]`,
	"no comma":                          `[1 2]`,
	"no colon":                          `{"a" 1}`,
	"a name without quotes":             `{a: 1}`,
	"a number as a name":                `{1: 1}`,
	"single quotes":                     `'a'`,
	"a comment":                         `/* */ 1`,
	"a list closed as an object":        `[1}`,
	"an object closed as a list":        `{"a": 1]`,
	"NaN":                               `NaN`,
	"Infinity":                          `-Infinity`,
	"a leading zero":                    `01`,
	"a plus":                            `+1`,
	"no digit before the point":         `.5`,
	"no digit after the point":          `1.`,
	"no digit in the exponent":          `1e`,
	"only a minus":                      `-`,
	"a hexadecimal number":              `0x10`,
	"a truncated literal":               `tru`,
	"a literal in capitals":             `True`,
	"undefined":                         `undefined`,
	"an unknown escape":                 `"\x41"`,
	"a truncated escape":                `"\u00"`,
	"a byte order mark":                 "\ufeff1",
	"a no-break space":                  "\u00a01",
	"65 levels, counting the outermost": nestedJSON(64),
}

func isMalformed(err error) bool {
	var f *fault.Error
	return errors.As(err, &f) && f.Kind == fault.Malformed && f.Code == "malformed_json" && f.Message != ""
}

func TestDocument_refusesMalformedJSONAtAnyPosition(t *testing.T) {
	for name, value := range malformedValues {
		for place, body := range map[string]string{
			"as an unknown member":         `{"name": "x", "unknown": ` + value + `, "code": 7}`,
			"inside an unknown member":     `{"unknown": [{"x": "y"}, ` + value + `]}`,
			"as a string":                  `{"description": ` + value + `}`,
			"as a name":                    `{"name": ` + value + `}`,
			"as an external id":            `{"code": ` + value + `}`,
			"as true or false":             `{"filterable": ` + value + `}`,
			"as a number":                  `{"price": ` + value + `}`,
			"as a list":                    `{"values": ` + value + `}`,
			"as an object":                 `{"values": [` + value + `]}`,
			"as any value":                 `{"raw": ` + value + `}`,
			"as an id":                     `{"id": ` + value + `}`,
			"after a value of wrong type":  `{"filterable": "no", "price": ` + value + `}`,
			"inside a value of wrong type": `{"filterable": {"x": ` + value + `}}`,
		} {
			if value == "" && strings.HasPrefix(place, "inside an") || value == "" && place == "as an object" {
				continue // the list in this body is empty, which is valid
			}

			if _, err := readProduct(strings.NewReader(body)); !isMalformed(err) {
				t.Errorf("%s %s: got %v, want it malformed", name, place, err)
			}
		}
	}
}

func TestDocument_refusesMalformedDocuments(t *testing.T) {
	for name, body := range map[string]string{
		"nothing":                       "",
		"only space":                    " \n\t\r ",
		"a byte order mark":             "\ufeff{}",
		"only a byte order mark":        "\ufeff",
		"UTF-16":                        "{\x00}\x00",
		"a second document":             `{}{}`,
		"a second document on its line": "{}\n{}",
		"a second scalar":               `{} 1`,
		"text after the end":            `{}x`,
		"an extra closing brace":        `{}}`,
		"a comma after the end":         `{},`,
		"a NUL after the end":           "{}\x00",
		"a second document, wrong root": `[][]`,
		"no JSON":                       `name=x`,
		"a member twice":                `{"name": "a", "name": "b"}`,
		"a known member twice, escaped": `{"name": "a", "n\u0061me": "b"}`,
		"an unknown member twice":       `{"x": 1, "y": 2, "x": 3}`,
		"an unclosed object":            `{"name": "a"`,
		"a malformed list at the root":  `[1,]`,
		"65 levels at the root":         nestedJSON(65),
	} {
		if _, err := readProduct(strings.NewReader(body)); !isMalformed(err) {
			t.Errorf("%s: got %v, want it malformed", name, err)
		}
	}
}

func TestDocument_acceptsSixtyFourLevels(t *testing.T) {
	for levels, good := range map[int]bool{
		1: true, 62: true, 63: true, 64: false, 65: false, 10_000: false, 100_000: false,
	} {
		for _, member := range []string{"unknown", "raw", "name", "values"} {
			// The root is the first level, so the value of a member may have 63 levels.
			_, err := readProduct(strings.NewReader(`{"` + member + `": ` + nestedJSON(levels) + `}`))
			if isMalformed(err) == good {
				t.Errorf("%d levels inside %s: %v", levels, member, err)
			}
		}

		_, err := readProduct(strings.NewReader(`{"unknown": [` + nestedJSON(levels-1) + `, ` +
			nestedJSON(levels-1) + `]}`))
		if levels > 1 && isMalformed(err) == good {
			t.Errorf("%d levels twice: %v", levels, err)
		}
	}

	if _, err := readProduct(strings.NewReader(nestedJSON(64))); isMalformed(err) {
		t.Errorf("64 levels of the wrong type: %v, want the wrong type only", err)
	}

	// The limit is also 64 if the caller reads every level itself.
	for levels, good := range map[int]bool{63: true, 64: true, 65: false} {
		r := wire.NewReader(strings.NewReader(`{"a":` + nestedJSON(levels-1) + `}`))
		deepest := 0
		var read func(depth int)

		read = func(depth int) {
			deepest = max(deepest, depth)
			switch {
			case r.IsObject():
				r.Object(func(string) { read(depth + 1) })
			case depth < levels:
				r.Array(func(int) { read(depth + 1) })
			}
		}
		if err := r.Document(func(string) { read(1) }); isMalformed(err) == good || deepest > 64 {
			t.Errorf("%d levels, all read: %v at %d", levels, err, deepest)
		}
	}

	// Brackets inside strings are not levels.
	raw := `"` + strings.Repeat(`[{\"`, 100) + `"`
	if p, err := readProduct(strings.NewReader(`{"raw": ` + raw + `}`)); err != nil || p.Raw != raw {
		t.Errorf("brackets in a string: %v", err)
	}
}

func TestDocument_refusesATruncatedDocument(t *testing.T) {
	end := strings.LastIndex(sample, "}") + 1
	for cut := range end {
		if _, err := readProduct(strings.NewReader(sample[:cut])); !isMalformed(err) {
			t.Errorf("cut at %d (%q): %v", cut, sample[:cut], err)
		}
	}
	for cut := end; cut <= len(sample); cut++ {
		if _, err := readProduct(strings.NewReader(sample[:cut])); err != nil {
			t.Errorf("whole, with %d bytes: %v", cut, err)
		}
	}
}

// A disconnected client and a body over its limit are not reported as malformed JSON, at any byte.
func TestDocument_returnsTransportErrorsUnchanged(t *testing.T) {
	gone := errors.New("gone")
	for cut := range len(sample) {
		_, err := readProduct(io.MultiReader(strings.NewReader(sample[:cut]), iotest.ErrReader(gone)))
		if !errors.Is(err, gone) || isMalformed(err) {
			t.Errorf("transport error after %d bytes: %v", cut, err)
		}
		var limit *http.MaxBytesError
		_, err = readProduct(http.MaxBytesReader(nil, io.NopCloser(strings.NewReader(sample)), int64(cut)))
		if !errors.As(err, &limit) {
			t.Errorf("limited to %d bytes: %v", cut, err)
		}
	}
}

// endlessReader returns a document without end and counts the bytes that were read from it.
type endlessReader struct {
	head, fill string
	read       int
}

func (s *endlessReader) Read(p []byte) (int, error) {
	if s.read > 100<<20 {
		return 0, errors.New("more than 100 MiB were read")
	}
	n := 0
	for n < len(p) {
		if s.head == "" {
			s.head = strings.Repeat(s.fill, 4096)
		}
		m := copy(p[n:], s.head)
		s.head = s.head[m:]
		n += m
	}
	s.read += n
	return n, nil
}

func TestDocument_refusesAHugeTokenInBoundedMemory(t *testing.T) {
	const limit = 64 << 10
	for name, s := range map[string]*endlessReader{
		"string":                 {head: `{"description": "`, fill: "x"},
		"skipped string":         {head: `{"unknown": ["`, fill: "x"},
		"string of wrong type":   {head: `{"filterable": "`, fill: "x"},
		"escapes":                {head: `{"description": "`, fill: `\u0041`},
		"number":                 {head: `{"name": 1`, fill: "0"},
		"skipped number":         {head: `{"unknown": -1`, fill: "7"},
		"member's name":          {head: `{"`, fill: "x"},
		"any value":              {head: `{"raw": "`, fill: "x"},
		"any value, a long list": {head: `{"raw": [`, fill: "1, "},
		"space":                  {head: `{"name": `, fill: " "},
		"space at the start":     {fill: " "},
		"space at the end":       {head: `{}`, fill: "\n"},
		"nesting":                {head: `{"unknown": `, fill: "["},
		"nesting in any value":   {head: `{"raw": `, fill: "["},
	} {
		r := wire.NewReader(s)
		r.LimitToken(limit)
		if _, err := readProductFrom(r); !isMalformed(err) || s.read > 3*limit { // the decoder doubled its buffer
			t.Errorf("%s: %d bytes were read, %v", name, s.read, err)
		}
	}

	// This reader has the default limit of 8 MiB.
	s := &endlessReader{head: `{"description": "`, fill: "x"}
	if _, err := readProduct(s); !isMalformed(err) || s.read < 8<<20 || s.read > 20<<20 {
		t.Errorf("%d MiB were read, %v", s.read>>20, err)
	}
}

func TestDocument_readsDocumentsLongerThanTheTokenLimit(t *testing.T) {
	const limit, values = 64 << 10, 3000
	value := `{"name": "` + strings.Repeat("x", 200) + `"},`
	body := `{"unknown": [` + strings.Repeat(value, values) + `1], "values": [` + strings.Repeat(value, values) + `{}]}`
	r := wire.NewReader(strings.NewReader(body))
	r.LimitToken(limit)
	if p, err := readProductFrom(r); err != nil || len(p.Values) != values {
		t.Errorf("%d values, %v", len(p.Values), err)
	}
	// Each of these three tokens is just below the limit. Together they exceed it.
	text := `"` + strings.Repeat("x", limit-2000) + `"`
	r = wire.NewReader(strings.NewReader(`{"raw": ` + text + `, "unknown": [` + text + `, ` + text + `]}`))
	r.LimitToken(limit)
	if p, err := readProductFrom(r); err != nil || p.Raw != text {
		t.Errorf("%d bytes, %.100s", len(p.Raw), err)
	}
}

// brokenRules returns the field and the code of each broken rule in err, separated by a space.
func brokenRules(t *testing.T, err error) (all []string) {
	t.Helper()
	if err == nil {
		return nil
	}

	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != fault.Invalid {
		t.Errorf("got %v, want an Invalid fault", err)
		return nil
	}

	for _, field := range f.Fields {
		if field.Message == "" {
			t.Errorf("%s %s has no message", field.Field, field.Code)
		}
		all = append(all, strings.TrimSpace(field.Field+" "+field.Code))
	}

	return all
}

func TestReader_reportsEachWrongTypeWithItsPathAndContinues(t *testing.T) {
	values := map[string]string{
		"null": `null`, "true": `true`, "false": `false`, "string": `"7"`, "number": `7`, "object": `{"a": [{}]}`,
		"list": `[[1], {"a": 2}]`,
	}
	type method struct {
		read  func(r *wire.Reader) bool
		takes string // names of the accepted values
	}
	for name, m := range map[string]method{
		"Object":         {func(r *wire.Reader) bool { return r.Object(func(string) {}) }, "object"},
		"Array":          {func(r *wire.Reader) bool { return r.Array(func(int) {}) }, "list"},
		"Bool":           {func(r *wire.Reader) bool { _, ok := r.Bool(); return ok }, "true false"},
		"Number":         {func(r *wire.Reader) bool { _, ok := r.Number(); return ok }, "number"},
		"Fixed":          {func(r *wire.Reader) bool { _, ok := r.Fixed(2, 5); return ok }, "number"},
		"String":         {func(r *wire.Reader) bool { _, ok := r.String(); return ok }, "string"},
		"As":             {func(r *wire.Reader) bool { _, ok := wire.As(r, r.String, trimmed); return ok }, "string"},
		"StringOrNumber": {func(r *wire.Reader) bool { _, ok := r.StringOrNumber(); return ok }, "string number"},
		"Raw": {func(r *wire.Reader) bool { _, ok := r.Raw(); return ok },
			"null true false string number object list"},
		"nothing": {func(*wire.Reader) bool { return true }, "null true false string number object list"},
	} {
		for kind, value := range values {
			r := wire.NewReader(strings.NewReader(`{"outer": {"m": ` + value + `, "after": "here"}, "list": [1, ` +
				value + `, "here"]}`))
			want := slices.Contains(strings.Fields(m.takes), kind)
			after := 0
			check := func(path string) {
				if r.Path() != path {
					t.Errorf("%s of %s has the path %q, want %q", name, kind, r.Path(), path)
				}
				if got := m.read(r); got != want {
					t.Errorf("%s of %s returned %v", name, kind, got)
				}
			}

			here := func() {
				if s, ok := r.String(); !ok || s != "here" {
					t.Errorf("after %s of %s: %q, %v", name, kind, s, ok)
				}
				after++
			}

			err := r.Document(func(member string) {
				switch member {
				case "outer":
					r.Object(func(member string) {
						if member == "m" {
							check("outer.m")
						} else {
							here()
						}
					})

				case "list":
					r.Array(func(i int) {
						switch i {
						case 1:
							check("list[1]")
						case 2:
							here()
						}
					})
				}
			})
			if after != 2 {
				t.Errorf("%s of %s: the following value was read %d times, want 2", name, kind, after)
			}

			var broken []string
			if !want {
				broken = []string{"outer.m wrong_type", "list[1] wrong_type"}
			}

			if got := brokenRules(t, err); !slices.Equal(got, broken) {
				t.Errorf("%s of %s: %q, want %q", name, kind, got, broken)
			}
		}
	}
}

func TestDocument_refusesARootOfTheWrongType(t *testing.T) {
	for _, body := range []string{`[]`, `[{"name": "x"}]`, `"x"`, `7`, `null`, `true`, ` false `} {
		_, err := readProduct(strings.NewReader(body))
		if got := brokenRules(t, err); !slices.Equal(got, []string{"wrong_type"}) {
			t.Errorf("%s: %q, want a wrong type at the root", body, got)
		}
	}
}

func TestDocument_reportsThePathOfEveryBrokenRule(t *testing.T) {
	_, err := readProduct(strings.NewReader(`{"name": "", "code": "", "id": "x", "price": 1.00001, "description": "` +
		strings.Repeat("я", 21) + `",
		"filterable": 1, "values": [{"name": "x"}, 7, {"name": null}, {"other": {"name": null}}, {"name": "  "}, [], {"name": "a\u0000"}]}`))
	want := []string{
		"name required", "code required", "id invalid_id", "price out_of_range", "description too_long",
		"filterable wrong_type",
		"values[1] wrong_type", "values[2].name wrong_type", "values[4].name required", "values[5] wrong_type",
		"values[6].name control_character",
	}
	if got := brokenRules(t, err); !slices.Equal(got, want) {
		t.Errorf("broken rules\n%q, want\n%q", got, want)
	}
}

func TestFailAt_reportsAMemberOfTheCurrentValue(t *testing.T) {
	r := wire.NewReader(strings.NewReader(`{"values": [{}]}`))
	err := r.Document(func(string) {
		r.Array(func(int) {
			r.FailAt("name", "required", "%d%%", 7)
			r.Failf("odd", "Odd.")
		})
	})
	r.FailAt("top", "late", "Late.")
	want := []fault.Field{{Field: "values[0].name", Code: "required", Message: "7%"},
		{Field: "values[0]", Code: "odd", Message: "Odd."}}

	var f *fault.Error
	if !errors.As(err, &f) || !cmp.Equal(f.Fields, want) {
		t.Errorf("got %v", err)
	}
	if !errors.As(r.Err(), &f) || len(f.Fields) != 3 || f.Fields[2].Field != "top" {
		t.Errorf("got %v", r.Err())
	}
}

func TestDocument_reportsAtMostAHundredBrokenRules(t *testing.T) {
	for _, n := range []int{99, 100, 101, 5000} {
		body := `{"values": [` + strings.TrimSuffix(strings.Repeat("7,", n), ",") + `]`
		_, err := readProduct(strings.NewReader(body + "}"))
		if got := brokenRules(t, err); len(got) != min(n, 100) ||
			got[len(got)-1] != fmt.Sprintf("values[%d] wrong_type", min(n, 100)-1) {
			t.Errorf("%d broken rules: %d are reported", n, len(got))
		}
		// The document is read to its end, so malformed JSON after the broken rules is found.
		if _, err := readProduct(strings.NewReader(body + `, "name": tru}`)); !isMalformed(err) {
			t.Errorf("%d broken rules and malformed JSON: %v", n, err)
		}
	}
}

func TestReader_refusesControlCharactersInText(t *testing.T) {
	for c := range 0x21 {
		text := fmt.Sprintf(`"a\u%04xb"`, c)
		for name, read := range map[string]func(r *wire.Reader) (string, bool){
			"String": (*wire.Reader).String, "StringOrNumber": (*wire.Reader).StringOrNumber,
		} {
			r := wire.NewReader(strings.NewReader(`{"m": ` + text + `, "unknown": ` + text + `}`))
			var got string
			err := r.Document(func(member string) {
				if member == "m" {
					got, _ = read(r)
				}
			})
			if c == '\t' || c == '\n' || c == ' ' {
				if err != nil || got != "a"+string(rune(c))+"b" {
					t.Errorf("%s of %s: %q, %v", name, text, got, err)
				}
				continue
			}

			if rules := brokenRules(t, err); !slices.Equal(rules, []string{"m control_character"}) {
				t.Errorf("%s of %s: %q", name, text, rules)
			}
		}
	}
}

func TestReader_returnsNumbersAsWritten(t *testing.T) {
	for _, number := range []string{
		"10.50", "1e5", "1E+05", "-0", "0.0", "-1.5e-3", "007e"[2:] + "1", strings.Repeat("9", 200),
		"123456789012345678901234567890.10",
	} {
		for name, read := range map[string]func(r *wire.Reader) (string, bool){
			"Number":         (*wire.Reader).Number,
			"StringOrNumber": (*wire.Reader).StringOrNumber,
			"Raw":            func(r *wire.Reader) (string, bool) { raw, ok := r.Raw(); return string(raw), ok },
		} {
			r := wire.NewReader(strings.NewReader(`{"m": ` + number + `}`))

			var got string
			if err := r.Document(func(string) { got, _ = read(r) }); err != nil || got != number {
				t.Errorf("%s of %s: %s, %v", name, number, got, err)
			}
		}
	}
}

func TestStop_endsTheReadingWithTheCallersError(t *testing.T) {
	enough := errors.New("enough")
	r := wire.NewReader(strings.NewReader(`{"a": 1, "b": 2, "c": `))
	members := 0

	err := r.Document(func(string) {
		members++
		r.Failf("odd", "Odd.")
		r.Stop(enough)
		r.Stop(errors.New("later"))

		// After Stop nothing is read.
		if _, ok := r.Number(); ok {
			t.Error("a value was read after Stop")
		}
		if _, ok := r.Raw(); ok || r.Null() || r.IsObject() || r.Object(func(string) {}) || r.Array(func(int) {}) {
			t.Error("a value was read after Stop")
		}
		if _, ok := r.Bool(); ok {
			t.Error("a value was read after Stop")
		}

		r.Skip()
		r.WrongType("nothing")
	})
	if !errors.Is(err, enough) || members != 1 || !r.Failed() || !errors.Is(r.Err(), enough) {
		t.Errorf("%d members, %v", members, err)
	}
}

func TestOffset_countsTheBytesRead(t *testing.T) {
	r := wire.NewReader(strings.NewReader(`{"a": 12, "b": [3]}`))
	var at []int64
	if err := r.Document(func(string) { _, _ = r.Raw(); at = append(at, r.Offset()) }); err != nil ||
		!slices.Equal(at, []int64{8, 18}) {
		t.Errorf("%v, %v", at, err)
	}
}
