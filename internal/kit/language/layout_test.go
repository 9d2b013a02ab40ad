package language_test

import (
	"slices"
	"testing"

	"vitrine/internal/kit/language"
)

func TestOtherLayouts(t *testing.T) {
	cases := map[string][]string{
		"xt[jk":      {"чехол"},
		"Rhjccjdrb":  {"Кроссовки"},
		",f,jxrf":    {"бабочка"},
		"`krf":       {"ёлка"},
		"kfvgf":      {"лампа"},
		"kfvgf,":     {"лампаб", "лампа"},
		"шзрщту":     {"iphone"},
		"шзрщту15":   {"iphone15"},
		"ыфьыгтп":    {"samsung"},
		"хлеб":       nil, // х is [
		"a1 b":       nil,
		"15":         nil,
		"":           nil,
		"cdtn/kfvgf": {"свет лампа"},
		"(xt[jk)":    {"чехол"},
		"гыи/шзрщту": {"usb iphone"},
		"//":         nil,
		"gfkmnj-[":   {"пальто-х"},
		"ceirf;bn":   {"сушкажит"},
		"cgfcb,j":    {"спасибо"},
		"lsv":        {"дым", "дім"},
		"-":          nil,
	}

	for field, want := range cases {
		got := language.OtherLayouts(field)
		if !slices.Equal(got, want) {
			t.Errorf("OtherLayouts(%q) = %q, want %q", field, got, want)
		}
	}
}
