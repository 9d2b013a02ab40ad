package exchange

import "vitrine/internal/shop/catalog"

func stockGate(c *catalog.Pushes) gate {
	return newGate(maxItem, readStock, func(p catalog.StockPush) (id, distinct string) { return p.ID, p.ID }, c.ApplyStocks)
}

// readStock reads {id, name}.
func readStock(f *fields) catalog.StockPush {
	var p catalog.StockPush
	f.item(&p.ID, func(name string) bool {
		switch name {
		case "name":
			p.Name = readName(f)
		default:
			return isShown(name)
		}
		return true
	})
	p.Digest = digest(p)
	return p
}
