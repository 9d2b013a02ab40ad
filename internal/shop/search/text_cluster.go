package search

func (c *productTexts) clusterTexts(order []uint32) {
	text := make([]byte, 0, len(c.text)+len(c.text)/32)
	texts := make([]uint32, len(order), len(order)+len(order)/32)
	for to, from := range order {
		texts[to] = uint32(len(text))
		text = append(append(text, c.textOf(from)...), textEnd)
	}
	c.text = text
	c.textStarts = texts
	c.unusedText = 0
}

// clusterWords gives the rows their order and the words their new ids, and indexes the words of all rows.
func (c *productTexts) clusterWords(order, newIDs []uint32) {
	if c.building == nil {
		c.building = c.unindexed()
	}
	names := make([]uint32, 0, len(c.nameWords)+len(c.nameWords)/32)
	starts := make([]uint32, len(order), len(order)+len(order)/32)
	hashes := make([]uint64, len(order), len(order)+len(order)/32)
	for to, from := range order {
		starts[to] = noIndex
		hashes[to] = c.textHashes[from]
		words := c.nameWordsOf(from)
		if len(words) == 0 {
			continue
		}

		starts[to] = uint32(len(names))
		for _, word := range words {
			names = append(names, newIDs[word&^lastWord]|word&lastWord)
		}
	}

	c.nameWords = names
	c.nameStarts = starts
	c.textHashes = hashes
	c.unusedWords = 0
	c.indexBuilt(order, newIDs)
}

// unindexed returns the indexed words of the rows.
func (c *productTexts) unindexed() *buildWords {
	b := &buildWords{}
	c.indexWords(0)

	for block := range c.words {
		var words [blockLen][textParts][]uint32
		for part := range textParts {
			p := &c.words[block].parts[part]
			for i, word := range p.ids {
				var rows rowBits
				p.addRows(i, i+1, &rows)
				for row := range rows.rows {
					words[row][part] = append(words[row][part], word)
				}
			}
		}
		for row := block * blockLen; row < min((block+1)*blockLen, len(c.textStarts)); row++ {
			b.put(uint32(row), &words[row%blockLen])
		}
	}
	return b
}

// indexBuilt indexes the words that a build has read. order has the old rows, newIDs the new ids of words.
func (c *productTexts) indexBuilt(order, newIDs []uint32) {
	x := newWordIndexer(len(newIDs))
	var lists [blockLen][textParts][]uint32
	for block := range c.words {
		from := block * blockLen
		rows := order[from:min(from+blockLen, len(order))]
		for i, row := range rows {
			c.building.read(row, &lists[i])
		}

		c.words[block] = wordIndex{}
		for part := range textParts {
			for i := range rows {
				for _, word := range lists[i][part] {
					x.add(newIDs[word], uint16(i))
				}
			}
			x.build(&c.words[block], part)
		}
	}

	c.building = nil
}
