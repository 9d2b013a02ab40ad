package order

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// submitAs submits a draft with a contact after the clock of the fixture has moved on.
func (s *fixture) submitAs(o Order, name, phone, email string) Order {
	s.Helper()
	s.Clock.Advance(time.Minute)
	e := Edit{Contact: ContactEdit{Name: &name, Phone: &phone, Email: &email}}
	s.Write(func(tx store.Tx) (err error) {
		o, err = s.Submit(s.Context(), tx, s.Store, o.ID, e, Caller{AllOrders: true}, "")
		return err
	})
	return o
}

func (s *fixture) list(f Filter, at *Position, limit int) (p Part) {
	s.Helper()
	s.Write(func(tx store.Tx) (err error) {
		p, err = s.List(s.Context(), tx, s.Store, f, at, limit)
		return err
	})
	return p
}

func (s *fixture) totals(f Filter) (t Totals) {
	s.Helper()
	s.Write(func(tx store.Tx) (err error) {
		t, err = s.Totals(s.Context(), tx, f)
		return err
	})
	return t
}

// numbers returns the numbers of the orders of a part: "3 1".
func numbers(p Part) string {
	var words []string
	for i := range p.Orders {
		words = append(words, fmt.Sprint(*p.Orders[i].Number))
	}
	return strings.Join(words, " ")
}

func TestList_sortsSubmittedOrdersByTheSubmission(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		p := s.createProduct("Shirt", 1990_0000, nil)
		first := s.createDraft(line(p, 1))
		second := s.createDraft(line(p, 2), line(s.createProduct("Cap", 1, nil), 1))
		s.submitAs(second, "Boris", "", "boris@example.com")
		s.submitAs(first, "Anna", "+79123456789", "")
		s.createDraft(line(p, 3))

		list := s.list(Filter{Submitted: true}, nil, 10)
		if got := numbers(list); got != "2 1" || !slices.Equal(list.ItemCounts, []int64{1, 2}) {
			s.Errorf("the orders are %s with %v items, want 2 1 with 1 and 2", got, list.ItemCounts)
		}
		if list.Older != nil || list.Newer != nil {
			s.Errorf("the only part has neighbours: %+v", list)
		}

		carts := s.list(Filter{State: Draft}, nil, 10)
		if len(carts.Orders) != 1 || carts.Orders[0].Total != 3*1990_0000 || carts.ItemCounts[0] != 1 {
			s.Errorf("the carts are %+v", carts)
		}
	})
}

func TestList_continuesInBothDirections(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		p := s.createProduct("Shirt", 1, nil)

		s.Write(func(tx store.Tx) error {
			for range 7 { // at the same time, so that the key decides
				o, _, err := s.Create(s.Context(), tx, s.Store, Edit{Items: &[]Line{line(p, 1)}}, Caller{})
				if err == nil {
					_, err = s.Submit(s.Context(), tx, s.Store, o.ID, Edit{}, Caller{AllOrders: true}, "")
				}
				if err != nil {
					return err
				}
			}

			return nil
		})

		for _, f := range []Filter{{Submitted: true}, {Submitted: true, State: Submitted}} {
			var seen []string
			part := s.list(f, nil, 3)
			for {
				seen = append(seen, numbers(part))
				if part.Older == nil {
					break
				}
				part = s.list(f, part.Older, 3)
			}

			if got := strings.Join(seen, ", "); got != "7 6 5, 4 3 2, 1" {
				s.Errorf("%+v: the parts are %s", f, got)
			}
			if part = s.list(f, part.Newer, 3); numbers(part) != "4 3 2" || part.Older == nil || part.Newer == nil {
				s.Errorf("%+v: before the last part is %s (%v, %v)", f, numbers(part), part.Newer, part.Older)
			}
			if part = s.list(f, part.Newer, 3); numbers(part) != "7 6 5" || part.Newer != nil || part.Older == nil {
				s.Errorf("%+v: the first part is %s (%v, %v)", f, numbers(part), part.Newer, part.Older)
			}
		}
	})
}

