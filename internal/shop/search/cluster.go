package search

// cluster sorts the rows by category set, then by price, and moves texts and variants accordingly. A query for one
// category then scans adjacent rows, and a range of prices selects or excludes groups of rows. It also frees the spare
// capacity that the build allocated.
func (c *searchColumns) cluster() {
	order := c.rowsByCategory()
	newRow := make([]uint32, len(order)) // by old row
	for to, from := range order {
		newRow[from] = uint32(to)
	}

	c.indexNames()
	newIDs := c.vocabulary.sort()
	c.valueWords.reorder(newIDs)
	c.categoryWords.reorder(newIDs)
	c.clusterTexts(order)
	c.clusterWords(order, newIDs)
	c.clusterVariants(order)
	c.rowsByKey = reorder(newRow, c.rowsByKey)

	for key, row := range c.outOfOrder {
		c.outOfOrder[key] = newRow[row]
	}

	c.keys, c.created, c.deleted = reorder(c.keys, order), reorder(c.created, order), reorder(c.deleted, order)
	c.popularity = reorder(c.popularity, order)
	for _, column := range c.setColumns() {
		column.codeColumn = column.reorder(order)
	}

	c.summarize()
	for i := range c.codes {
		c.codes[i] = codeIndex{staleCount: blockLen}
	}

	c.indexCodes(0)
}

// summarize computes all that is derived from the other columns: the prefixes of names, and the summaries of rows,
// groups and blocks. Only the index of words is not, because that takes longer.
func (c *searchColumns) summarize() {
	rows := c.rowCount()
	c.namePrefixes = make([]uint32, rows, rows+rows/32)
	c.blocks = make([]blockInfo, (rows+blockLen-1)/blockLen)

	for _, column := range c.setColumns() {
		column.blockCodes = nil
		for row := range c.keys {
			column.extendBlock(uint32(row))
		}
	}

	for row := range uint32(rows) {
		c.namePrefixes[row] = namePrefix(c.nameOf(row))
		c.summarizeStock(row)
		if !c.variantsContiguous(row) {
			c.blocks[row/blockLen].scattered = true
		}
	}

	for _, p := range c.priceColumns() {
		c.summarizePrices(p)
	}
}

// summarizePrices computes the summaries of a price column.
func (c *searchColumns) summarizePrices(p *priceColumn) {
	p.priceSummaries = newPriceSummaries(c.rowCount())
	for row := range uint32(c.rowCount()) {
		from, to := c.variantsOf(row)
		p.summarizeRow(row, from, to)
	}
	for group := range p.priceGroups {
		p.summarizeGroup(uint32(group))
	}
}

// rowsByCategory returns all rows sorted by category set, then by their lowest price.
func (c *searchColumns) rowsByCategory() []uint32 {
	order := make([]uint32, len(c.keys))
	for row := range order {
		order[row] = uint32(row)
	}
	order = sortByCode(order, noPriceBucket+1, func(row uint32) uint32 { return uint32(c.base.lowestPrices[row]) })
	return sortByCode(order, c.categories.sets.len(), c.categories.at)
}

// sortByCode sorts rows by a code that is less than codeCount. It is a counting sort, which is stable.
func sortByCode(rows []uint32, codeCount int, code func(row uint32) uint32) []uint32 {
	next := make([]uint32, codeCount+1) // by code: where its next row goes
	for _, row := range rows {
		next[code(row)+1]++
	}
	for i := 1; i < len(next); i++ {
		next[i] += next[i-1]
	}
	sorted := make([]uint32, len(rows))
	for _, row := range rows {
		n := &next[code(row)]
		sorted[*n] = row
		*n++
	}
	return sorted
}

func (c *searchColumns) clusterVariants(order []uint32) {
	oldVariants := make([]uint32, 0, len(c.flags))
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

	c.firstVariants = variants
	c.unusedVariants = 0
	for _, p := range c.priceColumns() {
		p.prices = reorder(p.prices, oldVariants)
	}
	c.flags, c.variantOptions.codeColumn = reorder(c.flags, oldVariants), c.variantOptions.reorder(oldVariants)
}
