package pricelist

import (
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// MaxLists is the maximum number of price lists of a store.
const MaxLists = 100

// ListEdit is an edit of a price list. Nil members leave their fields unchanged.
type ListEdit struct {
	Name       *string
	ExternalID *string // "" removes it
	Currency   *string
}

// Check applies the edit's members to the list, and returns the rules that they break.
func (e ListEdit) Check(l *catalog.PriceList) []fault.Field {
	var wrong rule.Violations
	e.apply(l, &wrong)
	return wrong.Fields
}

// TooMany is the broken rule of a list that the store has no room for.
func TooMany() *fault.Field {
	return fault.Broken("too_many_price_lists",
		"A store has at most %d price lists. Delete one that is not used any more.", MaxLists)
}

// InUse is the broken rule of another currency for a list that groups or the setting of old prices use.
func InUse() *fault.Field {
	return fault.Broken("price_list_in_use", "Groups of customers or the old prices use this price list, so its "+
		"currency has to be the store's. Take the list out of them first.")
}

// apply applies the edit's members to the list, and adds broken rules to wrong.
func (e ListEdit) apply(l *catalog.PriceList, wrong *rule.Violations) {
	if l.Name == "" && e.Name == nil {
		wrong.NameRequired("", "price list")
	}
	wrong.Assign(&l.Name, e.Name, rule.Name, "", "name")
	wrong.AssignExternalID(&l.ExternalID, e.ExternalID, "")
	wrong.Assign(&l.Currency, e.Currency, store.CheckCurrency, "", "currency")
}

// listEntry returns what the log says about a price list.
func listEntry(l *catalog.PriceList, action audit.Action, changes ...audit.Change) audit.Entry {
	return audit.Entry{Action: action, Object: audit.Object{Kind: "price_list", ID: l.ID.String(), Label: l.Name},
		Changes: changes}
}

// listEditEntry returns what the log says about an edit of a price list. It has no action if nothing changed.
func listEditEntry(was, is *catalog.PriceList) audit.Entry {
	changes := audit.AppendChange(nil, "name", was.Name, is.Name)
	changes = audit.AppendOptional(changes, "external_id", was.ExternalID, is.ExternalID)
	changes = audit.AppendChange(changes, "currency", was.Currency, is.Currency)
	if len(changes) == 0 {
		return audit.Entry{}
	}
	return listEntry(is, audit.PriceListEdited, changes...)
}