// searchCases are queries and the numbers of the orders of createSearched that they find.
var searchCases = map[string]string{
	"": "3 2 1", "1": "3 1", "2": "2", "anna": "3 1", "ANNA": "3 1", "ann bel": "1", "иван": "2", "Иванов ИВАН": "2",
	"anna иван":    "",
	"+79123456789": "1", "7912345": "1", "+7 (912) 345-67-89": "1", "8800555": "2", "8005553535": "",
	"anna.bell@example.com": "1", "Anna.Bell@Exam": "1", "bell": "1", "example": "2 1", "пример.рф": "", "!!!": "",
	"_": "", "50%": "", "x_y@example.com": "2", "xay@example.com": "", "AB-12": "3 1", "ab": "3 1", "12": "3 1",
	"cd": "3 2",
}

// createSearched creates the orders of searchCases.
func (s *fixture) createSearched() {
	s.Helper()
	shirt := s.createSKU("Shirt", "AB-12/XL")
	pants := s.createSKU("Pants", "CD 9")
	s.submitAs(s.createDraft(line(shirt, 1)), "Anna Bell", "+79123456789", "Anna.Bell@example.com")
	s.submitAs(s.createDraft(line(pants, 2)), "Иван Иванов", "88005553535", "x_y@example.com")
	s.submitAs(s.createDraft(line(pants, 1), line(shirt, 1)), "Marie-Anna", "", "m@shop.example")
}

func (s *fixture) createSKU(name, sku string) catalog.Product {
	s.Helper()
	price := money.Money(100_0000)
	return s.catalog.CreateProduct(name, price,
		catalog.ProductEdit{Variants: &[]catalog.VariantEdit{{Price: new(money.NewPrice(price)), SKU: &sku}}})
}

// Orders are found at once, before the worker has indexed them, and in the same way afterwards.
func TestList_findsOrdersBeforeAndAfterTheyAreIndexed(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.createSearched()

		check := func(when string) {
			s.Helper()
			for q, want := range searchCases {
				if got := numbers(s.list(Filter{Submitted: true, Search: q}, nil, 10)); got != want {
					s.Errorf("%s: %q finds %q, want %q", when, q, got, want)
				}

				f := Filter{Submitted: true, Search: q}
				totals := s.totals(f)
				if totals.Orders != int64(len(strings.Fields(want))) {
					s.Errorf("%s: %q finds %d orders, want %q", when, q, totals.Orders, want)
				}
				if got, ok := s.list(f, nil, 10).Totals(f); !ok || !cmp.Equal(got, totals) {
					s.Errorf("%s: %q: the part has the totals %v, want %v", when, q, got, totals)
				}

				var list []Order
				s.Write(func(tx store.Tx) (err error) {
					list, _, err = s.Orders(s.Context(), tx, s.Store, Filter{Search: q}, 10, 0)
					return err
				})
				if got := numbers(Part{Orders: list}); got != want {
					s.Errorf("%s: Orders finds %q by %q, want %q", when, got, q, want)
				}
			}
		}

		check("not indexed")

		// As older versions have stored them: without whole addresses and SKUs.
		s.Exec("UPDATE orders SET words = ' 1 anna bell' WHERE number = 1")
		if err := s.indexOrders(s.Context()); err != nil {
			s.Fatal(err)
		}

		check("indexed")
		s.maxCandidates = -1 // as if every word were common
		check("indexed, with common words")
		s.maxCandidates = store.MaxCandidates
		s.submitAs(s.createDraft(line(s.createSKU("Hat", "H1"), 1)), "Anna Late", "", "late@example.org")

		if got := numbers(s.list(Filter{Submitted: true, Search: "anna"}, nil, 10)); got != "4 3 1" {
			s.Errorf("anna finds %q, want the new order too", got)
		}
		if n := s.Count("search_words WHERE word = 'late'"); n != 0 {
			s.Errorf("%d words of the new order are indexed before the worker runs", n)
		}
		if err := s.indexOrders(s.Context()); err != nil {
			s.Fatal(err)
		}

		if got := numbers(s.list(Filter{Submitted: true, Search: "late"}, nil, 10)); got != "4" {
			s.Errorf("late finds %q, want the new order", got)
		}
	})
}

