package audit_test

import (
	"fmt"
	"testing"
	"time"

	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/storetest"
)

func TestList_filtersAndPrunes(t *testing.T) {
	storetest.Each(t, func(f *storetest.Fixture) {
		f = f.WithStore(f.NewStore(store.Edit{Timezone: new("UTC")}))
		s := &audit.Service{Now: f.Clock.Now}
		anna := store.Actor{Kind: store.ByOperator, ID: "1", Name: "anna@shop.example"}
		start := f.Clock.Now()

		for i := range 4 {
			f.Write(func(tx store.Tx) error {
				by := anna
				kind := "order"
				action := audit.OrderConfirmed
				if i%2 == 1 {
					by = store.Actor{Kind: store.ByCommand}
					kind = "key"
					action = audit.KeyChanged
				}

				return audit.Record(f.Context(), tx.By(by, f.Clock.Now()), audit.Entry{Action: action,
					Object:  audit.Object{Kind: kind, ID: fmt.Sprint(i), Label: "<b>"},
					Changes: []audit.Change{{Field: "state", From: "a", To: "b"}}})
			})

			f.Clock.Advance(time.Hour)
		}

		list := func(filter audit.Filter, limit int) (ids string, last audit.Position, more bool) {
			f.Read(func(tx store.Tx) error {
				records, m, err := s.List(f.Context(), tx, filter, limit)
				for _, r := range records {
					ids += r.Object.ID
					last = r.Position()
				}
				more = m
				return err
			})

			return ids, last, more
		}

		first, last, more := list(audit.Filter{}, 3)
		rest, _, moreAgain := list(audit.Filter{Before: last}, 3)
		if first != "321" || !more || rest != "0" || moreAgain {
			f.Errorf("the pages are %s, %t and %s, %t", first, more, rest, moreAgain)
		}

		for want, filter := range map[string]audit.Filter{
			"20": {By: anna}, "31": {ObjectKinds: []string{"key"}}, "3210": {ObjectKinds: []string{"key", "order"}},
			"21": {From: start.Add(time.Hour), Until: start.Add(3 * time.Hour)},
			"":   {By: anna, ObjectKinds: []string{"key"}},
		} {
			if got, _, _ := list(filter, 9); got != want {
				f.Errorf("%+v: got %s, want %s", filter, got, want)
			}
		}

		if err := s.Prune(f.Context(), f.DB, 2*time.Hour+time.Minute); err != nil {
			f.Fatal(err)
		}
		if got, _, _ := list(audit.Filter{}, 9); got != "32" {
			f.Errorf("after pruning the log has %s, want 32", got)
		}
	})
}
