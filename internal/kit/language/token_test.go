package language_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/language"
)

// describe writes tokens as "place:form", a joined word with the number of its parts.
func describe(tokens []language.Token) string {
	var words []string
	for _, t := range tokens {
		if t.Parts > 1 {
			words = append(words, fmt.Sprintf("%d+%d:%s", t.Place, t.Parts, t.Form))
		} else {
			words = append(words, fmt.Sprintf("%d:%s", t.Place, t.Form))
		}
	}
	return strings.Join(words, " ")
}

func TestTokens(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "",
		" ,.- ":                   "",
		"Лампа настольная":        "0:лампа 1:настольная",
		"Чехол для iPhone15 Pro":  "0:чехол 1:для 2+2:iphone15 2:iphone 3:15 4:pro",
		"A-1":                     "0+2:a1 0:a 1:1",
		"AB/12.C_3":               "0+4:ab12c3 0:ab 1:12 2:c 3:3",
		"USB-C Wi-Fi":             "0+2:usbc 0:usb 1:c 2+2:wifi 2:wi 3:fi",
		"мини-юбка":               "0+2:миниюбка 0:мини 1:юбка",
		"мини - юбка":             "0:мини 1:юбка",
		"кроссовки/ботинки":       "0:кроссовки 1:ботинки",
		"сталь.Цвет белый":        "0:сталь 1:цвет 2:белый",
		"Dr.Martens":              "0+2:drmartens 0:dr 1:martens",
		"1.5 л":                   "0:1.5 1:л",
		"1,5л":                    "0+2:1.5л 0:1.5 1:л",
		"1,5,2":                   "0:1 1:5 2:2",
		"192.168.1.1":             "0+4:19216811 0:192 1:168 2:1 3:1",
		"12,":                     "0:12",
		"10x20":                   "0+2:10x20 0:10 1:20",
		"10 × 20 см":              "0:10 1:20 2:см",
		"10х20х30см":              "0+4:10x20x30см 0:10 1:20 2:30 3:см",
		"Levi's Levi’s":           "0:levis 1:levis",
		"'кавычки' 5'":            "0:кавычки 1:5",
		"L'Oréal d'or":            "0+2:loreal 0:l 1:oreal 2:dor",
		"H&M":                     "0+2:hm 0:h 1:m",
		"Galaxy S23+":             "0:galaxy 1+3:s23plus 1:s 2:23 3:plus",
		"шампунь+бальзам":         "0:шампунь 1:бальзам",
		"Nike™ Air®":              "0:nike 1:air",
		"usbкабель":               "0+2:usbкабель 0:usb 1:кабель",
		"cумка":                   "0:сумка",
		"Хбокс xбox":              "0:хбокс 1:хбох",
		"手机壳":                     "0:手 1:机 2:壳",
		"東京tower":                 "0:東 1:京 2:tower",
		"ก่อน":                    "0:ก่ 1:อ 2:น",
		"한국어":                     "0:한국어",
		"soft\u00adhyphen":        "0:softhyphen",
		"Ｎｉｋｅ１５":                  "0+2:nike15 0:nike 1:15",
		"А52 М8 е-27":             "0+2:a52 0:a 1:52 2+2:m8 2:m 3:8 4+2:e27 4:e 5:27",
		"USB-С дом5 5м2 аб1":      "0+2:usbc 0:usb 1:c 2+2:дом5 2:дом 3:5 4+3:5m2 4:5 5:m 6:2 7+2:аб1 7:аб 8:1",
		"м² №5":                   "0+2:m2 0:m 1:2 2:5",
		"bad\xffbytes":            "0:bad 1:bytes",
		"мо\u0301локо":            "0:молоко",
		"п'ять об’єм":             "0:пять 1:обєм",
		"1-1-1-1-1-1-1-1-1-1":     "0:1 1:1 2:1 3:1 4:1 5:1 6:1 7:1 8:1 9:1",
		"user@example.com":        "0:user 1+2:examplecom 1:example 2:com",
		"ИБП 650ВА/360Вт 230В 50": "0:ибп 1+4:650ва360вт 1:650 2:ва 3:360 4:вт 5+2:230в 5:230 6:в 7:50",
	} {
		if got := describe(language.Tokens(text)); got != want {
			t.Errorf("Tokens(%q)\n got %s\nwant %s", text, got, want)
		}
	}
}

func TestTokens_haveOffsetsOfTheText(t *testing.T) {
	text := "😀 Чехол для ＩPhone15"
	var words []string
	for _, token := range language.Tokens(text) {
		words = append(words, text[token.Start:token.End])
	}
	if got := strings.Join(words, "|"); got != "Чехол|для|ＩPhone15|ＩPhone|15" {
		t.Errorf("the tokens are at %s", got)
	}
	if got := language.UTF16(text, language.Tokens(text)[0].Start); got != 3 {
		t.Errorf("the first word is at unit %d, want 3", got)
	}
	if got := language.UTF16(text, 1000); got != 21 {
		t.Errorf("the text has %d units, want 21", got)
	}
}

