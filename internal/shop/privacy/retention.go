package privacy

import (
	"context"
	"maps"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/periodic"
	"vitrine/internal/shop/audit"
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

// EraseOldInquiries deletes the inquiries of all stores that are older than the retention.
func (s *Service) EraseOldInquiries(ctx context.Context) error {
	before := s.Now().Add(-s.InquiryRetention)
	stores, err := database.Read(ctx, s.DB, func(q database.Querier) ([]store.ID, error) {
		return inquiry.StoresWithOld(ctx, q, before)
	})
	if err != nil {
		return err
	}
	for _, storeID := range stores {
		for more := true; more; {
			more, err = database.Write(ctx, s.DB, func(q database.Querier) (bool, error) {
				tx := store.In(q, storeID)
				list, err := inquiry.Old(ctx, tx, before, chunkSize)
				if err != nil {
					return false, err
				}
				return len(list) >= chunkSize, s.eraseInquiries(ctx, tx, list)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// EraseOldOrders erases the personal data of orders that were completed or cancelled longer ago than the retention. The
// orders still belong to their customers.
func (s *Service) EraseOldOrders(ctx context.Context) error {
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
			err := s.DB.Write(ctx, func(q database.Querier) error {
				_, err := s.eraseOrders(ctx, store.In(q, storeID), orders, 0)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
}

// EraseInactiveCustomers erases the customers of all stores who neither signed in nor ordered during the retention, as
// Erase does. A customer with an order that is not finished stays.
func (s *Service) EraseInactiveCustomers(ctx context.Context) error {
	since := s.Now().Add(-s.CustomerRetention)
	if err := s.DB.Write(ctx, func(q database.Querier) error { return customer.SetUnknownSignIns(ctx, q) }); err != nil {
		return err
	}
	var last customer.Inactive
	for {
		list, err := database.Read(ctx, s.DB, func(q database.Querier) ([]customer.Inactive, error) {
			return customer.InactiveSince(ctx, q, since, last, chunkSize)
		})
		if err != nil || len(list) == 0 {
			return err
		}
		for _, c := range list {
			if err := s.eraseIfInactive(ctx, c, since); err != nil {
				return err
			}
		}
		last = list[len(list)-1]
	}
}

// eraseIfInactive erases a customer, unless there is an order or an inquiry of theirs since the given time, or an order
// that is not finished.
func (s *Service) eraseIfInactive(ctx context.Context, c customer.Inactive, since time.Time) error {
	subject := Subject{CustomerID: c.ID}
	active, err := database.Read(ctx, s.DB, func(q database.Querier) (bool, error) {
		return isActive(ctx, store.In(q, c.StoreID), subject, since)
	})
	if err == nil && !active {
		_, err = s.Erase(ctx, c.StoreID, audit.Actor{Kind: audit.ByRetention}, subject)
	}
	if fault.KindOf(err) == fault.NotFound {
		return nil // another node was faster
	}
	return err
}

func isActive(ctx context.Context, tx store.Tx, subject Subject, since time.Time) (active bool, err error) {
	p, err := find(ctx, tx, subject, customer.Find)
	if err != nil {
		return false, err
	}
	err = p.eachOrder(ctx, tx, func(o *order.Order) {
		open := o.State == order.Submitted || o.State == order.Confirmed
		// An erasure changes the order, too, but it is not the customer's doing.
		recent := !o.UpdatedAt.Before(since) && o.Contact.Name != order.ErasedName
		active = active || open || recent
	})
	if err != nil || active {
		return active, err
	}
	inquiries, err := inquiry.OfPerson(ctx, tx, p.addresses, maxInquiries)
	for i := range inquiries {
		active = active || !inquiries[i].CreatedAt.Before(since)
	}
	return active, err
}
