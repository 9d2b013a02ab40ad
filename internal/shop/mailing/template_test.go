package mailing

import (
	"strings"
	"testing"

	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/store"
)

func TestCheckTemplate_acceptsTheProgramsOwn(t *testing.T) {
	t.Parallel()
	for _, tag := range []string{"en", "ru", "de"} {
		l, err := locale.Parse(tag)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range Kinds() {
			own := DefaultTemplate(kind, l)
			if checked, err := CheckTemplate(kind, own); err != nil || checked.Subject != own.Subject {
				t.Errorf("%s in %s: %v", kind, tag, err)
			}
		}
	}
}

func TestCheckTemplate_saysWhatIsWrong(t *testing.T) {
	t.Parallel()

	for _, c := range []struct{ subject, text, want string }{
		{"", "Hello", "Write a text."},
		{"Order", " \n ", "Write a text."},
		{"Order {{numbr}}", "Hello", "There is no placeholder {{numbr}}. Did you mean {{number}}?"},
		{"Order", "{{quite something else}}", "It has these: {{number}}, {{name}}"},
		{"Order", "{{comment}}", "There is no placeholder {{comment}}"}, // which is for the shop only
		{"Order", "Hello {{name", "does not end with }}"},
		{"Order", "Hello {{na\nme}}", "does not end with }}"},
		{"Order", "{{range .}}{{end}}", "There is no placeholder {{range .}}"},
		{"One\nTwo", "Hello", "A subject has one line."},
		{"{{lines}}", "Hello", "{{lines}} can stand in the text only."},
		{"Order", "Hello\x00", "control characters"},
		{strings.Repeat("ж", MaxTemplateSubject+1), "Hello", "at most 150"},
		{"Order", strings.Repeat("ж", MaxTemplateText+1), "at most 5000"},
	} {
		_, err := CheckTemplate(OrderReceived, Template{c.subject, c.text})
		if err == nil || !strings.Contains(fieldMessages(err), c.want) {
			t.Errorf("%q, %q: %v", c.subject, c.text, err)
		}
	}
}

// A line whose placeholders are all empty is left out, and values are not templates themselves.
func TestFill_replacesPlaceholders(t *testing.T) {
	t.Parallel()
	values := map[string]value{placeName: {text: "{{number}} & <b>"}, placeNumber: {text: "7"}, placeAddress: {}}
	text := "Hello {{ name }},\n\nTo: {{address}}\n\nOrder {{number}}{{address}}\n{{unclosed\n"
	if got := fillText(text, values); got != "Hello {{number}} & <b>,\n\nOrder 7\n{{unclosed\n" {
		t.Errorf("the text is %q", got)
	}

	got := fillHTML(Template{Text: text}, "A & B", "en", values)
	for _, part := range []string{"<title>A &amp; B</title>", "Hello {{number}} &amp; &lt;b&gt;,</p>",
		"Order 7<br>"} {
		if !strings.Contains(got, part) {
			t.Errorf("the HTML lacks %q: %s", part, got)
		}
	}
}

func TestWriter_formatsNumbers(t *testing.T) {
	t.Parallel()
	inEnglish := newWriter(store.Store{Locale: "en"}, "", "")
	inRussian := newWriter(store.Store{Locale: "ru"}, "", "")
	for _, c := range []struct{ got, want string }{
		{inEnglish.money(12_345_678_900, "USD"), "1,234,567.89\u00a0USD"},
		{inEnglish.money(10_000, "USD"), "1.00\u00a0USD"}, {inEnglish.money(1, "USD"), "0.0001\u00a0USD"},
		{inRussian.money(12_345_000, "RUB"), "1\u00a0234,50\u00a0RUB"},
		{inEnglish.decimal(2000, 3, 0), "2"}, {inRussian.decimal(1500, 3, 0), "1,5"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestWithoutLinks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Anna": "Anna", "J.Rush": "J.Rush", "ул.Ленина, 5": "ул.Ленина, 5", "St.Petersburg": "St.Petersburg",
		"win at evil.com": "", "EVIL.RU/x": "", "http://x": "", "www.x": "", "a@b": "", "сайт.рф": "",
	} {
		if got := withoutLinks(text); got != want {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}
