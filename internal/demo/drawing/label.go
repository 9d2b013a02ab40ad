package drawing

import "strings"

// Label says which words stand on a product.
type Label byte

// The words on products.
const (
	NoLabel    Label = iota
	BrandLabel       // the brand
	NounLabel        // what is in the package
	TitleLabel       // the title of a book
)

// branded are the kinds that carry the name of their brand, named those that say what is in them.
var (
	branded = labelled("power bank, drive, memory stick, memory card, speaker, action camera, drill, sander, bit " +
		"set, " +
		"tape measure, spirit level, laser level, pressure washer, toolbox, water bottle, swim cap, filter pump, " +
		"oil canister, oil filter, eraser, extinguisher, paper, glue stick, soil sack, perfume, nail polish, soap, " +
		"toothpaste, sealant, foam can, paint, candle, diffuser, lip gloss, mascara")
	named = labelled("coffee bag, snack bag, pouch, sack, carton, tea box, juice, water, oil bottle, wine, pasta, " +
		"grain bag, preserve jar, spice jar, chocolate, nuts, can, tube, cream jar, pump bottle, flip bottle, " +
		"dropper, spray, sachet, soft pack, seed packet, glue, board game, puzzle")
	titled = labelled("book, picture book")
)

func labelled(list string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.SplitSeq(list, ", ") {
		set[name] = true
	}
	return set
}

// LabelOf returns which words stand on the products of a kind.
func LabelOf(name string) Label {
	switch {
	case branded[name]:
		return BrandLabel
	case named[name]:
		return NounLabel
	case titled[name]:
		return TitleLabel
	}
	return NoLabel
}
