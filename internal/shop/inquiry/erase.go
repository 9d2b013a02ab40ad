package inquiry

import (
	"cmp"
	"context"
	"slices"
	"time"

	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/store"
)

// OfPerson returns up to limit inquiries with one of the addresses, oldest first. Unlike WithContact it compares e-mail
// addresses without case, and phone numbers without the plus.
func OfPerson(ctx context.Context, tx store.Tx, addresses contact.Set, limit int) (list []Inquiry, err error) {
	defer fault.AddContext(&err, "list the inquiries of a person in store %s", tx.StoreID())
	if list, err = selectOfPerson(ctx, tx, addresses, limit); err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b Inquiry) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Key, b.Key))
	})
	list = slices.CompactFunc(list, func(a, b Inquiry) bool { return a.ID == b.ID })
	return list[:min(limit, len(list))], nil
}

// Erase deletes inquiries with their words in the search.
func Erase(ctx context.Context, tx store.Tx, list []Inquiry) (err error) {
	defer fault.AddContext(&err, "erase inquiries of store %s", tx.StoreID())
	return deleteInquiries(ctx, tx, list)
}

// StoresWithOld returns the stores that have inquiries from before the given time.
func StoresWithOld(ctx context.Context, q database.Querier, before time.Time) (list []store.ID, err error) {
	return selectStoresWithOld(ctx, q, before)
}

// Old returns up to limit inquiries of each kind from before the given time, oldest first.
func Old(ctx context.Context, tx store.Tx, before time.Time, limit int) (_ []Inquiry, err error) {
	defer fault.AddContext(&err, "list old inquiries of store %s", tx.StoreID())
	return selectOld(ctx, tx, before, limit)
}

// JSON returns the inquiry as responses show it: feedback or a callback request.
func (i *Inquiry) JSON(dates *locale.Dates) []byte {
	if i.Kind == KindCallback {
		c := i.callback()
		return c.AppendJSON(nil, dates)
	}
	f := i.feedback()
	return f.AppendJSON(nil, dates)
}

func (i *Inquiry) callback() Callback {
	return Callback{ID: CallbackID(i.ID), Name: i.Name, Phone: i.Phone, Comment: i.Text, PreferredTime: i.PreferredTime,
		CreatedAt: i.CreatedAt}
}

func (i *Inquiry) feedback() Feedback {
	return Feedback{ID: FeedbackID(i.ID), Name: i.Name, Email: i.Email, Phone: i.Phone, Message: i.Text, Extra: i.Extra,
		CreatedAt: i.CreatedAt}
}

// searched returns where the words of the inquiry are stored, and its text for the search.
func (i *Inquiry) searched() (store.Searched, string) {
	if i.Kind == KindCallback {
		c := i.callback()
		return store.SearchedCallbacks, c.searchText()
	}
	f := i.feedback()
	return store.SearchedFeedback, f.searchText()
}
