package order

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/modifier"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/promise"
)

const (
	wraps = `[{"id":"wrap","name":"Gift wrap","max":2,"items":[{"id":"paper","name":"Paper","price":50.5},` +
		`{"id":"card","name":"Card"}]}]`
	sizes = `[{"id":"size","name":"Size","required":true,"max":1,"items":[{"id":"s","name":"Small"},` +
		`{"id":"l","name":"Large","price":10}]}]`
)

// setModifiers replaces the modifiers of a product.
func (s *fixture) setModifiers(p catalog.Product, modifiers string) error {
	return s.TryWrite(func(tx store.Tx) error {
		_, err := s.catalog.Products.Edit(s.Context(), tx, p.ID, catalog.ProductEdit{Modifiers: &modifiers}, nil)
		return err
	})
}

func (s *fixture) createWithModifiers(name string, price money.Money, modifiers string) catalog.Product {
	s.Helper()
	p := s.createProduct(name, price, nil)
	if err := s.setModifiers(p, modifiers); err != nil {
		s.Fatal(err)
	}
	return p
}

// lineWith returns a line with modifiers such as "wrap/paper*2".
func lineWith(p catalog.Product, pieces int, modifiers string) Line {
	l := line(p, pieces)
	for word := range strings.FieldsSeq(modifiers) {
		c := modifier.Choice{Quantity: 1}
		name, number, found := strings.Cut(word, "*")
		if found {
			_, _ = fmt.Sscan(number, &c.Quantity)
		}
		c.GroupID, c.ItemID, _ = strings.Cut(name, "/")
		l.Modifiers = append(l.Modifiers, c)
	}
	return l
}

func (s *fixture) readBack(o Order) (read Order) {
	s.Helper()
	s.Read(func(tx store.Tx) (err error) {
		read, err = s.Order(s.Context(), tx, s.Store, o.ID, Caller{AllOrders: true})
		return err
	})
	return read
}

// summary returns a text such as "2000 × 1005000 [Gift wrap: Paper 505000 × 1]; total 2010000": the items with their
// modifiers and problems.
func summary(o Order) string {
	var b strings.Builder
	for i := range o.Items {
		item := &o.Items[i]
		price, _ := item.Price.Amount()
		fmt.Fprintf(&b, "%d × %d", item.Quantity, price)
		for _, m := range item.ModifierList() {
			fmt.Fprintf(&b, " [%s: %s %d × %d]", m.GroupName, m.Name, m.Price, m.Quantity)
		}
		for _, p := range o.Problems(item) {
			b.WriteString(" !" + p.Code)
		}
		b.WriteString("; ")
	}
	return fmt.Sprintf("%stotal %d", b.String(), o.Total)
}

