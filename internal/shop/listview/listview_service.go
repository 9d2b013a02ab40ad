package listview

import (
	"context"

	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

// Of returns the views of a list that an operator sees, by name.
func Of(ctx context.Context, tx store.Tx, list List, operator access.OperatorID) (_ []View, err error) {
	defer fault.AddContext(&err, "read the views of %s", list)
	return selectViews(ctx, tx, list, operator)
}

// Find returns a view of a list that the operator sees, or fault.NotFound.
func Find(ctx context.Context, tx store.Tx, list List, viewID ID, by Author) (_ View, err error) {
	defer fault.AddContext(&err, "find view %s of %s", viewID, list)
	return find(ctx, tx, list, viewID, by, "")
}

func find(ctx context.Context, tx store.Tx, list List, viewID ID, by Author, lock string) (View, error) {
	v, err := selectView(ctx, tx, viewID, lock)
	switch {
	case err != nil:
		return View{}, err
	case v.List != list || !v.visible(by.Operator):
		return View{}, fault.Missing("view")
	}
	return v, nil
}

// Create saves a view of a list. It returns fault.Invalid naming each broken rule, fault.Denied if the view is to be
// shared and the author may not do that, and fault.Conflict if there are MaxViews.
func Create(ctx context.Context, tx store.Tx, list List, e Edit, by Author) (_ View, err error) {
	defer fault.AddContext(&err, "save a view of %s", list)
	if e.Name == nil {
		e.Name = new(string)
	}
	v, err := View{ID: id.New[View](), List: list, Owner: &by.Operator, Version: 1}.apply(e, by.Operator)
	if err != nil {
		return View{}, err
	}
	if err := by.mayChange(v); err != nil {
		return View{}, err
	}
	if err := checkCount(ctx, tx, v, by); err != nil {
		return View{}, err
	}

	if err := saveView(ctx, tx, v, insertView); err != nil {
		return View{}, err
	}
	return v, audit.Record(ctx, tx, entry(audit.ListViewCreated, View{Owner: v.Owner}, v))
}

// Change edits a view of a list. It returns the same faults as Create, fault.NotFound and fault.Stale.
func Change(
	ctx context.Context, tx store.Tx, before View, e Edit, by Author, pre fault.Precondition,
) (_ View, err error) {
	defer fault.AddContext(&err, "change view %s of %s", before.ID, before.List)
	before, err = find(ctx, tx, before.List, before.ID, by, tx.Dialect().ForUpdate)
	if err != nil {
		return View{}, err
	}
	if err := pre.Check(before.Version); err != nil {
		return View{}, err
	}

	after, err := before.apply(e, by.Operator)
	if err != nil {
		return View{}, err
	}
	for _, v := range []View{before, after} {
		if err := by.mayChange(v); err != nil {
			return View{}, err
		}
	}
	if !after.sameOwner(before) {
		if err := checkCount(ctx, tx, after, by); err != nil {
			return View{}, err
		}
	}

	after.Version++
	if err := saveView(ctx, tx, after, updateView); err != nil {
		return View{}, err
	}
	return after, audit.Record(ctx, tx, entry(audit.ListViewEdited, before, after))
}

// Delete deletes a view of a list, or returns fault.NotFound or fault.Denied.
func Delete(ctx context.Context, tx store.Tx, list List, viewID ID, by Author) (_ View, err error) {
	defer fault.AddContext(&err, "delete view %s of %s", viewID, list)
	v, err := find(ctx, tx, list, viewID, by, tx.Dialect().ForUpdate)
	if err != nil {
		return View{}, err
	}
	if err := by.mayChange(v); err != nil {
		return View{}, err
	}
	if err := deleteView(ctx, tx, viewID); err != nil {
		return View{}, err
	}
	return v, audit.Record(ctx, tx, entry(audit.ListViewDeleted, v, v))
}

// MayChange reports whether the author may change a view that they see.
func (by Author) MayChange(v View) bool { return v.Owner != nil || by.May(v.List.Write()) }

func (by Author) mayChange(v View) error {
	if by.MayChange(v) {
		return nil
	}
	return fault.New(fault.Denied, "forbidden",
		"Your role does not include this. Shared views are changed by those who may change what the list shows.")
}

// checkCount returns fault.Conflict if the owner of a new view has as many as allowed.
func checkCount(ctx context.Context, tx store.Tx, added View, by Author) error {
	views, err := selectViews(ctx, tx, added.List, by.Operator)
	if err != nil {
		return err
	}
	n := 0
	for _, v := range views {
		if v.sameOwner(added) {
			n++
		}
	}
	if n < MaxViews {
		return nil
	}
	return fault.New(fault.Conflict, "too_many_views", "A list has at most %d views of a kind; delete one first.",
		MaxViews)
}

// saveView writes a view. A default view becomes the only one of its owner. It returns fault.Conflict if another
// request makes another view the default one at the same time.
func saveView(ctx context.Context, tx store.Tx, v View, write func(context.Context, store.Tx, View) error) error {
	if v.IsDefault {
		if err := clearOtherDefaults(ctx, tx, v); err != nil {
			return err
		}
	}
	err := write(ctx, tx, v)
	if hasOtherDefault(err) {
		return fault.New(fault.Conflict, "other_default_view",
			"Another view has become the one that opens first meanwhile. Save again to replace it.")
	}
	return err
}

// Forget takes what somebody has told out of the views of the store: filters that have one of the addresses, or one of
// the names as a whole, and names of views with them.
func Forget(ctx context.Context, tx store.Tx, addresses contact.Set, names []string) (err error) {
	defer fault.AddContext(&err, "forget a person in the views of store %s", tx.StoreID())
	views, err := selectAllViews(ctx, tx)
	if err != nil {
		return err
	}

	p := told{addresses, names}
	batch := database.NewBatch(database.UUID, database.Text, database.Text)
	for i := range views {
		if p.forget(&views[i]) {
			batch.Add(views[i].ID, views[i].Name, views[i].Query)
		}
	}
	return forgetInViews(ctx, tx, batch)
}
