package pricelist

import (
	"context"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// Find returns one group, or fault.NotFound.
func (s *Groups) Find(ctx context.Context, tx store.Tx, groupID GroupID) (_ Group, err error) {
	defer fault.AddContext(&err, "find customer group %s", groupID)
	return selectGroup(ctx, tx, groupID, "")
}

// Create creates a group. It returns fault.Invalid naming each broken rule, or fault.Conflict if the external id is
// taken or the store has MaxGroups; the caller then rolls back.
func (s *Groups) Create(ctx context.Context, tx store.Tx, e GroupEdit) (_ Group, err error) {
	defer fault.AddContext(&err, "create customer group")

	currency, err := lockLists(ctx, tx)
	if err != nil {
		return Group{}, err
	}

	now := s.Now().UTC().Truncate(time.Microsecond)
	g := Group{ID: id.New[Group](), Version: 1, CreatedAt: now, UpdatedAt: now}
	var wrong rule.Violations
	e.apply(&g, &wrong)
	lists, err := checkLists(ctx, tx, e.PriceLists, currency, &wrong)
	if err != nil {
		return Group{}, err
	}
	if wrong.Fault() != nil {
		return Group{}, wrong.Fault()
	}

	if err := checkGroupCount(ctx, tx); err != nil {
		return Group{}, err
	}
	if err := insertGroup(ctx, tx, &g); err != nil {
		return Group{}, err
	}
	if err := catalog.FreeGroupKey(ctx, tx, g.Key); err != nil {
		return Group{}, err
	}
	if err := replaceGroupLists(ctx, tx, g.Key, lists.keys); err != nil {
		return Group{}, err
	}

	return g, audit.Record(ctx, tx, g.entry(audit.CustomerGroupCreated))
}

// Edit applies an edit. It returns fault.NotFound, fault.Stale, fault.Invalid naming each broken rule, or
// fault.Conflict if the external id is taken; the caller then rolls back.
func (s *Groups) Edit(
	ctx context.Context, tx store.Tx, groupID GroupID, e GroupEdit, pre fault.Precondition,
) (_ Group, err error) {
	defer fault.AddContext(&err, "edit customer group %s", groupID)

	currency, err := lockLists(ctx, tx)
	if err != nil {
		return Group{}, err
	}
	g, err := selectGroup(ctx, tx, groupID, tx.Dialect().ForUpdate)
	if err != nil {
		return Group{}, err
	}
	if err := pre.Check(g.Version); err != nil {
		return Group{}, err
	}

	was := g
	var wrong rule.Violations
	e.apply(&g, &wrong)
	lists, err := checkLists(ctx, tx, e.PriceLists, currency, &wrong)
	if err != nil {
		return Group{}, err
	}
	if wrong.Fault() != nil {
		return Group{}, wrong.Fault()
	}

	g.Version++
	g.UpdatedAt = s.UpdateTimeAfter(g.UpdatedAt)
	if err := updateGroup(ctx, tx, &g); err != nil {
		return Group{}, err
	}
	if e.PriceLists != nil {
		if err := replaceGroupLists(ctx, tx, g.Key, lists.keys); err != nil {
			return Group{}, err
		}
	}

	return g, audit.Record(ctx, tx, g.editEntry(&was, lists.names))
}

// Delete deletes a group. Its customers and keys have no group then. It returns fault.NotFound or fault.Stale; the
// caller then rolls back.
func (s *Groups) Delete(ctx context.Context, tx store.Tx, groupID GroupID, pre fault.Precondition) (err error) {
	defer fault.AddContext(&err, "delete customer group %s", groupID)

	g, err := selectGroup(ctx, tx, groupID, tx.Dialect().ForUpdate)
	if err != nil {
		return err
	}
	if err := pre.Check(g.Version); err != nil {
		return err
	}

	if err := audit.Record(ctx, tx, g.entry(audit.CustomerGroupDeleted)); err != nil {
		return err
	}
	if err := clearKeys(ctx, tx, g.Key); err != nil {
		return err
	}
	return s.DeleteCustomerGroup(ctx, tx, g.Key)
}

// knownLists are the price lists of a store.
type knownLists struct {
	keys  []int64 // of the lists that the edit names, in its order
	names map[catalog.PriceListID]string
}

// checkLists returns the lists that an edit of a group names. It adds violations for lists that the store does not have
// and for lists in another currency than the store's, which cannot be mixed with its prices.
func checkLists(
	ctx context.Context, tx store.Tx, named *[]catalog.PriceListID, currency string, wrong *rule.Violations,
) (known knownLists, err error) {
	byID, err := selectAllLists(ctx, tx)
	if err != nil {
		return knownLists{}, err
	}

	known.names = map[catalog.PriceListID]string{}
	for listID, l := range byID {
		known.names[listID] = l.Name
	}

	if named == nil {
		return known, nil
	}
	for i, listID := range *named {
		l := byID[listID]
		if broken := store.CheckPriceList(l.Currency, currency); broken != nil {
			wrong.Check("", string(rule.FieldPath("").Element("price_lists", i)), broken)
			continue
		}
		known.keys = append(known.keys, l.Key)
	}
	return known, nil
}

func checkGroupCount(ctx context.Context, tx store.Tx) error {
	n, err := countGroups(ctx, tx)
	if err != nil || n < MaxGroups {
		return err
	}
	return fault.New(fault.Conflict, "too_many_customer_groups",
		"A store has at most %d customer groups. Delete one that is not used any more.", MaxGroups)
}
