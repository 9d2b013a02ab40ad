package pricelist

import (
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
