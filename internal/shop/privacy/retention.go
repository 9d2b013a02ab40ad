package privacy

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/periodic"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/inquiry"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

// retentionInterval is the time between two searches for data whose retention has ended.
const retentionInterval = time.Hour

// Run erases data whose retention has ended, at once and then every hour, until ctx ends; then it returns nil. Failures
// are logged, and the work is retried at the next interval.
func (s *Service) Run(ctx context.Context) error {
	var tasks []periodic.Task
	for _, t := range []struct {
		name      string
		retention time.Duration
		do        func(ctx context.Context) error
	}{
		{"erase old inquiries", s.InquiryRetention, s.EraseOldInquiries},
		{"erase inactive customers", s.CustomerRetention, s.EraseInactiveCustomers},
		{"erase personal data of old orders", s.OrderRetention, s.EraseOldOrders},
	} {
		if t.retention > 0 {
			tasks = append(tasks, periodic.Task{Name: t.name, Every: retentionInterval, Do: t.do})
		}
	}

	if len(tasks) == 0 {
		return nil
	}

	return periodic.Run(ctx, s.Log, tasks...)
}

// logErased logs how much a retention has erased, also if it failed after that.
func (s *Service) logErased(ctx context.Context, kind string, n int) {
	if n > 0 {
		s.Log.InfoContext(ctx, "a retention has ended; erased personal data", "kind", kind, "count", n)
	}
}

// EraseOldInquiries deletes the inquiries of all stores that are older than the retention.
func (s *Service) EraseOldInquiries(ctx context.Context) error {
	erased := 0
	defer func() { s.logErased(ctx, "inquiries", erased) }()

	before := s.Now().Add(-s.InquiryRetention)
	stores, err := database.Read(ctx, s.DB, func(q database.Querier) ([]store.ID, error) {
		return inquiry.StoresWithOld(ctx, q, before)
	})
	if err != nil {
		return err
	}

	for _, storeID := range stores {
		for more := true; more; {
			n, err := database.Write(ctx, s.DB, func(q database.Querier) (int, error) {
				tx := store.In(q, storeID)
				list, err := inquiry.Old(ctx, tx, before, chunkSize)
				if err != nil {
					return 0, err
				}
				return len(list), s.eraseInquiries(ctx, tx, list)
			})
			if err != nil {
				return err
			}

			erased += n
			more = n >= chunkSize
		}
	}

	return nil
}

// EraseOldOrders erases the personal data of orders that were completed or cancelled longer ago than the retention. The
// orders still belong to their customers.
func (s *Service) EraseOldOrders(ctx context.Context) error {
	erased := 0
	defer func() { s.logErased(ctx, "orders", erased) }()

	before := s.Now().Add(-s.OrderRetention)
	for {
		list, err := database.Read(ctx, s.DB, func(q database.Querier) ([]order.Finished, error) {
			return order.FinishedBefore(ctx, q, before, chunkSize)
		})
		if err != nil || len(list) == 0 {
			return err
		}

		keys := map[store.ID][]int64{}
		for _, f := range list {
			keys[f.StoreID] = append(keys[f.StoreID], f.Key)
		}

		for storeID, orders := range maps.All(keys) {
			slices.Sort(orders)

			r, err := database.Write(ctx, s.DB, func(q database.Querier) (Report, error) {
				tx := store.In(q, storeID)
				// The list is some time old: an order may have changed, or another node has erased it.
				finished, err := order.StillFinished(ctx, tx, orders, before)
				if err != nil {
					return Report{}, err
				}
				return s.eraseOrders(ctx, tx, finished, 0)
			})
			if err != nil {
				return err
			}

			erased += r.Orders
		}
	}
}

// EraseInactiveCustomers erases the customers of all stores who neither signed in nor ordered during the retention, as
// Erase does. A customer with an order that is not finished stays.
func (s *Service) EraseInactiveCustomers(ctx context.Context) error {
	erased := 0
	defer func() { s.logErased(ctx, "customers", erased) }()

	since := s.Now().Add(-s.CustomerRetention)
	var last customer.Inactive
	for {
		list, err := database.Read(ctx, s.DB, func(q database.Querier) ([]customer.Inactive, error) {
			return customer.InactiveSince(ctx, q, since, last, chunkSize)
		})
		if err != nil || len(list) == 0 {
			return err
		}

		for _, c := range list {
			n, err := s.eraseIfInactive(ctx, c, since)
			if err != nil {
				return err
			}
			erased += n
		}

		last = list[len(list)-1]
	}
}

// errActive ends the erasure of a customer who is not inactive.
var errActive = errors.New("the customer is active")

// eraseIfInactive erases a customer, unless there is a login, an order or an inquiry of theirs since the given time, or
// an order that is not finished. It returns how many customers it has erased: one or none.
func (s *Service) eraseIfInactive(ctx context.Context, c customer.Inactive, since time.Time) (int, error) {
	subject := Subject{CustomerID: c.ID}

	// Without locks first: a customer who only orders is looked at every hour.
	err := s.DB.Snapshot(ctx, func(q database.Querier) error {
		tx := store.In(q, c.StoreID)
		b, err := findBelongings(ctx, tx, subject, maxInquiries, customer.Find)
		if err != nil {
			return err
		}
		return b.checkInactive(ctx, tx, since, order.Personal)
	})
	var r Report
	if err == nil {
		r, err = s.erase(ctx, c.StoreID, store.Actor{Kind: store.ByRetention}, subject,
			func(ctx context.Context, tx store.Tx, b *belongings) error {
				return b.checkInactive(ctx, tx, since, order.LockPersonal)
			})
	}

	if errors.Is(err, errActive) || fault.KindOf(err) == fault.NotFound { // another node was faster
		return r.Customers, nil
	}

	return r.Customers, err
}

// checkInactive returns errActive unless the person is inactive since a time. read is order.Personal or
// order.LockPersonal.
func (b *belongings) checkInactive(
	ctx context.Context, tx store.Tx, since time.Time,
	read func(context.Context, store.Tx, []int64) ([]order.Order, error),
) error {
	for i := range b.customers {
		if b.customers[i].Guest {
			continue // whose orders are among those below
		}
		inactive, err := customer.IsInactive(ctx, tx, b.customers[i].Key, since)
		if err != nil {
			return err
		}
		if !inactive {
			return errActive
		}
	}

	for i := range b.inquiries {
		if !b.inquiries[i].CreatedAt.Before(since) {
			return errActive
		}
	}

	for chunk := range slices.Chunk(slices.Sorted(flatten(b.orders)), chunkSize) {
		orders, err := read(ctx, tx, chunk)
		if err != nil {
			return err
		}

		for i := range orders {
			o := &orders[i]
			// An erasure changes the order, too, but it is not the customer's doing.
			recent := !o.UpdatedAt.Before(since) && o.Contact.Name != order.ErasedName
			if recent || o.State == order.Submitted || o.State == order.Confirmed {
				return errActive
			}
		}
	}

	return nil
}

// flatten yields all values of the lists.
func flatten(lists map[int64][]int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for _, list := range lists {
			for _, v := range list {
				if !yield(v) {
					return
				}
			}
		}
	}
}