// toleratedCases are searches as people type them, with the numbers of the orders that they find.
var toleratedCases = map[string]string{
	"Семенова": "1", "семёнова": "1", "Семенвоа": "1", "Смёнова": "1", "Сименова": "1", "Семеноваа алена": "1",
	"8 (912) 345-67-89": "1", "89123456789": "1", "912 345-67-89": "1", "+7 912 3456789": "1", "3456789": "1",
	"345-67-89": "1", "6789": "1", "алена 6789": "1", "5789": "", "0000": "",
	"semenova@ex": "1", "Semenova@example.com": "1",
	"№ 2": "2", "#2": "2", "№2": "2", "заказ 2": "2", "order №2": "2",
	"алена": "1", "jorg": "2",
	"muller": "2", "Müller": "2", "mulelr": "2", "mülelr": "2", "Мюллер": "", "zzzz": "", "!!!": "",
}

// A search in the administration tolerates a typing error, missing diacritics, and phone numbers with another code, or
// only their ends.
func TestList_toleratesWhatPeopleTypeOtherwise(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		shirt := s.createSKU("Shirt", "AB-12/XL")
		s.submitAs(s.createDraft(line(shirt, 1)), "Семёнова Алёна", "+79123456789", "semenova@example.com")
		s.submitAs(s.createDraft(line(shirt, 1)), "Jörg Müller", "+493012345678", "jm@example.com")
		if err := s.indexOrders(s.Context()); err != nil {
			s.Fatal(err)
		}

		for q, want := range toleratedCases {
			f := Filter{Submitted: true, Search: q, Tolerant: true}
			if got := numbers(s.list(f, nil, 10)); got != want {
				s.Errorf("%q finds %q, want %q", q, got, want)
			}
			if totals := s.totals(f); totals.Orders != int64(len(strings.Fields(want))) {
				s.Errorf("%q counts %d orders, want %q", q, totals.Orders, want)
			}
		}

		// What is written exactly so is not corrected, even before it is indexed.
		s.submitAs(s.createDraft(line(shirt, 1)), "Семенива Алла", "", "a@example.com")
		if got := numbers(s.list(Filter{Submitted: true, Search: "Семенива", Tolerant: true}, nil, 10)); got != "3" {
			s.Errorf("the new order's name finds %q", got)
		}
		if got := numbers(s.list(Filter{Submitted: true, Search: "Сименова"}, nil, 10)); got != "" {
			s.Errorf("without tolerance a typing error finds %q", got)
		}
	})
}

// Four to nine digits find the number of an order and the end of a phone number alike, however many orders there are.
func TestList_findsNumbersAndTheEndsOfPhoneNumbers(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		shirt := s.createSKU("Shirt", "AB-12/XL")
		for _, phone := range []string{"+79120000001", "+79123456789", "+79120010678"} {
			s.submitAs(s.createDraft(line(shirt, 1)), "Anna", phone, "")
		}
		s.Exec("UPDATE orders SET number = 6789 WHERE number = 1")
		if err := s.indexOrders(s.Context()); err != nil {
			s.Fatal(err)
		}
		s.Exec("UPDATE order_word_progress SET number = 3, notes = 3")
		s.submitAs(s.createDraft(line(shirt, 1)), "Boris", "+79129996789", "") // not indexed

		for _, limit := range []int64{store.MaxCandidates, -1} {
			s.maxCandidates = limit
			for q, want := range map[string]string{
				"6789": "4 2 6789", "0678": "3", "10678": "3", "0010678": "3", "1678": "", "boris 6789": "4",
				"6789 anna": "2 6789", "№ 6789": "6789", "order 6789": "6789",
			} {
				f := Filter{Submitted: true, Search: q, Tolerant: true}
				if got := numbers(s.list(f, nil, 10)); got != want {
					s.Errorf("%q finds %q, want %q", q, got, want)
				}
				if totals := s.totals(f); totals.Orders != int64(len(strings.Fields(want))) {
					s.Errorf("%q counts %d orders, want %q", q, totals.Orders, want)
				}
			}
			if got := numbers(s.list(Filter{Submitted: true, Search: "6789"}, nil, 10)); got != "6789" {
				s.Errorf("without the ends of phone numbers, 6789 finds %q", got)
			}
		}
		s.Exec("UPDATE orders SET number = 1 WHERE number = 6789") // as before
	})
}

