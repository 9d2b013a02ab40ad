package exchange

import "vitrine/internal/catalog"

func stockGate(c *catalog.Service) gate {
	return newGate(maxItem, readStock, func(p catalog.StockPush) (id, distinct string) { return p.ID, p.ID }, c.PushStocks)
}

// readStock reads {id, name}.
func readStock(f *fields) catalog.StockPush {
	var p catalog.StockPush
	named := false
	ok := f.object(func(name string) bool {
		switch name {
		case "id":
			named = true
			p.ID, _ = f.ExternalID()
		case "name":
			p.Name = readName(f)
		default:
			return isShown(name)
		}
		return true
	})
	if ok && !named {
		f.FailAt("id", "required", "An item needs the id that your system knows it by: a string or a whole number.")
	}
	p.Digest = digest(p)
	return p
}
