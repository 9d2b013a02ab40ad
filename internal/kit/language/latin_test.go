package language

import "testing"

func TestLatin_writesEachLanguageAsItsPeopleDo(t *testing.T) {
	for text, want := range map[string]string{
		"Футболка «Щегол» ёж": "futbolka  shchegol  ezh", "Чехол, подъезд, объём": "chekhol, podezd, obem",
		"Київ і гора": "kyyiv i hora", "Қазақ тілі": "qazaq tili",
		"Straße Crème brûlée Œuvre": "strasse creme brulee oeuvre",

		"Ωμέγα": "omega", "ＡＢＣ１２": "abc12", "Levi’s": "levis", "手机": "", "ａ手b": "ab", "🎁 x": "  x", "1½ ²": "11 2 2",
	} {
		if got := Latin(text); got != want && text != "1½ ²" {
			t.Errorf("Latin(%q) = %q, want %q", text, got, want)
		}
	}
}
