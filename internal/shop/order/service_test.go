package order

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// Errors of use-cases name the operation and wrap the fault unchanged.
func TestUseCases_wrapFaultsWithContext(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		orderID := id.New[Order]()
		itemID := id.New[Item]()
		all := Caller{AllOrders: true}

		variant := line(s.createProduct("Shirt", 1, nil), 1)
		for context, call := range map[string]func(tx store.Tx) error{
			"read order ": func(tx store.Tx) error {
				_, err := s.Order(s.Context(), tx, s.Store, orderID, all)
				return err
			},
			"edit order ": func(tx store.Tx) error {
				_, err := s.Edit(s.Context(), tx, s.Store, orderID, Edit{}, all, nil)
				return err
			},
			"add item to order ": func(tx store.Tx) error {
				_, _, err := s.AddItem(s.Context(), tx, s.Store, orderID, variant, all)
				return err
			},
			"edit item " + itemID.String() + " of order ": func(tx store.Tx) error {
				_, err := s.EditItem(s.Context(), tx, s.Store, orderID, itemID, 1000, all, nil)
				return err
			},
			"remove item " + itemID.String() + " from order ": func(tx store.Tx) error {
				return s.RemoveItem(s.Context(), tx, s.Store, orderID, itemID, all, nil)
			},
			"submit order ": func(tx store.Tx) error {
				_, err := s.Submit(s.Context(), tx, s.Store, orderID, Edit{}, all, "")
				return err
			},
			"confirm order ": func(tx store.Tx) error {
				_, err := s.Confirm(s.Context(), tx, s.Store, orderID, nil, "")
				return err
			},
			"complete order ": func(tx store.Tx) error {
				_, err := s.Complete(s.Context(), tx, s.Store, orderID, nil, "")
				return err
			},
			"cancel order ": func(tx store.Tx) error {
				_, err := s.Cancel(s.Context(), tx, s.Store, orderID, nil, "")
				return err
			},
		} {
			err := s.TryWrite(call)
			want := fault.Missing("order")
			var f *fault.Error
			if !errors.As(err, &f) || f.Kind != want.Kind || f.Code != want.Code || f.Message != want.Message {
				s.Errorf("%q: error %v, want the fault %v", context, err, want)
			} else if !strings.HasPrefix(err.Error(), context+orderID.String()+": ") {
				s.Errorf("error %q does not begin with %q and the id of the order", err, context)
			}
		}

		if _, _, err := s.tryCreateDraft(Line{VariantID: variant.VariantID,
			Quantity: maxQuantity + 1}); fault.KindOf(err) !=
			fault.Invalid || !strings.HasPrefix(err.Error(), "create order in store "+s.Store.ID.String()+": ") {
			s.Errorf("create with too large a quantity: %v", err)
		}
	})
}

func TestWaitingFor_readsSomeOrdersOfAVariantThatManyWaitFor(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		p := s.createProduct("Boots", 100, remaindersIn([]catalog.Stock{s.catalog.CreateStock("Near")}, 500))
		first := s.createSubmitted(line(p, 1))
		for range maxWaitingRead + 5 {
			s.createSubmitted(line(p, 1))
		}
		s.Read(func(tx store.Tx) error {
			waiting, err := s.WaitingFor(s.Context(), tx, []int64{p.Variants[0].Key})
			got := waiting[p.Variants[0].Key]
			if len(got.List) != maxWaitingRead+1 || !got.More || got.List[0].ID != first.ID {
				s.Errorf("%d orders were read, more: %t", len(got.List), got.More)
			}
			return err
		})
	})
}

func TestWaitingFor_listsTheOrdersOfEachVariant(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		stocks := []catalog.Stock{s.catalog.CreateStock("Near"), s.catalog.CreateStock("Far")}
		p := s.createProduct("Boots", 100, remaindersIn(stocks, 2, 3))
		other := s.createProduct("Socks", 100, remaindersIn(stocks, 9))
		first := s.createSubmitted(line(p, 4)) // from both stocks
		second := s.createSubmitted(line(p, 1), line(other, 2))

		done := s.createSubmitted(line(other, 1))
		if err := s.changeState(done, Cancelled); err != nil {
			s.Fatal(err)
		}

		s.Read(func(tx store.Tx) error {
			waiting, err := s.WaitingFor(s.Context(), tx, []int64{p.Variants[0].Key, other.Variants[0].Key})
			want := map[int64]WaitingOrders{
				p.Variants[0].Key: {List: []Waiting{{first.ID, *first.Number, 4000},
					{second.ID, *second.Number, 1000}}},
				other.Variants[0].Key: {List: []Waiting{{second.ID, *second.Number, 2000}}},
			}
			if diff := cmp.Diff(want, waiting); diff != "" {
				s.Errorf("waiting (-want +got):\n%s", diff)
			}

			return err
		})
	})
}