func TestList_filtersByStateAndTimeOfSubmission(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		p := s.createProduct("Shirt", 10_0000, nil)
		for range 3 {
			s.submitAs(s.createDraft(line(p, 1)), "Anna", "", "anna@example.com")
		}

		orders := s.list(Filter{Submitted: true}, nil, 10).Orders
		if err := s.changeState(orders[2], Confirmed); err != nil {
			s.Fatal(err)
		}
		if err := s.changeState(orders[1], Cancelled); err != nil {
			s.Fatal(err)
		}

		s.createDraft()
		second := *orders[1].SubmittedAt
		for want, f := range map[string]Filter{
			"3":   {Submitted: true, State: Submitted},
			"2":   {Submitted: true, State: Cancelled},
			"3 2": {Submitted: true, SubmittedFrom: second},
			"1":   {Submitted: true, SubmittedBefore: second, Search: "anna"},
		} {
			if got := numbers(s.list(f, nil, 10)); got != want {
				s.Errorf("%+v selects %s, want %s", f, got, want)
			}
		}

		if _, ok := s.list(Filter{Submitted: true}, nil, 2).Totals(Filter{}); ok {
			s.Error("a part has the totals of the whole list")
		}

		for want, f := range map[string]Filter{
			"{3 false [{RUB 200000}]}": {Submitted: true},
			"{1 false [{RUB 100000}]}": {Submitted: true, State: Cancelled},
			"{1 false []}":             {State: Draft},
			"{2 false [{RUB 100000}]}": {Submitted: true, SubmittedFrom: second, Search: "anna"},
		} {
			if got := strings.ReplaceAll(fmt.Sprint(s.totals(f)), s.Store.Currency, "RUB"); got != want {
				s.Errorf("%+v: the totals are %s, want %s", f, got, want)
			}
		}

		var totals StateTotals
		s.Write(func(tx store.Tx) (err error) {
			totals, err = s.TotalsByState(s.Context(), tx, time.Time{}, time.Time{})
			return err
		})
		got := strings.ReplaceAll(fmt.Sprint(totals, totals.Submitted()), s.Store.Currency, "RUB")
		if want := "map[cancelled:{1 false [{RUB 100000}]} confirmed:{1 false [{RUB 100000}]} draft:{1 false []} " +
			"submitted:{1 false [{RUB 100000}]}] {3 false [{RUB 200000}]}"; got != want {
			s.Errorf("the totals are %s, want %s", got, want)
		}
	})
}

// Orders every quarter of an hour over some days are counted as the period says, whatever its bounds.
func TestTotalsByState_countsThePeriod(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		start := s.Clock.Now().Truncate(daySpan)
		p := s.createProduct("Shirt", 10_0000, nil)
		var at []time.Time
		for i := range 40 {
			s.Clock.Set(start.Add(time.Duration(i) * 105 * time.Minute))
			at = append(at, s.Clock.Now())
			s.createSubmitted(line(p, 1))
		}

		for _, bounds := range [][2]time.Duration{{0, daySpan}, {3 * time.Hour, 5 * time.Hour},
			{-3 * time.Hour, 2 * daySpan},
			{5*time.Hour + 30*time.Minute, 2*daySpan + 15*time.Minute}, {21 * time.Hour, daySpan + 21*time.Hour},
			{daySpan, daySpan}, {23 * time.Hour, 25 * time.Hour}, {-daySpan, 5 * daySpan}} {
			from := start.Add(bounds[0])
			before := start.Add(bounds[1])
			want := int64(0)
			for _, t := range at {
				if !t.Before(from) && t.Before(before) {
					want++
				}
			}

			for _, open := range [][2]time.Time{{from, before}, {from, {}}, {{}, before}} {
				want := want
				if open[0].IsZero() || open[1].IsZero() {
					want = 0
					for _, t := range at {
						if !t.Before(open[0]) && (open[1].IsZero() || t.Before(open[1])) {
							want++
						}
					}
				}

				var totals StateTotals
				s.Write(func(tx store.Tx) (err error) {
					totals, err = s.TotalsByState(s.Context(), tx, open[0], open[1])
					return err
				})
				if got := totals[Submitted].Orders; got != want {
					s.Errorf("from %v to %v: %d orders, want %d", open[0], open[1], got, want)
				}
			}
		}
	})
}

