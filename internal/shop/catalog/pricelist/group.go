package pricelist

import (
	"slices"
	"strings"
	"time"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/rule"
)

// MaxGroups is the maximum number of customer groups of a store.
const MaxGroups = 1000

// GroupID identifies a customer group.
type GroupID = id.Of[Group]

// Group is a group of customers with prices of their own.
type Group struct {
	Key        int64
	ID         GroupID
	ExternalID *string
	Name       string
	// PriceLists are the lists whose prices the group gets: of the first list that has a price of a variant.
	PriceLists []catalog.PriceListID
	// Version increases with every write of the group.
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Uses reports whether the group gets prices of a list.
func (g *Group) Uses(listID catalog.PriceListID) bool { return slices.Contains(g.PriceLists, listID) }

// GroupEdit is an edit of a group. Nil members leave their fields unchanged.
type GroupEdit struct {
	Name       *string
	ExternalID *string // "" removes it
	PriceLists *[]catalog.PriceListID
}

// apply applies the edit's members to the group, and adds broken rules to wrong. It does not check whether the lists
// exist.
func (e GroupEdit) apply(g *Group, wrong *rule.Violations) {
	if g.Name == "" && e.Name == nil {
		wrong.NameRequired("", "customer group")
	}
	wrong.Assign(&g.Name, e.Name, rule.Name, "", "name")
	wrong.AssignExternalID(&g.ExternalID, e.ExternalID, "")

	if e.PriceLists == nil {
		return
	}
	first := map[catalog.PriceListID]int{}
	for i, listID := range *e.PriceLists {
		if was, twice := first[listID]; twice {
			wrong.Add(string(rule.FieldPath("").Element("price_lists", i)), "duplicate",
				"This list is named twice, first at price_lists[%d]; name each list once.", was)
			continue
		}
		first[listID] = i
	}
	g.PriceLists = *e.PriceLists
}

// entry returns what the log says about the group.
func (g *Group) entry(action audit.Action, changes ...audit.Change) audit.Entry {
	return audit.Entry{Action: action, Object: audit.Object{Kind: "customer_group", ID: g.ID.String(), Label: g.Name},
		Changes: changes}
}

// editEntry returns what the log says about an edit of the group, whose lists have these names. It has no action if
// nothing changed.
func (g *Group) editEntry(was *Group, names map[catalog.PriceListID]string) audit.Entry {
	changes := audit.AppendChange(nil, "name", was.Name, g.Name)
	changes = audit.AppendOptional(changes, "external_id", was.ExternalID, g.ExternalID)
	changes = audit.AppendChange(changes, "price_lists", listNames(was.PriceLists, names),
		listNames(g.PriceLists, names))
	if len(changes) == 0 {
		return audit.Entry{}
	}
	return g.entry(audit.CustomerGroupEdited, changes...)
}

// listNames returns the names of price lists, separated by commas.
func listNames(ids []catalog.PriceListID, names map[catalog.PriceListID]string) string {
	var texts []string
	for _, listID := range ids {
		texts = append(texts, names[listID])
	}
	return strings.Join(texts, ", ")
}
