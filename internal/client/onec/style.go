package onec

// Style is how a configuration of 1C writes its files. The zero Style is UT11.
type Style string

// The styles.
const (
	// UT11 writes as 1C:УТ 11 does: the total of an offer, and only the warehouses that have some of it; currencies of
	// price types and prices; barcodes, units with padded codes, VAT rates and weights. Its files with orders have 1C's
	// own ids, the site's numbers and no names of states.
	UT11 Style = "ut11"
	// UT10 writes as old configurations with schema 2.04 do: a total without warehouses, and no quantity at all of what
	// is sold out; prices without currency.
	UT10 Style = "ut10"
	// Explicit lists every warehouse, also those with 0, as modules of other makers do. Its files with orders have the
	// site's ids and names of states.
	Explicit Style = "explicit"
)

// Styles returns all styles, the default first.
func Styles() []Style { return []Style{UT11, UT10, Explicit} }

func (s Style) isUT11() bool { return s == UT11 || s == "" }