func TestCart_linesWithOtherModifiersAreOtherLines(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		p := s.createWithModifiers("Shirt", 100_0000, wraps)
		o := s.createDraft(line(p, 1), lineWith(p, 1, "wrap/paper wrap/card"), lineWith(p, 2, "wrap/card wrap/paper"),
			lineWith(p, 1, "wrap/card"))
		const want = "1000 × 1000000; 3000 × 1505000 [Gift wrap: Paper 505000 × 1] [Gift wrap: Card 0 × 1]; " +
			"1000 × 1000000 [Gift wrap: Card 0 × 1]; total 6515000"
		if got := summary(o); got != want {
			s.Errorf("created as %s, want %s", got, want)
		}
		if got := summary(s.readBack(o)); got != want {
			s.Errorf("read as %s, want %s", got, want)
		}

		add := func(l Line) (added ItemID) {
			s.Write(func(tx store.Tx) (err error) {
				_, added, err = s.AddItem(s.Context(), tx, s.Store, o.ID, l, Caller{AllOrders: true})
				return err
			})
			return added
		}
		if id := add(lineWith(p, 1, "wrap/paper wrap/card")); id != o.Items[1].ID {
			s.Error("the same choice is added to another item")
		}
		other := add(lineWith(p, 1, "wrap/paper*2"))
		half := Line{VariantID: p.Variants[0].ID, Quantity: 500, Modifiers: lineWith(p, 1, "wrap/paper*2").Modifiers}
		if id := add(half); id != other {
			s.Error("the same choice is added to another item")
		}

		const added = "1000 × 1000000; 4000 × 1505000 [Gift wrap: Paper 505000 × 1] [Gift wrap: Card 0 × 1]; " +
			"1000 × 1000000 [Gift wrap: Card 0 × 1]; 1500 × 2010000 [Gift wrap: Paper 505000 × 2]; total 11035000"
		read := s.readBack(o)
		if got := summary(read); got != added {
			s.Errorf("after additions: %s, want %s", got, added)
		}

		s.Write(func(tx store.Tx) (err error) {
			lines := []Line{lineWith(p, 1, "wrap/paper*2"), line(p, 1)}
			o, err = s.Edit(s.Context(), tx, s.Store, o.ID, Edit{Items: &lines}, Caller{AllOrders: true}, nil)
			return err
		})
		if o.Items[0].ID != other || o.Items[1].ID != read.Items[0].ID || o.Total != 3010000 {
			s.Errorf("after an edit: %s", summary(o))
		}
	})
}

func TestCart_refusesModifiersThatAreNotPossible(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		wrapped := s.createWithModifiers("Shirt", 100_0000, wraps)
		sized := s.createWithModifiers("Coffee", 3_0000, sizes)
		dear := s.createWithModifiers("Gold", MaxTotal-5, `[{"id":"g","name":"G","items":[{"id":"i","name":"I",`+
			`"price":999999999999.9999}]}]`)
		plain := s.createProduct("Hat", 1, nil)
		for _, c := range []struct {
			line Line
			want string
		}{
			{lineWith(wrapped, 1, "wrap/bow"), "items[1].modifiers[0].item_id"},
			{lineWith(wrapped, 1, "wrap/paper size/s"), "items[1].modifiers[1].group_id"},
			{lineWith(wrapped, 1, "wrap/paper*3"), "items[1].modifiers"},
			{lineWith(plain, 1, "wrap/paper"), "items[1].modifiers[0].group_id"},
			{line(sized, 1), "items[1].modifiers"},
			{lineWith(sized, 1, "size/s size/l"), "items[1].modifiers"},
			{lineWith(dear, 1, "g/i"), "items[1].modifiers"},
			{lineWith(dear, 1, "g/i*999999999"), "items[1].modifiers"},
		} {
			_, _, err := s.tryCreateDraft(line(plain, 1), c.line)
			if got := faultSummary(err); got != "invalid "+c.want && !strings.HasSuffix(got, " "+c.want) ||
				fault.KindOf(err) != fault.Invalid {
				s.Errorf("%v: got %s, want %s", c.line.Modifiers, got, c.want)
			}
		}

		var many []Line
		for i := range MaxModifiers/modifier.MaxChoices + 1 {
			l := line(wrapped, i+1)
			l.Modifiers = slices.Repeat([]modifier.Choice{{GroupID: "wrap", ItemID: "card", Quantity: 1}},
				modifier.MaxChoices)
			many = append(many, l)
		}
		if _, _, err := s.tryCreateDraft(many...); !strings.Contains(fmt.Sprint(err), "at most 2000 modifiers") {
			s.Errorf("an order with too many modifiers: %v", err)
		}
		if n := s.Count("orders"); n != 0 {
			s.Errorf("%d carts were created", n)
		}
	})
}

