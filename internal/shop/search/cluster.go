package search

// cluster brings the rows of each set of categories together, in the order of keys among themselves, and with them their texts and
// variants. What is asked about one category then lies side by side. It gives back the memory that the build has set aside for more rows.
func (c *columns) cluster() {
	order := c.byCategory()
	place := make([]uint32, len(order)) // of each old row
	for to, from := range order {
		place[from] = uint32(to)
	}
	c.clusterTexts(order)
	c.clusterVariants(order)
	c.byKey = reorder(place, c.byKey)
	for key, row := range c.late {
		c.late[key] = place[row]
	}
	c.keys, c.created, c.gone = reorder(c.keys, order), reorder(c.created, order), reorder(c.gone, order)
	c.category.codes, c.bundle.codes = c.category.reorder(order), c.bundle.reorder(order)
	for _, f := range c.features {
		f.codes = f.reorder(order)
	}
	for i := range c.blocks {
		c.blocks[i] = block{least: none}
	}
	for row := range c.keys {
		c.widen(uint32(row))
		if !c.follows(uint32(row)) {
			c.blocks[row/blockLen].scattered = true
		}
	}
}

// byCategory returns the rows sorted by their sets of categories, then as they stand.
func (c *columns) byCategory() []uint32 {
	next := make([]uint32, c.category.sets.len()+1)
	for row := range c.keys {
		next[c.category.at(uint32(row))+1]++
	}
	for i := 1; i < len(next); i++ {
		next[i] += next[i-1]
	}
	order := make([]uint32, len(c.keys))
	for row := range c.keys {
		code := c.category.at(uint32(row))
		order[next[code]] = uint32(row)
		next[code]++
	}
	return order
}

func (c *columns) clusterTexts(order []uint32) {
	text := make([]byte, 0, len(c.text)+len(c.text)/32)
	texts := make([]uint32, len(order), len(order)+len(order)/32)
	for to, from := range order {
		texts[to] = uint32(len(text))
		text = append(append(text, c.textOf(from)...), textEnd)
	}
	c.text, c.texts, c.wasteText = text, texts, 0
}

func (c *columns) clusterVariants(order []uint32) {
	old := make([]uint32, 0, len(c.prices))
	variants := make([]uint32, len(order), len(order)+len(order)/32)
	for to, row := range order {
		variants[to] = none
		from, end := c.variantsOf(row)
		if from < end {
			variants[to] = uint32(len(old))
		}
		for i := from; i < end; i++ {
			old = append(old, i)
		}
	}
	c.variants, c.wasteVariants = variants, 0
	c.prices, c.flags, c.combos.codes = reorder(c.prices, old), reorder(c.flags, old), c.combos.reorder(old)
}