// The sum of a few orders with the largest total does not fit an int64.
func TestTotals_doNotOverflow(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		p := s.createProduct("Shirt", 1, nil)
		s.submitAs(s.createDraft(line(p, 1)), "Anna", "", "anna@example.com")
		s.submitAs(s.createDraft(line(p, 1)), "Anna", "", "anna@example.com")
		s.Exec("UPDATE orders SET total = 9223372036854775807")
		if got := s.totals(Filter{Submitted: true}); got.Orders != 2 || got.Sums[0].Total != 1<<63-1 {
			s.Errorf("the totals are %+v", got)
		}
		s.Exec("UPDATE orders SET total = 1") // as before
	})
}

func TestTotalsOfCustomers_leaveOutDraftsAndCancelledOrders(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		anna := s.createCustomer()
		p := s.createProduct("Shirt", 10_0000, nil)
		s.createDraftAs(anna, line(p, 1))
		s.submitAs(s.createDraftAs(anna, line(p, 2)), "Anna", "", "anna@example.com")

		cancelled := s.submitAs(s.createDraftAs(anna, line(p, 3)), "Anna", "", "anna@example.com")
		if err := s.changeState(cancelled, Cancelled); err != nil {
			s.Fatal(err)
		}

		var totals map[int64]CustomerTotals
		s.Write(func(tx store.Tx) (err error) {
			totals, err = s.TotalsOfCustomers(s.Context(), tx, []int64{anna.CustomerKey, anna.CustomerKey + 1})
			return err
		})
		if got := totals[anna.CustomerKey]; len(totals) != 1 || got.Orders != 1 || got.Sums[0].Total != 20_0000 {
			s.Errorf("the totals are %+v", totals)
		}
	})
}

// A transition is refused if the order has changed since the operator read it, also if its state would allow it.
func TestCancel_refusesAnOrderThatHasChanged(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		stock := s.catalog.CreateStock("near")
		o := s.createSubmitted(line(s.createProduct("Shirt", 1, remaindersIn([]catalog.Stock{stock}, 5)), 2))
		var reserved []ReservedItem
		s.Write(func(tx store.Tx) (err error) {
			reserved, err = s.Reserved(s.Context(), tx, o.Key)
			return err
		})
		if len(reserved) != 1 || reserved[0] != (ReservedItem{o.Items[0].Key, "near", 2000}) {
			s.Errorf("the reservations are %+v", reserved)
		}

		if err := s.changeState(o, Confirmed); err != nil {
			s.Fatal(err)
		}

		err := s.TryWrite(func(tx store.Tx) error {
			_, err := s.Cancel(s.Context(), tx, s.Store, o.ID, func(v int64) bool { return v == o.Version }, "")
			return err
		})
		if fault.KindOf(err) != fault.Stale {
			s.Errorf("cancelling with an old version: %v", err)
		}
	})
}

// Orders are found by the words of the shop's notes and tags: at once, after they are indexed, and no more once a note
// is changed.
func TestList_findsOrdersByNotesAndTags(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		p := s.createProduct("Shirt", 1, nil)
		o := s.createSubmitted(line(p, 1))
		s.mustUpdate(o, Update{Note: new("Wants the green ribbon"), Tags: new([]string{"gift", "Оптовик"})})
		found := func(q string) (n int) {
			s.Helper()
			s.Read(func(tx store.Tx) error {
				part, err := s.List(s.Context(), tx, s.Store, Filter{Search: q, Submitted: true}, nil, 10)
				n = len(part.Orders)
				return err
			})
			return n
		}
		check := func(when string) {
			s.Helper()
			for _, q := range []string{"ribbon", "gift", "оптовик", "gre rib"} {
				if found(q) != 1 {
					s.Errorf("%s: %q finds no order", when, q)
				}
			}
		}

		check("before the order is indexed")
		if err := s.indexOrders(s.Context()); err != nil {
			s.Fatal(err)
		}
		check("after it is indexed")
		s.mustUpdate(o, Update{Note: new("Wants the blue ribbon")})
		if found("green") != 0 || found("blue") != 1 {
			s.Errorf("green finds %d orders and blue %d after the note has changed", found("green"), found("blue"))
		}
	})
}