func TestDraft_followsModifiersUntilItIsSubmitted(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		p := s.createWithModifiers("Shirt", 100_0000, wraps)
		o := s.createDraft(lineWith(p, 2, "wrap/paper wrap/card"))
		set := func(modifiers string) {
			s.Helper()
			if err := s.setModifiers(p, modifiers); err != nil {
				s.Fatal(err)
			}
		}
		want := func(want string) {
			s.Helper()
			if got := summary(s.readBack(o)); got != want {
				s.Errorf("got %s, want %s", got, want)
			}
		}

		set(`[{"id":"wrap","name":"Wrapping","items":[{"id":"card","name":"Card","price":1},` +
			`{"id":"paper","name":"Silk","price":60}]}]`)
		want("2000 × 1610000 [Wrapping: Card 10000 × 1] [Wrapping: Silk 600000 × 1]; total 3220000")

		set(`[{"id":"wrap","name":"Wrapping","max":1,"items":[{"id":"card","name":"Card"},` +
			`{"id":"paper","name":"Silk","price":60}]},{"id":"size","name":"Size","required":true}]`)
		want("2000 × 1600000 [Wrapping: Card 0 × 1] [Wrapping: Silk 600000 × 1] !too_many_modifiers " +
			"!modifier_required; total 3200000")
		_, err := s.submit(o)
		if got := faultSummary(err); fault.KindOf(err) != fault.Conflict ||
			got != "modifiers_unavailable items[0].modifiers items[0].modifiers" {
			s.Errorf("submit: %s", got)
		}

		set(`[{"id":"wrap","name":"Wrapping","items":[{"id":"paper","name":"Silk","price":60}]}]`)
		want("2000 × 1600000 [Wrapping: Silk 600000 × 1] [Gift wrap: Card 0 × 1] !unknown_modifier; total 3200000")
		set(`[]`)
		want("2000 × 1505000 [Gift wrap: Paper 505000 × 1] [Gift wrap: Card 0 × 1] !unknown_modifier_group " +
			"!unknown_modifier_group; total 3010000")
		if _, err = s.submit(o); fault.KindOf(err) != fault.Conflict {
			s.Errorf("submit: %v", err)
		}

		set(`[{"id":"wrap","name":"W","items":[{"id":"paper","name":"P","price":999999999999.9999},` +
			`{"id":"card","name":"C"}]}]`)
		want("2000 × 9999999999999999 [W: P 9999999999999999 × 1] [W: C 0 × 1] !out_of_range; " +
			"total 9999999999999999")
		if _, err = s.submit(o); fault.KindOf(err) != fault.Conflict {
			s.Errorf("submit: %v", err)
		}

		set(wraps)
		submitted, err := s.submit(o)
		if err != nil {
			s.Fatal(err)
		}
		const frozen = "2000 × 1505000 [Gift wrap: Paper 505000 × 1] [Gift wrap: Card 0 × 1]; total 3010000"
		if got := summary(submitted); got != frozen {
			s.Errorf("submitted as %s, want %s", got, frozen)
		}
		set("[]")
		want(frozen)
	})
}

func TestVisitor_ordersAtMostSoManyPiecesOfAVariantInAllLines(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.MaxLinePieces = 5
		p := s.createWithModifiers("Shirt", 100_0000, wraps)
		if _, _, err := s.tryCreateDraft(line(p, 3), lineWith(p, 3, "wrap/card")); faultSummary(err) !=
			"invalid items" && !strings.HasSuffix(faultSummary(err), " items") {
			s.Errorf("six pieces in two lines: %v", err)
		}

		o, token, err := s.tryCreateDraft(line(p, 3), lineWith(p, 2, "wrap/card"))
		if err != nil {
			s.Fatal(err)
		}
		try := func(fn func(tx store.Tx) error) error { return s.TryWrite(fn) }
		err = try(func(tx store.Tx) error {
			_, _, err := s.AddItem(s.Context(), tx, s.Store, o.ID, lineWith(p, 1, "wrap/paper"), Caller{Token: token})
			return err
		})
		if fault.KindOf(err) != fault.Invalid {
			s.Errorf("a sixth piece in another line: %v", err)
		}
		for quantity, refused := range map[money.Quantity]bool{4000: true, 2000: false} {
			err = try(func(tx store.Tx) error {
				_, err := s.EditItem(s.Context(), tx, s.Store, o.ID, o.Items[0].ID, quantity, Caller{Token: token}, nil)
				return err
			})
			if (fault.KindOf(err) == fault.Invalid) != refused || err != nil && !refused {
				s.Errorf("quantity %d: %v", quantity, err)
			}
		}
	})
}

