package wire_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
)

// A value that was read with Raw can be read again. Errors inside it have their path in the whole document.
func TestReadNested_reportsPathsInTheWholeDocument(t *testing.T) {
	r := wire.NewReader(strings.NewReader(`{"list": [{"raw": {"a": [1, "x"], "b": "c"}}], "after": 5}`))
	var seen []string

	err := r.Document(func(name string) {
		if name == "after" {
			r.String()
			return
		}

		r.Array(func(int) {
			r.Object(func(string) {
				raw, _ := r.Raw()
				for range 2 {
					r.ReadNested(raw, func(in *wire.Reader) {
						in.Object(func(name string) {
							if seen = append(seen, in.Path()); name == "a" {
								in.Array(func(int) { in.Number() })
							}
						})
					})
				}
			})
		})
	})

	var f *fault.Error
	if !errors.As(err, &f) || len(f.Fields) != 3 || f.Fields[0].Field != "list[0].raw.a[1]" ||
		f.Fields[1].Field != "list[0].raw.a[1]" || f.Fields[2].Field != "after" {
		t.Errorf("got %+v", err)
	}

	if want := []string{"list[0].raw.a", "list[0].raw.b", "list[0].raw.a", "list[0].raw.b"}; !slices.Equal(seen, want) {
		t.Errorf("seen %q", seen)
	}
}

func TestSkipText_reportsControlCharactersAtAnyDepth(t *testing.T) {
	for text, fine := range map[string]bool{
		`{"a": ["b\t", {"c": 1}], "d": null}`: true, `"x"`: true, `7`: true, `{}`: true,
		`"\u0000"`: false, `["a", ["\u001f"]]`: false, `{"a\u0001": 1}`: false, `{"a": {"b": "\r"}}`: false,
	} {
		r := wire.NewReader(strings.NewReader(`{"kept": ` + text + `, "next": 1}`))

		names := ""
		err := r.Document(func(name string) {
			names += name
			if name == "kept" && r.SkipText() != fine {
				t.Errorf("%s: SkipText returned %t", text, !fine)
			}
		})
		if (err == nil) != fine || names != "keptnext" {
			t.Errorf("%s: %v, read %s", text, err, names)
		}
	}
}
