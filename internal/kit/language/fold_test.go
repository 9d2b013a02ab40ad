package language_test

import (
	"testing"
	"unicode/utf8"

	"vitrine/internal/kit/language"
)

func TestFold(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "",
		"лампа":              "лампа",
		"ЁЛКА":               "елка",
		"Ёлка":               "елка",
		"е\u0308лка":         "елка",
		"Йогурт":             "йогурт",
		"и\u0306огурт":       "йогурт",
		"Їжак, ґава":         "їжак, ґава",
		"п’ять":              "пять",
		"мо\u0301локо":       "молоко",
		"Қазақстан Әже":      "қазақстан әже",
		"Ў":                  "ў",
		"Levi's":             "levis",
		"Levi’s":             "levis",
		"Café Crème":         "cafe creme",
		"Cafe\u0301":         "cafe",
		"Straße STRAẞE":      "strasse strasse",
		"İstanbul ılık":      "istanbul ilik",
		"Żółć Łódź":          "zolc lodz",
		"Ｎｉｋｅ　１５":            "nike 15",
		"ﬁne Œuvre Æsir":     "fine oeuvre aesir",
		"ΑΘΉΝΑΣ":             "αθηνασ",
		"soft\u00adhyphen":   "softhyphen",
		"zero\u200bwidth":    "zerowidth",
		"м²":                 "м2",
		"ไทย":                "ไทย",
		"が":                  "が",
		"か\u3099":            "が",
		"한글":                 "한글",
		"bad\xff\xd0bytes":   "badbytes",
		"1,5 л":              "1,5 л",
		"Ørsted Đoković Ǿre": "orsted dokovic ore",
	} {
		if got := language.Fold(text); got != want {
			t.Errorf("Fold(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestFold_doesNotAllocateForFoldedText(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { language.Fold("настольная лампа nike 15, їжак") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzFold(f *testing.F) {
	for _, s := range []string{"Ёлка", "Levi’s", "\xff\xd0", "İ\u0307", "´a", "か\u200d\u3099", "ǅ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		folded := language.Fold(s)
		if !utf8.ValidString(folded) {
			t.Errorf("Fold(%q) = %q is not valid UTF-8", s, folded)
		}
		if len(folded) > 20*len(s) {
			t.Errorf("Fold(%q) has %d bytes", s, len(folded))
		}
	})
}

func BenchmarkFold(b *testing.B) {
	for name, text := range map[string]string{
		"folded": "лампа настольная светодиодная", "capitals": "Лампа Настольная LED", "accents": "Café Crème brûlée",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				language.Fold(text)
			}
		})
	}
}
