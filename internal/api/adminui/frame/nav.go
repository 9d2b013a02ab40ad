package frame

// NavGroup is a group of items in the navigation.
type NavGroup struct {
	Name  string // for screen readers
	Items []NavItem
}

// NavItem is an item of the navigation. It is shown to operators who have the scope.
type NavItem struct {
	ID, Text, URL, Icon string
	Needs               string
	// Current says that the page belongs to the item.
	Current bool
	// Waiting is the number of what waits for somebody of the shop, such as 5 or 99+, and WaitingText says it for
	// screen readers. Both are empty if nothing waits.
	Waiting, WaitingText string
}

// Navigation returns the items that the operator may use, grouped by job.
func (v View) Navigation() []NavGroup {
	groups := []NavGroup{
		{Name: v.T("Shop"), Items: []NavItem{
			{ID: "home", Text: v.T("Home"), URL: "/", Icon: "house", Needs: "store:read"},
			{ID: "orders", Text: v.T("Orders"), URL: "/orders", Icon: "shopping-bag", Needs: "orders:read"},
			{ID: "inquiries", Text: v.T("Inquiries"), URL: "/inquiries", Icon: "message-circle",
				Needs: "inquiries:read"},
			{ID: "customers", Text: v.T("Customers"), URL: "/customers", Icon: "users", Needs: "customers:read"},
			{ID: "products", Text: v.T("Products"), URL: "/products", Icon: "package", Needs: "catalog:read"},
			{ID: "categories", Text: v.T("Categories"), URL: "/categories", Icon: "folder-tree", Needs: "catalog:read"},
			{ID: "options", Text: v.T("Options"), URL: "/options", Icon: "swatch-book", Needs: "catalog:read"},
			{ID: "features", Text: v.T("Features"), URL: "/features", Icon: "list-checks", Needs: "catalog:read"},
			{ID: "prices", Text: v.T("Price lists"), URL: "/price-lists", Icon: "tag", Needs: "catalog:read"},
			{ID: "stock", Text: v.T("Stock"), URL: "/stock", Icon: "warehouse", Needs: "catalog:read"},
			{ID: "shopsearch", Text: v.T("Search of the shop"), URL: "/shop-search", Icon: "search",
				Needs: "catalog:read"},
		}},
		{Name: v.T("Connections"), Items: []NavItem{
			{ID: "exchange", Text: v.T("Exchange"), URL: "/exchange", Icon: "refresh-cw", Needs: "catalog:read"},
			{ID: "webhooks", Text: v.T("Webhooks"), URL: "/webhooks", Icon: "webhook", Needs: "webhooks:read"},
		}},
		{Name: v.T("Administration"), Items: []NavItem{
			{ID: "settings", Text: v.T("Settings"), URL: "/settings", Icon: "settings", Needs: "store:read"},
		}},
	}
	for i, group := range groups {
		var allowed []NavItem
		for _, item := range group.Items {
			if v.May(item.Needs) {
				item.Current = item.ID == v.NavItem
				v.showWaiting(&item, v.counts[item.ID])
				allowed = append(allowed, item)
			}
		}
		groups[i].Items = allowed
	}

	return groups
}
