package item

import "vitrine/internal/shop/catalog"

// Stock returns the item type of stocks.
func Stock() Type[catalog.StockPush] {
	return Type[catalog.StockPush]{
		maxBytes: maxItemBytes,
		decode:   readStock,
		identify: func(p catalog.StockPush) (id, subject string) { return p.ID, p.ID },
	}
}

// readStock reads {id, name}.
func readStock(f *fields) catalog.StockPush {
	var p catalog.StockPush
	f.item(&p.ID, func(name string) bool {
		switch name {
		case "name":
			p.Name = readName(f)
		default:
			return isReadOnly(name)
		}
		return true
	})
	p.Digest = digest(p)
	return p
}
