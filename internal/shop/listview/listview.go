// Package listview owns the saved views of the administration's lists: filters, a sort order and columns under a name,
// of one operator or shared with all of them. What the parameters of a list mean belongs to its page; this package
// knows their names only.
package listview

import (
	"net/url"
	"slices"
	"strings"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/rule"
)

// The limits of views.
const (
	// MaxViews is the number of views that an operator may have of a list, and the number of its shared ones.
	MaxViews = 30
	// MaxName is the length of a name in characters: names stand in tabs.
	MaxName = 60

	maxQueryBytes = 4000
)

// List is a list of which there are views.
type List string

// The lists.
const (
	Orders    List = "orders"
	Inquiries List = "inquiries"
	Customers List = "customers"
	Products  List = "products"
)

// listRules has the rights and the parameters of each list.
var listRules = map[List]struct {
	read, write access.Scope
	params      []string // a name that ends in [ stands for all names that begin so
}{
	Orders:    {access.OrdersRead, access.OrdersWrite, []string{"state", "q", "tag", "from", "to", "days", "sort"}},
	Inquiries: {access.InquiriesRead, access.OrdersWrite, []string{"state", "q"}},
	Customers: {access.CustomersRead, access.CustomersWrite, []string{"q", "group"}},
	Products: {access.CatalogRead, access.CatalogWrite, []string{"q", "price[", "in_stock", "archived", "origin",
		"sort", "category", "features[", "options["}},
}

// Known reports whether there is such a list.
func (l List) Known() bool { return listRules[l].params != nil }

// Read returns the scope of operators who see the list, and Write that of those who may change its shared views.
func (l List) Read() access.Scope { return listRules[l].read }

// Write returns the scope of operators who may change the shared views of the list.
func (l List) Write() access.Scope { return listRules[l].write }

// ID identifies a view.
type ID = id.Of[View]

// View is a saved view.
type View struct {
	ID   ID
	List List
	// Owner is the operator whose view it is; nil if it is shared.
	Owner *access.OperatorID
	Name  string
	// Query has the filters and the sort order as Canonical returns them.
	Query string
	// Columns are the names of the columns that are shown, with commas between them; "" for all.
	Columns string
	// IsDefault says that the list opens with the view. An own default view goes before a shared one.
	IsDefault bool
	Version   int64
}

// Author is the operator who changes views.
type Author struct {
	Operator access.OperatorID
	May      func(access.Scope) bool
}

// Edit is a change of a view. Members that are nil stay.
type Edit struct {
	Name           *string
	Query, Columns *string
	Shared         *bool
	IsDefault      *bool
}

// Canonical returns the parameters of a query that belong to a view of the list, sorted by their names and without
// empty ones and those of a place in the list. Equal selections have equal texts.
func (l List) Canonical(query url.Values) string {
	kept := url.Values{}
	for name, values := range query {
		values = slices.DeleteFunc(slices.Clone(values), func(value string) bool { return value == "" })
		if len(values) > 0 && l.hasParam(name) {
			kept[name] = values
		}
	}
	return kept.Encode()
}

func (l List) hasParam(name string) bool {
	return slices.ContainsFunc(listRules[l].params, func(param string) bool {
		return name == param || strings.HasSuffix(param, "[") && strings.HasPrefix(name, param)
	})
}

// apply returns the view after an edit by an operator, or fault.Invalid naming each broken rule.
func (v View) apply(e Edit, by access.OperatorID) (View, error) {
	var wrong rule.Violations
	if e.Name != nil {
		name, broken := checkName(*e.Name)
		wrong.Check("", "name", broken)
		v.Name = name
	}

	if e.Query != nil {
		query, err := url.ParseQuery(*e.Query)
		if v.Query = v.List.Canonical(query); err != nil || len(v.Query) > maxQueryBytes {
			wrong.Add("query", "invalid_query", "These filters cannot be saved; choose fewer.")
		}
	}
	if e.Columns != nil {
		if broken := rule.Plain(*e.Columns, rule.MaxName); broken != nil {
			wrong.Check("", "columns", broken)
		}
		v.Columns = *e.Columns
	}

	switch {
	case e.Shared == nil:
	case *e.Shared:
		v.Owner = nil
	case v.Owner == nil:
		v.Owner = &by
	}
	if e.IsDefault != nil {
		v.IsDefault = *e.IsDefault
	}

	return v, wrong.Fault()
}

// checkName is the rule of the name of a view.
func checkName(sent string) (string, *fault.Field) {
	name := strings.Join(strings.Fields(sent), " ")
	if name == "" {
		return "", fault.Broken("required", "Give the view a name.")
	}
	return name, rule.Plain(name, MaxName)
}

// visible reports whether an operator sees the view.
func (v View) visible(operator access.OperatorID) bool { return v.Owner == nil || *v.Owner == operator }

// sameOwner reports whether both views are shared, or both of one operator.
func (v View) sameOwner(other View) bool {
	if v.Owner == nil || other.Owner == nil {
		return v.Owner == other.Owner
	}
	return *v.Owner == *other.Owner
}

// Default returns the view with which the list opens for whom the views were read, or nil.
func Default(views []View) *View {
	var shared *View
	for i := range views {
		switch v := &views[i]; {
		case !v.IsDefault:
		case v.Owner != nil:
			return v
		case shared == nil:
			shared = v
		}
	}
	return shared
}

// entry returns what the log says about a change of a shared view. It has no action if the view was and is an
// operator's own. The words of a search may be personal data, so the log does not repeat the filters.
func entry(action audit.Action, before, after View) audit.Entry {
	if before.Owner != nil && after.Owner != nil {
		return audit.Entry{}
	}
	e := audit.Entry{Action: action, Object: audit.Object{Kind: "list_view", ID: after.ID.String(), Label: after.Name}}
	e.Changes = audit.AppendChange(e.Changes, "name", before.Name, after.Name)
	e.Changes = audit.AppendChange(e.Changes, "columns", before.Columns, after.Columns)
	return e
}
