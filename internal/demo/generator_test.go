package demo_test

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/demo"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
)

func TestGenerator_isDeterministic(t *testing.T) {
	a, b := demo.NewGenerator(7), demo.NewGenerator(7)
	if diff := cmp.Diff(a.Features(), b.Features()) + cmp.Diff(a.Options(), b.Options()) +
		cmp.Diff(a.Categories(), b.Categories()) + cmp.Diff(a.Stocks(), b.Stocks()); diff != "" {
		t.Errorf("the references differ:\n%s", diff)
	}

	// The order and the goroutine in which products are generated make no difference.
	const n = 400
	made := make([]demo.Product, n)
	var wait sync.WaitGroup
	for part := range 4 {
		wait.Go(func() {
			for i := part; i < n; i += 4 {
				made[n-1-i] = a.Product(n - i)
			}
		})
	}

	wait.Wait()

	for i, p := range made {
		if diff := cmp.Diff(p, b.Product(i+1)); diff != "" {
			t.Fatalf("product %d differs:\n%s", i+1, diff)
		}
	}
}

func TestGenerator_differsBySeed(t *testing.T) {
	a, b := demo.NewGenerator(1), demo.NewGenerator(2)
	same := 0
	for i := 1; i <= 200; i++ {
		if a.Product(i).ExternalID != b.Product(i).ExternalID {
			t.Fatalf("product %d has the external ids %s and %s, which must not depend on the seed", i,
				a.Product(i).ExternalID, b.Product(i).ExternalID)
		}
		if a.Product(i).Name == b.Product(i).Name {
			same++
		}
	}
	if same > 2 {
		t.Errorf("%d of 200 products have the same name with another seed", same)
	}
}

// Generated products satisfy the validation rules of package catalog.
func TestGenerator_makesValidProducts(t *testing.T) {
	t.Run("English", func(t *testing.T) { checkProducts(t, demo.NewGenerator(3), "D-%06d", 1) })
	t.Run("Mixed", func(t *testing.T) { checkProducts(t, demo.NewGeneratorIn(demo.Mixed, 3), "D-%06d", 1) })
	t.Run("Russian", func(t *testing.T) { checkProducts(t, demo.NewGeneratorIn(demo.Russian, 3), "R-%06d", 2) })
}

// checkProducts checks products with external ids of a format and descriptions of some sentences, up to two more than
// the minimum.
func checkProducts(t *testing.T, g *demo.Generator, externalID string, sentences int) {
	t.Helper()
	skus, barcodes := map[string]bool{}, map[string]bool{}
	for i := 1; i <= 5_000; i++ {
		p := g.Product(i)
		wrong := func(format string, args ...any) {
			t.Helper()
			t.Fatalf("product %d %q: %s", i, p.Name, fmt.Sprintf(format, args...))
		}
		if want := fmt.Sprintf(externalID, i); p.ExternalID != want {
			wrong("the external id is %s, want %s", p.ExternalID, want)
		}

		if n := utf8.RuneCountInString(p.Name); n < 5 || n > 255 || p.Name != strings.TrimSpace(p.Name) ||
			strings.ContainsAny(p.Name, "%\t\n") || strings.Contains(p.Name, "  ") {
			wrong("invalid name")
		}

		if n := len(sentence.FindAllString(p.Description, -1)); n < sentences || n > sentences+2 ||
			strings.Contains(p.Description, "%!") {
			wrong("invalid description %q", p.Description)
		}

		if err := checkDistinct(p.Features, g.Features(), false); err != nil {
			wrong("%v", err)
		}

		for _, c := range p.Categories {
			if above := g.Categories()[c].Parent; above < 0 || g.Categories()[above].Parent < 0 {
				wrong("category %s is not a leaf", g.Categories()[c].Name)
			}
		}

		if p.Modifiers != "" && !json.Valid([]byte(p.Modifiers)) {
			wrong("invalid modifiers %s", p.Modifiers)
		}

		if len(p.Variants) < 1 || len(p.Variants) > 6 {
			wrong("it has %d variants", len(p.Variants))
		}

		combinations := map[string]bool{}
		for _, v := range p.Variants {
			if err := checkDistinct(v.Options, g.Options(), true); err != nil {
				wrong("%s: %v", v.SKU, err)
			}

			combination := fmt.Sprint(v.Options)
			if combinations[combination] || skus[v.SKU] {
				wrong("%s has the options or the SKU of another variant", v.SKU)
			}

			combinations[combination], skus[v.SKU] = true, true
			if cents := v.Price / 100 % 100; v.Price <= 0 || v.Price%100 != 0 || g.Language() == demo.English &&
				cents != 99 && cents != 90 || g.Language() == demo.Russian && cents != 0 {
				wrong("%s has the invalid price %d", v.SKU, v.Price)
			}
			if v.Barcode != "" && (barcodes[v.Barcode] || !isEAN13(v.Barcode)) {
				wrong("%s has the invalid or repeated barcode %s", v.SKU, v.Barcode)
			}
			barcodes[v.Barcode] = true

			stocks := map[int]bool{}
			for _, r := range v.Remainders {
				if stocks[r.Stock] || r.Stock >= len(g.Stocks()) || r.Quantity < 0 {
					wrong("%s has invalid remainders %v", v.SKU, v.Remainders)
				}
				stocks[r.Stock] = true
			}
		}

		if len(p.Variants) > 1 && combinations["[]"] {
			wrong("one of several variants has no options")
		}
	}
}

