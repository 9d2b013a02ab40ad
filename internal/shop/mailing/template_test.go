package mailing

import (
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

func TestCheckTemplate_acceptsTheProgramsOwn(t *testing.T) {
	t.Parallel()
	for tag := range wordsByLanguage {
		l, err := locale.Parse(tag)
		if err != nil {
			t.Fatal(err)
		}

		for _, kind := range Kinds() {
			own := DefaultTemplate(kind, l)
			if tag != "en" && own == englishTemplates[kind] || tag != "ru" && own == russianTemplates[kind] {
				t.Errorf("%s in %s is that of another language", kind, tag)
			}
			if got, want := placeholdersOf(own), placeholdersOf(englishTemplates[kind]); !slices.Equal(got, want) {
				t.Errorf("%s in %s has the placeholders %q, want %q", kind, tag, got, want)
			}

			if checked, err := CheckTemplate(kind, own); err != nil || checked.Subject != own.Subject {
				t.Errorf("%s in %s: %v", kind, tag, err)
			}
		}
	}
}

// placeholdersOf returns the names of the placeholders of a template, sorted and each once.
func placeholdersOf(t Template) (names []string) {
	pieces, _ := parseTemplate(t.Subject + "\n" + t.Text)
	for _, p := range pieces {
		if p.name != "" {
			names = append(names, p.name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Every language of a store has mails of its own, and counts lines as its grammar wants.
func TestWords_areThoseOfEveryLanguage(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string][3]string{
		"en": {"… and 1 more line", "… and 3 more lines", "… and 25 more lines"},
		"ru": {"… и ещё 1 строка", "… и ещё 3 строки", "… и ещё 25 строк"},
		"de": {"… und 1 weitere Position", "… und 3 weitere Positionen", "… und 25 weitere Positionen"},
		"es": {"… y 1 línea más", "… y 3 líneas más", "… y 25 líneas más"},
		"fr": {"… et 1 autre ligne", "… et 3 autres lignes", "… et 25 autres lignes"},
		"uk": {"… і ще 1 рядок", "… і ще 3 рядки", "… і ще 25 рядків"},
		"kk": {"… және тағы 1 жол", "… және тағы 3 жол", "… және тағы 25 жол"},
	} {
		l, err := locale.Parse(tag)
		if err != nil {
			t.Fatal(err)
		}

		w := wordsOf(l)
		if got := [3]string{w.moreLines(1), w.moreLines(3), w.moreLines(25)}; got != want || w.tag != tag {
			t.Errorf("%s: %q, want %q", tag, got, want)
		}
		if len(w.templates) != len(Kinds()) || w.date == "" || w.unsubscribe == "" || w.point == w.thousands {
			t.Errorf("%s has %d texts, the date %q", tag, len(w.templates), w.date)
		}
	}

	if len(wordsByLanguage) != 7 {
		t.Errorf("there are words for %d languages; add them above", len(wordsByLanguage))
	}
}

// A line has its picture if the address of the server is known.
func TestLines_havePictures(t *testing.T) {
	t.Parallel()
	o := order.Order{Currency: "EUR", Items: []order.Item{
		{Name: `Lamp "><img src=x>`, Quantity: 1000, ThumbnailPath: "/images/1/small.jpg"},
		{Name: "Cable", Quantity: 1000}}}
	got := newWriter(store.Store{Locale: "en"}, links{images: "https://api.example"}).lines(&o).html
	if n := strings.Count(got, "<img"); n != 1 ||
		!strings.Contains(got, `<img src="https://api.example/images/1/small.jpg" width="48" height="48" alt=""`) ||
		strings.Count(got, "<td") != 8 {
		t.Errorf("the lines are %s", got)
	}

	if got := newWriter(store.Store{Locale: "en"}, links{}).lines(&o).html; strings.Contains(got, "<img") {
		t.Errorf("without an address of the server the lines are %s", got)
	}
	o.Items = o.Items[1:]
	got = newWriter(store.Store{Locale: "en"}, links{images: "https://api.example"}).lines(&o).html
	if strings.Count(got, "<td") != 3 {
		t.Errorf("lines without pictures are %s", got)
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
	inEnglish := newWriter(store.Store{Locale: "en"}, links{})
	inRussian := newWriter(store.Store{Locale: "ru"}, links{})
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