func TestParseQuery(t *testing.T) {
	for query, want := range map[string]string{
		"":                  "",
		" ,, ":              ",,:",
		"лампа настольная":  "лампа:лампа настольная:настольная",
		"Чехол iphone15":    "Чехол:чехол iphone15:iphone15(iphone 15)",
		"A-1":               "A-1:a1(a 1)",
		"xt[jk":             "xt[jk:xt,jk",
		"wi-fi роутер":      "wi-fi:wifi(wi fi) роутер:роутер",
		"10 x 20":           "10:10 x: 20:20",
		"1,5л":              "1,5л:1.5л(1.5 л)",
		"чай,кофе":          "чай,кофе:чай,кофе",
		"кроссовки/ботинки": "кроссовки/ботинки:кроссовки,ботинки",
	} {
		var fields []string

		for _, field := range language.ParseQuery(query) {
			var words []string
			for _, w := range field.Words {
				if len(w.Parts) > 0 {
					w.Joined += "(" + strings.Join(w.Parts, " ") + ")"
				}
				words = append(words, w.Joined)
			}
			if query[field.Start:field.Start+len(field.Raw)] != field.Raw {
				t.Errorf("%q: the field %q is not at %d", query, field.Raw, field.Start)
			}
			fields = append(fields, field.Raw+":"+strings.Join(words, ","))
		}
		if got := strings.Join(fields, " "); got != want {
			t.Errorf("ParseQuery(%q) = %s, want %s", query, got, want)
		}
	}
}

func TestFoldQuery(t *testing.T) {
	queries := map[string]string{
		"":                    "",
		" !? ":                "",
		" Лампы  ЁЛКА":        "лампы елка",
		"iPhone15":            "iphone 15",
		"iphone 15":           "iphone 15",
		"A-1":                 "a 1",
		"levi's":              "levis",
		"тёмно-синий":         "темно синий",
		"1,5л":                "1.5 л",
		"10x20":               "10 20",
		"4607001234567":       "4607001234567",
		"Кроссовки (мужские)": "кроссовки мужские",
	}

	for query, want := range queries {
		if got := language.FoldQuery(query); got != want {
			t.Errorf("FoldQuery(%q) = %q, want %q", query, got, want)
		}
		if again := language.FoldQuery(want); again != want {
			t.Errorf("FoldQuery(%q) = %q, want it unchanged", want, again)
		}
	}
}

func TestCode(t *testing.T) {
	for _, pair := range [][2]string{
		{"A-1", "a1"}, {"A 1", "а1"}, {"СВ-650/2.1", "cb65021"}, {"4 607 001-234567", "4607001234567"},
	} {
		if a, b := language.Code(pair[0]), language.Code(pair[1]); a != b {
			t.Errorf("Code(%q) = %q, Code(%q) = %q", pair[0], a, pair[1], b)
		}
	}
	if language.Code("A-1") == language.Code("E-1") {
		t.Error("different codes are equal")
	}
}

// Texts of 10,000 characters of every kind are read in bounded work: the test ends.
func TestLongTexts(t *testing.T) {
	for _, unit := range []string{"a", "я", "a1", "а-", "bж", "x'", "1.", "1x", "手", "+", "ё", "é",
		"\xff", "l'eau ", "[", "ь"} {
		text := strings.Repeat(unit, 10_000/len([]rune(unit)))
		word := language.Fold(text)
		tokens := language.Tokens(text)
		if len(tokens) > 10_000 {
			t.Errorf("%q: %d tokens", unit, len(tokens))
		}

		for _, field := range language.ParseQuery(text) {
			if n := len(language.OtherLayouts(field.Raw)); n > 4 {
				t.Errorf("%q: %d layouts", unit, n)
			}
		}
		for _, locale := range []string{"ru", "uk", "de"} {
			language.StemmerFor(locale).Keys(word)
		}
		language.Code(text)
		language.Readings(word)
		language.SoundDistance(word, word)
		language.Distance(word, word+"a", 2)
		language.Nearness(word, word+"a")
		d := language.NewDictionary(slices.Values([]string{word, word + "a"}))
		d.Near(word, language.MaxErrors(word), 10)
		d.Splits(word)
	}
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{"Чехол iPhone15", "A-1", "1,5л 10х20", "l'eau",
		"\xff'\xd0a", "S23+", "а́b̀", "x'", "1.", "手's"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		place := 0
		for _, token := range language.Tokens(s) {
			if token.Start < 0 || token.Start >= token.End || token.End > len(s) || token.Form == "" {
				t.Fatalf("%q: token %+v", s, token)
			}
			if token.Parts == 1 {
				if token.Place != place {
					t.Fatalf("%q: part %+v, want place %d", s, token, place)
				}
				place++
			}
		}
		if n := len(language.Tokens(s)); n > 2*len(s) {
			t.Errorf("%q: %d tokens", s, n)
		}

		language.Code(s)
		for _, field := range language.ParseQuery(s) {
			language.OtherLayouts(field.Raw)
		}
	})
}

func BenchmarkTokens(b *testing.B) {
	var dst []language.Token
	for b.Loop() {
		dst = language.AppendTokens(dst[:0], "Чехол силиконовый для iPhone 15 Pro, USB-C, 1,5 м, чёрный")
	}
}
