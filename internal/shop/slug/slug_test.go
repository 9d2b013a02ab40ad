package slug

import (
	"strings"
	"testing"

	"vitrine/internal/kit/id"
)

func TestMake_ofNames(t *testing.T) {
	for name, want := range map[string]Slug{
		"Красная футболка": "krasnaya-futbolka", "  T-Shirt / «Crème» 1.5 л ": "t-shirt-creme-1-5-l", "UPPER": "upper",
		"by-slug": "by-slug", "🎁🎁": "", "---": "", "7": "7", "Кружка — 300 мл": "kruzhka-300-ml",
		strings.Repeat("слово ", 2000): Slug(strings.TrimSuffix(strings.Repeat("slovo-", 16), "-")),
		strings.Repeat("ш", 10000):     Slug(strings.Repeat("sh", 50)),
	} {
		got := Make(name)
		if got != want {
			t.Errorf("Make(%.40q) = %q, want %q", name, got, want)
		}
		if _, broken := Check(string(got)); got != "" && broken != nil {
			t.Errorf("Make(%.40q) = %q breaks the rule: %s", name, got, broken.Code)
		}
	}
}

func TestCheck_codes(t *testing.T) {
	for sent, code := range map[string]string{
		"red-shirt": "", " a ": "", "-": "", "0": "", strings.Repeat("a", Max): "", "": "required", "  ": "required",
		"Red": "invalid_slug", "a_b": "invalid_slug", "а": "invalid_slug", "a/b": "invalid_slug",
		strings.Repeat("a", Max+1): "invalid_slug", "a b": "invalid_slug", "🎁": "invalid_slug",
	} {
		got := ""
		if _, broken := Check(sent); broken != nil {
			got = broken.Code
		}
		if got != code {
			t.Errorf("Check(%.20q) breaks %q, want %q", sent, got, code)
		}
	}
}

// A thing whose name leaves nothing has a slug of its kind, and stays distinguishable.
func TestBase_ofNamesWithoutLetters(t *testing.T) {
	c := Claim{Name: "🎁", ID: id.New[Owner]()}
	got := c.base(Product)
	if _, broken := Check(string(got)); broken != nil || !strings.HasPrefix(string(got), "product-") || len(got) != 16 {
		t.Errorf("the slug is %q", got)
	}
}

// A claim with a given slug may take what another claim of the batch gives up, unless that one fails.
func TestChooseGiven_swapsWithinABatch(t *testing.T) {
	choose := func(claims ...*Claim) {
		c := &chooser{claims: claims, used: map[Slug]*Claim{}, holders: map[Slug]holder{
			"a": {1, true}, "b": {2, true}, "c": {3, true}, "old": {3, false}}}
		c.chooseGiven()
	}

	first, second := &Claim{Key: 1, Present: "a", Given: "b"}, &Claim{Key: 2, Present: "b", Given: "a"}
	choose(first, second)
	if first.Slug != "b" || second.Slug != "a" {
		t.Errorf("a swap gives %q and %q", first.Slug, second.Slug)
	}

	first, second = &Claim{Key: 1, Present: "a", Given: "b"}, &Claim{Key: 2, Present: "b", Given: "c"}
	choose(first, second)
	if !first.IsTaken || !second.IsTaken {
		t.Errorf("b is still that of 2: %+v, %+v", first, second)
	}

	first, second = &Claim{Given: "old"}, &Claim{Given: "old"}
	choose(first, second)
	if first.Slug != "old" || !second.IsTaken {
		t.Errorf("a former slug goes to the first: %+v, %+v", first, second)
	}
}