// sentence matches the end of a sentence, not the dot of an abbreviation.
var sentence = regexp.MustCompile(`\.( |$)`)

// isEAN13 reports whether a text has 13 digits, the last of which is the check digit of the others.
func isEAN13(text string) bool {
	sum := 0
	for i, c := range text {
		if c < '0' || c > '9' {
			return false
		}
		sum += int(c-'0') * (1 + i%2*2)
	}
	return len(text) == 13 && sum%10 == 0
}

// checkDistinct checks that the choices are valid and distinct. If single is set, each attribute may occur only once.
func checkDistinct(choices []demo.Choice, list []demo.Attribute, single bool) error {
	seen := map[demo.Choice]bool{}
	for _, c := range choices {
		if c.Attribute >= len(list) || c.Value >= len(list[c.Attribute].Values) {
			return fmt.Errorf("invalid choice %v", c)
		}
		if single {
			c.Value = 0
		}
		if seen[c] {
			return fmt.Errorf("%s occurs twice", list[c.Attribute].Name)
		}
		seen[c] = true
	}
	return nil
}

func TestGenerator_makesValidReferences(t *testing.T) {
	g := demo.NewGenerator(1)
	checkReferences(t, g)
	filterable := slices.DeleteFunc(slices.Clone(g.Features()), func(a demo.Attribute) bool { return !a.Filterable })
	if len(filterable) != len(g.Features())-1 || len(g.Options()) != 3 {
		t.Errorf("%d of %d features are filterable; %d options", len(filterable), len(g.Features()), len(g.Options()))
	}

	checkReferences(t, demo.NewGeneratorIn(demo.Russian, 1))
}

func checkReferences(t *testing.T, g *demo.Generator) {
	t.Helper()
	external := map[string]bool{}
	leaves := len(g.Categories())
	above := map[int]bool{}

	for i, c := range g.Categories() {
		if external[c.ExternalID] || c.Name == "" || c.Parent >= i {
			t.Errorf("invalid category %d: %+v", i, c)
		}
		external[c.ExternalID] = true
		if c.Parent >= 0 && !above[c.Parent] {
			above[c.Parent] = true
			leaves--
		}
	}

	if leaves < 130 || leaves > 160 {
		t.Errorf("there are %d leaves, want about 145", leaves)
	}

	ranges := 0
	for _, a := range slices.Concat(g.Features(), g.Options()) {
		values := map[string]bool{}
		for _, v := range a.Values {
			number, ok := money.ParseDecimal(v)
			if values[v] || v == "" || (a.FieldType == catalog.Range && !ok) ||
				(a.RangeType == catalog.Integer && !number.Whole()) {
				t.Errorf("%s %s has the invalid or duplicate value %q", a.Kind, a.Name, v)
			}
			values[v] = true
		}

		if len(values) == 0 {
			t.Errorf("%s %s has no values", a.Kind, a.Name)
		}

		if a.FieldType == catalog.Range {
			ranges++
		}
	}

	if ranges < 2 || len(g.Stocks()) != 3 {
		t.Errorf("%d of %d features are ranges; %d stocks", ranges, len(g.Features()), len(g.Stocks()))
	}
}

// The mixed catalogue is the English one in which a tenth of the products are others, with Cyrillic names.
func TestGenerator_mixesAlphabets(t *testing.T) {
	const n = 5_000
	english, mixed := demo.NewGenerator(5), demo.NewGeneratorIn(demo.Mixed, 5)
	cyrillic := 0
	for i := 1; i <= n; i++ {
		p := mixed.Product(i)
		if strings.ContainsFunc(p.Name, func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) }) {
			cyrillic++
		} else if q := english.Product(i); p.Name != q.Name || p.Variants[0].SKU != q.Variants[0].SKU {
			t.Fatalf("product %d is %q in the mixed catalogue and %q in the English one", i, p.Name, q.Name)
		}
	}
	if cyrillic < n*8/100 || cyrillic > n*12/100 {
		t.Errorf("%d of %d names are in Cyrillic, want a tenth", cyrillic, n)
	}
}