func TestSubmit_reservesTheVariantForAllItsLines(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		stock := []catalog.Stock{s.catalog.CreateStock("near")}
		p := s.createProduct("Shirt", 100_0000, remaindersIn(stock, 5))
		if err := s.setModifiers(p, wraps); err != nil {
			s.Fatal(err)
		}

		_, err := s.submit(s.createDraft(line(p, 3), lineWith(p, 3, "wrap/card")))
		if got := faultSummary(err); got != "out_of_stock items[1]" {
			s.Errorf("submit: %s", got)
		}
		o := s.createSubmitted(line(p, 3), lineWith(p, 2, "wrap/paper"))
		if got := s.stockSummary(p); got != "0 = 5/5" {
			s.Errorf("the stock is %s", got)
		}
		if o.Total != 300_0000+301_0000 {
			s.Errorf("the total is %d", o.Total)
		}
		if err := s.changeState(o, Cancelled); err != nil {
			s.Fatal(err)
		}
		if got := s.stockSummary(p); got != "5 = 5/0" {
			s.Errorf("after the cancellation the stock is %s", got)
		}
	})
}

// modelGroup is a group of a product in the model: quantities from least to most are possible, or none at all.
type modelGroup struct {
	least, most int
	required    bool
	prices      []int64
}

func (g modelGroup) json(n int) string {
	var items []string
	for i, price := range g.prices {
		item := fmt.Sprintf(`{"id":"i%d","name":"Item %d"`, i, i)
		if price > 0 {
			item += fmt.Sprintf(`,"price":%d.%04d`, price/10000, price%10000)
		}
		items = append(items, item+"}")
	}
	text := fmt.Sprintf(`{"id":"g%d","name":"Group %d","min":%d,"required":%t,"items":[%s]`, n, n, g.least, g.required,
		strings.Join(items, ","))
	if g.most >= 0 {
		text += fmt.Sprintf(`,"max":%d`, g.most)
	}
	return text + "}"
}

// allows reports whether the sum of the quantities is possible.
func (g modelGroup) allows(sum int) bool {
	if sum == 0 {
		return !g.required
	}
	return sum >= g.least && (g.most < 0 || sum <= g.most)
}

// TestModifiers_followAModel creates carts with random choices of products with random groups, and submits them. A
// model says which are possible, and what they cost.
func TestModifiers_followAModel(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		rng := rand.New(rand.NewPCG(16, 34))
		for range promise.Repeat(5, 60) {
			price := rng.Int64N(1e7)
			groups := make([]modelGroup, rng.IntN(4))
			var texts []string
			for n := range groups {
				g := modelGroup{least: rng.IntN(3), most: -1, required: rng.IntN(4) == 0}
				if rng.IntN(2) == 0 {
					g.most = g.least + rng.IntN(3)
				}
				for range rng.IntN(4) {
					g.prices = append(g.prices, max(0, rng.Int64N(2e6)-1e6))
				}
				groups[n] = g
				texts = append(texts, g.json(n))
			}
			p := s.createWithModifiers("Product", money.Money(price), "["+strings.Join(texts, ",")+"]")

			for range 8 {
				s.checkAgainstModel(rng, p, price, groups)
			}
		}
	})
}