// Orders are found by the words of their comments, as they come and after they are indexed: also those that a program
// indexed which did not know comments.
func TestList_findsOrdersByTheirComments(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.createCommented("Ring twice, Бергстрём", "Leave it with Jörg")
		s.createCommented(strings.Repeat("a ", maxCommentBytes/2)+"late", "")

		check := func(when string) {
			s.Helper()
			for q, want := range map[string]string{
				"ring": "1", "TWICE rin": "1", "бергстрем": "1", "jorg": "1", "leave anna": "1", "late": "",
				"ring late": "",
			} {
				f := Filter{Submitted: true, Search: q, Tolerant: true}
				if got := numbers(s.list(f, nil, 10)); got != want {
					s.Errorf("%s: %q finds %q, want %q", when, q, got, want)
				}
			}
		}
		check("not indexed")
		if err := s.indexOrders(s.Context()); err != nil {
			s.Fatal(err)
		}
		check("indexed")

		s.Exec("DELETE FROM search_words WHERE word NOT IN ('anna', '1', '2')")
		s.Exec("UPDATE orders SET words = ' 1 anna' WHERE number = 1")
		s.Exec("UPDATE order_word_progress SET notes = 0")
		if got := numbers(s.list(Filter{Submitted: true, Search: "ring"}, nil, 10)); got != "" {
			s.Errorf("ring finds %q before the comments are indexed", got)
		}
		if err := s.indexOrders(s.Context()); err != nil {
			s.Fatal(err)
		}
		check("indexed by a program without comments, and completed")
		if n := s.Count("order_word_progress WHERE notes = 2 AND number = 2"); n != 1 {
			s.Error("the progress of the comments is not that of the orders")
		}
	})
}

// createCommented creates and submits an order of Anna with comments.
func (s *fixture) createCommented(comment, delivery string) {
	s.Helper()
	o := s.createDraft(line(s.createProduct("Shirt", 1, nil), 1))
	e := Edit{Contact: ContactEdit{Name: new("Anna")}, Comment: &comment, Delivery: DeliveryEdit{Comment: &delivery}}
	s.Write(func(tx store.Tx) error {
		_, err := s.Submit(s.Context(), tx, s.Store, o.ID, e, Caller{AllOrders: true}, "")
		return err
	})
}

// The list is sorted by the total or from the oldest order in both directions, also in a period and for a tag, where
// only the newest orders are sorted.
func TestList_sorts(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		p := s.createProduct("Shirt", 10_0000, nil)
		for _, pieces := range []int{3, 1, 5, 1, 4, 2} {
			o := s.submitAs(s.createDraft(line(p, pieces)), "Anna", "", "anna@example.com")
			s.mustUpdate(o, Update{Tags: &[]string{"gift"}})
		}

		earliest := s.Clock.Now().Add(-time.Hour)
		for _, f := range []Filter{
			{Submitted: true}, {Submitted: true, State: Submitted}, {Submitted: true, Tag: "gift"},
			{Submitted: true, SubmittedFrom: earliest}, {Submitted: true, Search: "anna"},
			{Submitted: true, State: Submitted, Tag: "gift", SubmittedFrom: earliest},
		} {
			for sort, want := range map[Sort]string{ByNewest: "6 5, 4 3, 2 1", ByOldest: "1 2, 3 4, 5 6",
				ByLargest: "3 5, 1 6, 4 2", BySmallest: "2 4, 6 1, 5 3"} {
				f.Sort = sort
				var seen []string
				part := s.list(f, nil, 2)
				for {
					seen = append(seen, numbers(part))
					if part.Older == nil {
						break
					}
					part = s.list(f, part.Older, 2)
				}

				if got := strings.Join(seen, ", "); got != want {
					s.Errorf("%+v: the parts are %s, want %s", f, got, want)
				}
				if part = s.list(f, part.Newer, 2); numbers(part) != seen[1] {
					s.Errorf("%+v: before the last part is %s, want %s", f, numbers(part), seen[1])
				}
			}
		}

		s.createDraft(line(p, 1))
		if list := s.list(Filter{State: Draft, Sort: ByLargest}, nil, 2); len(list.Orders) != 1 {
			s.Errorf("a list of drafts that is to be sorted by the total has %d orders", len(list.Orders))
		}
	})
}