// The distributions are skewed as in a real shop: some categories and values have far more products than others.
func TestGenerator_hasSkewedDistributions(t *testing.T) {
	const n = 20_000
	g := demo.NewGenerator(5)
	byLeaf, byFeature := map[int]int{}, map[string]int{}
	var variants, cyrillic, soldOut, notKept, several, modified, twoLeaves, inStock, zeroes int
	var prices []float64
	values := map[demo.Choice]int{}

	for i := 1; i <= n; i++ {
		p := g.Product(i)
		byLeaf[p.Categories[0]]++
		if len(p.Categories) > 1 {
			twoLeaves++
		}

		seen := map[int]bool{}
		for _, c := range p.Features {
			values[c]++
			if seen[c.Attribute] {
				several++
				continue
			}
			seen[c.Attribute] = true
			byFeature[g.Features()[c.Attribute].Name]++
		}

		if strings.ContainsFunc(p.Name, func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) }) {
			cyrillic++
		}

		if p.Modifiers != "" {
			modified++
		}

		left := money.Quantity(0)
		kept := true
		for _, v := range p.Variants {
			variants++
			prices = append(prices, math.Log(float64(v.Price)))
			kept = kept && len(v.Remainders) > 0
			inStock += len(v.Remainders)

			for _, r := range v.Remainders {
				left += r.Quantity
				if r.Quantity == 0 {
					zeroes++
				}
			}
		}

		if !kept {
			notKept++
		} else if left == 0 {
			soldOut++
		}
	}

	counts := make([]int, 0, len(byLeaf))
	for _, c := range byLeaf {
		counts = append(counts, c)
	}

	slices.Sort(counts)
	slices.Reverse(counts)
	onePercent := 0
	for _, c := range counts {
		if c*100 >= n {
			onePercent++
		}
	}

	share := func(what string, got int, of int, from, to float64) {
		t.Helper()
		if part := float64(got) / float64(of); part < from || part > to {
			t.Errorf("%s: %.4f, want %.3f to %.3f", what, part, from, to)
		}
	}
	share("the most popular leaf", counts[0], n, 0.04, 0.06)
	share("the least popular leaf", counts[len(counts)-1], n, 0.0005, 0.003)
	share("leaves of at least 1 %", onePercent, len(counts), 0.1, 0.25)
	share("leaves with products", len(counts), 150, 0.95, 1.05)
	share("products in two leaves", twoLeaves, n, 0.001, 0.01)
	share("variants of a product", variants, n, 1.8, 2.2)
	if cyrillic > 0 {
		t.Errorf("%d names of the English catalogue are in Cyrillic", cyrillic)
	}
	share("products sold out", soldOut, n, 0.08, 0.12)
	share("products with a variant whose stock is not kept", notKept, n, 0.03, 0.2)
	share("remainders of a variant", inStock, variants, 1.7, 2.3)
	share("remainders of zero", zeroes, inStock, 0.1, 0.25)
	share("second values of a feature", several, n, 0.1, 0.6)
	share("products with modifiers", modified, n, 0.05, 0.2)

	for _, name := range []string{
		"Brand", "Colour", "Material", "Country", "Season", "Rating class", "Weight, kg", "Warranty, months",
	} {
		share("products with "+name, byFeature[name], n, 0.55, 1)
	}

	for _, name := range []string{
		"Screen, inches", "Power, W", "Shoe width", "Language", "Age", "Diet", "Pet", "Care note",
	} {
		share("products with "+name, byFeature[name], n, 0.02, 0.2)
	}

	for i, a := range g.Features() {
		most, all := 0, 0
		for v := range a.Values {
			most = max(most, values[demo.Choice{Attribute: i, Value: v}])
			all += values[demo.Choice{Attribute: i, Value: v}]
		}

		if most*len(a.Values) < 2*all && len(a.Values) > 7 {
			t.Errorf("the most popular value of %s is on %d of %d products; with %d values this is not skewed", a.Name,
				most, all, len(a.Values))
		}
	}

	slices.Sort(prices)

	if median, mean := math.Exp(prices[len(prices)/2])/10000, sum(prices)/float64(len(prices)); median < 15 ||
		median > 80 || math.Abs(math.Exp(mean)/10000-median) > 15 {
		t.Errorf("the median price is %.2f, the geometric mean %.2f", median, math.Exp(mean)/10000)
	}
}

func sum(list []float64) (s float64) {
	for _, x := range list {
		s += x
	}
	return s
}
