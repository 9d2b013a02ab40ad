package search

// cluster sorts the rows by category set, then by key, and moves their texts and variants accordingly. A query for one
// category then scans adjacent rows. It also frees the spare capacity that the build allocated.
func (c *searchColumns) cluster() {
	order := c.rowsByCategory()
	newRow := make([]uint32, len(order)) // by old row
	for to, from := range order {
		newRow[from] = uint32(to)
	}
	c.clusterTexts(order)
	c.clusterVariants(order)
	c.rowsByKey = reorder(newRow, c.rowsByKey)
	for key, row := range c.outOfOrder {
		c.outOfOrder[key] = newRow[row]
	}
	c.keys, c.created, c.deleted = reorder(c.keys, order), reorder(c.created, order), reorder(c.deleted, order)
	c.namePrefixes = reorder(c.namePrefixes, order)
	c.lowestPrices, c.highestPrices, c.variantStates = reorder(c.lowestPrices, order), reorder(c.highestPrices, order),
		reorder(c.variantStates, order)
	for _, column := range c.setColumns() {
		column.codeColumn = column.reorder(order)
	}
	c.summarizeBlocks()
	for i := range c.words {
		c.words[i] = blockWords{staleCount: blockLen}
	}
	c.indexWords(0)
}

// summarizeBlocks computes the summaries of all blocks.
func (c *searchColumns) summarizeBlocks() {
	for _, column := range c.setColumns() {
		column.blockCodes = nil
		for row := range c.keys {
			column.extendBlock(uint32(row))
		}
	}
	for i := range c.blocks {
		c.blocks[i] = blockInfo{lowestPrice: noPriceBucket}
	}
	for row := range c.keys {
		c.extendBlockPrices(uint32(row))
		if !c.variantsContiguous(uint32(row)) {
			c.blocks[row/blockLen].scattered = true
		}
	}
}

// rowsByCategory returns all rows sorted by category set. It uses a stable counting sort.
func (c *searchColumns) rowsByCategory() []uint32 {
	next := make([]uint32, c.categories.sets.len()+1)
	for row := range c.keys {
		next[c.categories.at(uint32(row))+1]++
	}
	for i := 1; i < len(next); i++ {
		next[i] += next[i-1]
	}
	order := make([]uint32, len(c.keys))
	for row := range c.keys {
		code := c.categories.at(uint32(row))
		order[next[code]] = uint32(row)
		next[code]++
	}
	return order
}

func (c *searchColumns) clusterTexts(order []uint32) {
	text := make([]byte, 0, len(c.text)+len(c.text)/32)
	texts := make([]uint32, len(order), len(order)+len(order)/32)
	for to, from := range order {
		texts[to] = uint32(len(text))
		text = append(append(text, c.textOf(from)...), textEnd)
	}
	c.text, c.textStarts, c.unusedText = text, texts, 0
}

func (c *searchColumns) clusterVariants(order []uint32) {
	oldVariants := make([]uint32, 0, len(c.prices))
	variants := make([]uint32, len(order), len(order)+len(order)/32)
	for to, row := range order {
		variants[to] = noIndex
		from, end := c.variantsOf(row)
		if from < end {
			variants[to] = uint32(len(oldVariants))
		}
		for i := from; i < end; i++ {
			oldVariants = append(oldVariants, i)
		}
	}
	c.firstVariants, c.unusedVariants = variants, 0
	c.prices, c.flags, c.variantOptions.codeColumn = reorder(c.prices, oldVariants), reorder(c.flags, oldVariants),
		c.variantOptions.reorder(oldVariants)
}
