package wire_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
)

// members returns n members, each with another name.
func members(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"m%d":0`, i)
	}
	return b.String()
}

func codeOf(err error) string {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f.Code
	}
	return fmt.Sprint(err)
}

// The reader remembers the names of an object to find duplicates, so the number of members is limited, however the
// object is read. A document of many members ends soon after the limit.
func TestH3_membersOfAnObjectAreLimited(t *testing.T) {
	ignore := func(r *wire.Reader) error { return r.Document(func(string) {}) }
	raw := func(r *wire.Reader) error { return r.Document(func(string) { _, _ = r.Raw() }) }
	text := func(r *wire.Reader) error { return r.Document(func(string) { r.SkipText() }) }

	nested := func(r *wire.Reader) error {
		return r.Document(func(string) { r.Object(func(string) {}) })
	}
	for _, c := range []struct {
		name, before, after string
		read                func(r *wire.Reader) error
	}{
		{"the root", `{`, `}`, ignore},
		{"a skipped object", `{"a": {`, `}}`, ignore},
		{"an object in a skipped list", `{"a": [1, {`, `}]}`, ignore},
		{"a deeply nested object", `{"a": {"b": {"c": {`, `}}}}`, ignore},
		{"a raw value", `{"a": {`, `}}`, raw},
		{"an object in a raw value", `{"a": [{"b": {`, `}}]}`, raw},
		{"a text value", `{"a": {`, `}}`, text},
		{"an object that is read", `{"a": {`, `}}`, nested},
	} {
		for n, want := range map[int]string{wire.MaxMembers: "<nil>", wire.MaxMembers + 1: "too_many_members",
			50_000: "too_many_members"} {
			source := strings.NewReader(c.before + members(n) + c.after)
			size := source.Size()
			for mode, r := range map[string]*wire.Reader{
				"body": wire.NewReader(source), "item": wire.NewItem([]byte(c.before + members(n) + c.after))} {
				if err := c.read(r); codeOf(err) != want {
					t.Errorf("%s, %s with %d members: %v, want %s", mode, c.name, n, err, want)
				}
			}

			if read := size - int64(source.Len()); n > 10*wire.MaxMembers && read > size/4 {
				t.Errorf("%s with %d members: %d of %d bytes were read", c.name, n, read, size)
			}
		}
	}
}

// The members around the elements of a push are limited, too. Those of the elements are limited by their own readers.
func TestM1_membersAroundTheElementsOfAStreamAreLimited(t *testing.T) {
	read := func(body string) (elements int, err error) {
		r := wire.NewStream(strings.NewReader(body), 1<<20, "An item")

		err = r.Document(func(name string) {
			if name == "payload" {
				r.Array(func(int) {
					raw, ok := r.Raw()
					if !ok {
						return
					}
					if err := wire.NewItem(raw).Document(func(string) {}); err != nil {
						r.Stop(err)
					}
					elements++
				})
			}
		})

		return elements, err
	}
	for _, c := range []struct {
		body string
		want string
	}{
		{`{"payload": [{"a": 1}, {"a": 2}], ` + members(wire.MaxMembers-1) + `}`, "<nil>"},
		{`{"payload": [{"a": 1}, {"a": 2}], ` + members(wire.MaxMembers) + `}`, "too_many_members"},
		{`{"payload": [{"a": 1}, {"a": 2}], "other": {` + members(wire.MaxMembers+1) + `}}`, "too_many_members"},
		{`{"payload": [{"a": 1}, {` + members(wire.MaxMembers+1) + `}]}`, "too_many_members"},
		{`{"payload": [{"a": 1}, {"a": 2}], "payload": []}`, "malformed_json"},
		{`{"payload": [{"a": 1}, {"a": 2}], "x": {"b": 1, "c": {"b": 1}, "b": 2}}`, "malformed_json"},
		{`{"payload": [{"a": 1}, {"a": 2}], "x": [{"b": 1}, {"b": 1}], "y": {"x": {"x": 1}}}`, "<nil>"},
		{`{"payload": [{"a": 1}, {"a": 2, "\u0061": 3}]}`, "malformed_json"},
		{`{"x": 1, "\u0078": 3, "payload": []}`, "malformed_json"},
	} {
		if _, err := read(c.body); codeOf(err) != c.want {
			t.Errorf("%.80s: %v, want %s", c.body, err, c.want)
		}
	}
}

func TestM1_namesOfMembersAreLimited(t *testing.T) {
	for _, mode := range []string{"body", "stream"} {
		for n, want := range map[int]string{1022: "<nil>", 1023: "malformed_json", 1 << 20: "malformed_json"} {
			for _, form := range []string{`{"%s": 1}`, `{"a": {"b": {"%s": 1}}}`} {
				source := strings.NewReader(fmt.Sprintf(form, strings.Repeat("n", n)))
				r := wire.NewReader(source)
				if mode == "stream" {
					r = wire.NewStream(source, 8<<20, "An item")
				}
				if err := r.Document(func(string) {}); codeOf(err) != want {
					t.Errorf("%s: a name of %d bytes in %s: %v, want %s", mode, n, form, err, want)
				}
			}
		}
	}
}

// Raw returns the text of a value exactly as it was sent, wherever the reads of the input end.
func TestRaw_returnsTheTextAsSent(t *testing.T) {
	values := []string{`1`, `"a\u0062 "`, `[1 ,  2]`, "{\n\t\"x\" : [ { } ]\n}", `null`, `[]`, `-1.50e+3`,
		`{"long": "` + strings.Repeat("x", 10_000) + `"}`, `[` + strings.Repeat(`{"a":1},`, 5_000) + `1]`}
	body := "{ \"a\" :[" + strings.Join(values, " , ") + "\n] , \"b\" : " + values[3] + " }"
	for _, source := range []io.Reader{strings.NewReader(body), &stutter{strings.NewReader(body)}} {
		var got []string
		r := wire.NewReader(source)

		err := r.Document(func(name string) {
			read := func(int) {
				raw, _ := r.Raw()
				got = append(got, string(raw))
			}
			if name == "a" {
				r.Array(read)
			} else {
				read(0)
			}
		})

		want := append(append([]string{}, values...), values[3])
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %.200q, %v", got, err)
		}
	}
}

// stutter returns one to seven bytes per Read.
type stutter struct{ r *strings.Reader }

func (s *stutter) Read(p []byte) (int, error) {
	return s.r.Read(p[:min(len(p), 1+s.r.Len()%7)])
}
