package drawing

// design is how a kind of product is drawn.
type design struct {
	draw   func(*drawing)
	usual  rgb   // the colour if the catalogue says none
	others []rgb // colours of the other styles then
}

func plain(draw func(*drawing), usual rgb, others ...rgb) design { return design{draw, usual, others} }

// designs has all kinds by name.
var designs = collect(lightKinds(), wearKinds(), shoeKinds(), techKinds(), furnitureKinds(), kitchenKinds(),
	packKinds(), gardenKinds(), playKinds(), moreKinds())

func collect(groups ...map[string]design) map[string]design {
	all := map[string]design{}
	for _, g := range groups {
		for name, k := range g {
			if _, twice := all[name]; twice {
				panic("two drawings of " + name)
			}
			all[name] = k
		}
	}
	return all
}

// Kinds returns the names of all kinds.
func Kinds() []string {
	var names []string
	for name := range designs {
		names = append(names, name)
	}
	return names
}

// drawParcel draws a closed cardboard box.
func drawParcel(d *drawing) {
	c := newCamera(28, 24)
	d.box(c, 0, 0, 0, 300, 210, 220, cardboard(kraft))
	d.fillEven(c.onTop(rect(130, 0, 40, 220), 0, 210, 0), matte(rgb{224, 200, 160}).faded(0.8), 1.1)
	d.fillEven(c.onFront(rect(130, 0, 40, 60), 0, 210, 0), matte(rgb{224, 200, 160}).faded(0.8), 1)
}