// checkAgainstModel creates and submits a cart with a random choice.
func (s *fixture) checkAgainstModel(rng *rand.Rand, p catalog.Product, price int64, groups []modelGroup) {
	s.Helper()
	l := Line{VariantID: p.Variants[0].ID, Quantity: money.Quantity(1 + rng.IntN(5000))}
	sums := make([]int, len(groups))
	want := price
	possible := true
	for range rng.IntN(6) {
		g := rng.IntN(len(groups) + 1)
		i := rng.IntN(4)
		quantity := 1 + rng.IntN(2)
		l.Modifiers = append(l.Modifiers, modifier.Choice{GroupID: fmt.Sprint("g", g), ItemID: fmt.Sprint("i", i),
			Quantity: int64(quantity)})
		if g == len(groups) || i >= len(groups[g].prices) {
			possible = false
			continue
		}
		sums[g] += quantity
		want += groups[g].prices[i] * int64(quantity)
	}
	for g := range groups {
		possible = possible && groups[g].allows(sums[g])
	}

	o, _, err := s.tryCreateDraft(l)
	if (err == nil) != possible || err != nil && fault.KindOf(err) != fault.Invalid {
		s.Errorf("choice %v of %+v: %v, want possible: %t", l.Modifiers, groups, err, possible)
	}
	if err != nil {
		return
	}

	submitted, err := s.submit(o)
	if err != nil {
		s.Fatal(err)
	}
	exact := new(big.Rat).Mul(big.NewRat(want, 1), big.NewRat(int64(l.Quantity), 1000))
	total, _ := new(big.Rat).SetString(exact.FloatString(0))
	for _, o := range []Order{o, submitted, s.readBack(submitted)} {
		if got, _ := o.Items[0].Price.Amount(); int64(got) != want ||
			total.Cmp(big.NewRat(int64(o.Total), 1)) != 0 {
			s.Errorf("choice %v of %+v for %d: price %d, total %d, want %d, %s", l.Modifiers, groups, price, got,
				o.Total, want, total.FloatString(0))
		}
	}
}

// A modifier is taken away while carts with it are submitted. Each submission either comes before the change, or is
// refused; an order is never frozen with the price of one version and the names of another.
func TestSubmit_andAModifierVanishesMeanwhile(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		for round := range promise.Repeat(3, 20) {
			p := s.createWithModifiers("Shirt", 100_0000, wraps)
			const carts = 6
			drafts := make([]Order, carts)
			for i := range drafts {
				drafts[i] = s.createDraft(lineWith(p, 1, "wrap/paper"))
			}

			done := make(chan error, 1)
			orders := make(chan Order, carts)
			for _, o := range drafts {
				go func() {
					submitted, err := s.submit(o)
					if err != nil && faultSummary(err) != "modifiers_unavailable items[0].modifiers" {
						s.Errorf("submit: %v", err)
					}
					orders <- submitted
				}()
			}
			go func() {
				renamed := strings.Replace(strings.Replace(wraps, "50.5", "70", 1), "Paper", "Silk", 1)
				err := s.setModifiers(p, renamed)
				if err == nil {
					err = s.setModifiers(p, "[]")
				}
				done <- err
			}()
			if err := <-done; err != nil {
				s.Fatal(err)
			}

			for range carts {
				if o := <-orders; o.State == Submitted {
					got := summary(o)
					if got != "1000 × 1505000 [Gift wrap: Paper 505000 × 1]; total 1505000" &&
						got != "1000 × 1700000 [Gift wrap: Silk 700000 × 1]; total 1700000" {
						s.Errorf("round %d: frozen as %s", round, got)
					}
					if read := summary(s.readBack(o)); read != got {
						s.Errorf("round %d: answered %s, stored %s", round, got, read)
					}
				}
			}
			if _, err := s.submit(s.firstDraft(drafts)); err == nil {
				s.Error("a cart is submitted with a modifier that is gone")
			}
		}
	})
}

// firstDraft returns one of the orders that is a draft, or a new one.
func (s *fixture) firstDraft(orders []Order) Order {
	for _, o := range orders {
		if read := s.readBack(o); read.State == Draft {
			return read
		}
	}
	return s.createDraft()
}
