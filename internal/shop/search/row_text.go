package search

import (
	"bytes"
	"hash/maphash"
	"slices"
	"strings"

	"vitrine/internal/kit/language"
)

// putText stores the name and the codes of a product, unless they are equal to the stored ones.
func (c *searchColumns) putText(row uint32, p *productRow) {
	text := c.searchText(p)
	if at := c.textStarts[row]; at != noIndex {
		old := c.text[at : int(at)+len(c.textOf(row))+1]
		if bytes.Equal(old, text) {
			return
		}
		c.unusedText += len(old)
	}

	c.textStarts[row] = uint32(len(c.text))
	c.text = append(c.text, text...)
	c.namePrefixes[row] = namePrefix(p.sortName)
	c.codes[row/blockLen].markStale(row % blockLen)
}

// searchText returns the element of searchColumns.text of a product, which is valid until the next call. Each code
// occurs only once. SKUs often repeat each other and the external id.
func (c *searchColumns) searchText(p *productRow) []byte {
	const maxKept = 1000 // a map of more codes is not kept, because clearing it would take long
	if c.scratch.seenCodes == nil || len(c.scratch.seenCodes) > maxKept {
		c.scratch.seenCodes = map[string]struct{}{}
	}

	seen := c.scratch.seenCodes
	clear(seen)
	text := append(append(c.scratch.text[:0], p.sortName...), nameEnd)
	add := func(separator byte, code string) {
		if _, ok := seen[code]; !ok && code != "" {
			seen[code] = struct{}{}
			text = append(append(text, separator), code...)
		}
	}

	add(' ', language.Code(p.externalID))
	for _, v := range p.variants {
		add(' ', language.Code(v.sku))
		for barcode := range strings.SplitSeq(v.barcodes, "|") {
			add(' ', language.Code(barcode))
		}
	}
	for _, v := range p.variants {
		for _, part := range c.laterParts(v.sku) {
			add(partStart, part)
		}
	}

	c.scratch.text = append(text, textEnd)
	return c.scratch.text
}

// laterParts returns the parts of an SKU behind the first one that people may search for alone: 1001 of KRS-1001-42.
func (c *searchColumns) laterParts(sku string) (parts []string) {
	const least = 3
	c.scratch.tokens = language.AppendTokens(c.scratch.tokens[:0], sku)
	for _, t := range c.scratch.tokens {
		if t.Parts == 1 && t.Place > 0 && len(t.Form) >= least {
			parts = append(parts, t.Form)
		}
	}
	return parts
}

// putWords stores the words of the name, of the names of variants and of the description, unless they are those of
// before.
func (c *searchColumns) putWords(row uint32, p *productRow) {
	hash := c.hashTexts(p)
	if c.textHashes[row] == hash {
		return
	}

	c.textHashes[row] = hash
	words := &c.scratch.words
	words[inName] = words[inName][:0]
	words[inDescription] = words[inDescription][:0]
	c.scratch.name = c.scratch.name[:0]
	c.readWords(p.name, func(t *language.Token, id uint32) {
		words[inName] = append(words[inName], id)
		if t.Parts == 1 {
			c.scratch.name = append(c.scratch.name, id)
		}
	})
	for i := range p.variants {
		if name := p.variants[i].name; name != p.name {
			c.readWords(name, func(_ *language.Token, id uint32) { words[inName] = append(words[inName], id) })
		}
	}
	words[inName] = sortDistinct(words[inName])

	c.readWords(p.description, func(t *language.Token, id uint32) {
		if !language.IsFunctionWord(t.Form) {
			words[inDescription] = append(words[inDescription], id)
		}
	})
	words[inDescription] = slices.DeleteFunc(sortDistinct(words[inDescription]), func(id uint32) bool {
		_, named := slices.BinarySearch(words[inName], id)
		return named
	})

	c.putName(row, c.scratch.name)
	if c.building != nil {
		c.building.put(row, words)
		return
	}
	c.words[row/blockLen].put(row%blockLen, words)
}

// maxTextBytes is the part of a name or a description whose words are indexed.
const maxTextBytes = 16 << 10

// readWords calls fn for the words of a text.
func (c *searchColumns) readWords(text string, fn func(t *language.Token, id uint32)) {
	text = text[:min(len(text), maxTextBytes)]
	c.scratch.tokens = language.AppendTokens(c.scratch.tokens[:0], text)
	for i := range c.scratch.tokens {
		t := &c.scratch.tokens[i]
		if len(t.Form) <= maxWordBytes {
			fn(t, c.vocabulary.intern(t.Form))
		}
	}
}

// maxWordBytes is the length up to which a word is indexed. Nobody types a longer one.
const maxWordBytes = 128

func sortDistinct(ids []uint32) []uint32 {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// hashTexts returns a hash of the texts whose words are indexed. It is never 0.
func (c *searchColumns) hashTexts(p *productRow) uint64 {
	var h maphash.Hash
	h.SetSeed(c.hashSeed)
	write := func(text string) {
		_, _ = h.WriteString(text)
		_ = h.WriteByte(0)
	}

	write(p.name)
	write(p.description)
	for i := range p.variants {
		write(p.variants[i].name)
	}
	return max(1, h.Sum64())
}

// putName stores the words of a name in their order.
func (c *searchColumns) putName(row uint32, words []uint32) {
	old := c.nameWordsOf(row)
	if len(old) == len(words) && len(words) > 0 {
		copy(old, words)
		old[len(old)-1] |= lastWord
		return
	}

	c.unusedWords += len(old)
	c.nameStarts[row] = noIndex
	if len(words) > 0 {
		c.nameStarts[row] = uint32(len(c.nameWords))
		c.nameWords = append(c.nameWords, words...)
		c.nameWords[len(c.nameWords)-1] |= lastWord
	}
}

// nameWordsOf returns the words of a name in their order, the last one with lastWord.
func (c *searchColumns) nameWordsOf(row uint32) []uint32 {
	from := c.nameStarts[row]
	if from == noIndex {
		return nil
	}
	to := from
	for c.nameWords[to]&lastWord == 0 {
		to++
	}
	return c.nameWords[from : to+1]
}
