package frame

import (
	"html/template"
	"strings"
	"testing"
)

func TestFoldConstants_keepsTheOutput(t *testing.T) {
	const text = `{{define "row"}}<b title="{{T "a<b"}}">{{T "a<b"}}</b>{{end -}}
{{range .}}{{if .}}{{T "yes"}}: {{.}}{{else}}{{T "no"}}{{end}}{{with .}}{{template "row"}}{{end}}{{end}}{{$x := T "x"}}{{$x}}{{T "%s!" "z"}}`
	calls := 0

	render := func(fold bool) string {
		funcs := template.FuncMap{"T": func(s string, args ...any) string {
			calls++
			return strings.ToUpper(s)
		}}
		parsed := template.Must(template.New("page").Funcs(funcs).Parse(text))
		if fold {
			foldConstants(parsed, map[string]func(string) string{
				"T": func(s string) string { return template.HTMLEscapeString(strings.ToUpper(s)) }})
		}

		var b strings.Builder
		if err := parsed.Execute(&b, []string{"1", "", "<2>"}); err != nil {
			t.Fatal(err)
		}

		return b.String()
	}

	plain := render(false)
	calls = 0
	if folded := render(true); folded != plain {
		t.Errorf("got  %s\nwant %s", folded, plain)
	}
	if calls != 2 { // {{$x := T "x"}} and {{T "%s!" "z"}}
		t.Errorf("T was called %d times, want 2: for a variable and for a text with arguments", calls)
	}
}
