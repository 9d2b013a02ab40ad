package search

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"slices"
	"strings"

	"vitrine/internal/kit/language"
)

// productTexts are the texts of the products of a store, and what finds words and codes in them. The lists by row have
// one element for each row of searchColumns.
type productTexts struct {
	// text holds the name of each product as lists are sorted by it, nameEnd, its distinct codes, textEnd. A space
	// precedes each code, partStart each part of an SKU.
	text         []byte
	textStarts   []uint32    // by row: where its text begins, or noIndex
	namePrefixes []uint32    // by row: see namePrefix
	codes        []codeIndex // by block

	// nameWords holds the words of the names of all products in their order; lastWord marks the last one of a name.
	// nameStarts has where the name of a row begins, or noIndex.
	nameWords  []uint32
	nameStarts []uint32
	words      []wordIndex // by block
	// textHashes has a hash of the texts of each row, or 0 if it is not known, and hashSeed its seed.
	textHashes []uint64
	hashSeed   maphash.Seed
	vocabulary *vocabulary
	// building has the words of the rows before the columns are clustered, and is nil afterwards.
	building *buildWords
	// unusedText and unusedWords count the bytes of text and the words of names that no row refers to.
	unusedText, unusedWords int

	textScratch struct {
		text      []byte
		seenCodes map[string]struct{}
		tokens    []language.Token
		name      []uint32
		words     [textParts][]uint32
	}
}

const (
	nameEnd   byte = 1 // less than every character of a name, so that a name sorts before its extensions
	partStart byte = 2
	textEnd   byte = '\n'
	// lastWord marks the last word of a name in nameWords.
	lastWord uint32 = 1 << 31
)

func newProductTexts() productTexts {
	return productTexts{vocabulary: newVocabulary(language.Stemmer{}), hashSeed: maphash.MakeSeed()}
}

// appendTextRow appends a row without texts.
func (c *productTexts) appendTextRow() {
	if len(c.textStarts)%blockLen == 0 {
		c.codes = append(c.codes, codeIndex{})
		c.words = append(c.words, wordIndex{})
	}
	c.textStarts = append(c.textStarts, noIndex)
	c.namePrefixes = append(c.namePrefixes, 0)
	c.nameStarts = append(c.nameStarts, noIndex)
	c.textHashes = append(c.textHashes, 0)
}

// hasUnusedTexts reports whether so much memory is unused that a rebuild pays off.
func (c *productTexts) hasUnusedTexts() bool {
	const slack = 100_000
	return 2*c.unusedText > len(c.text)+6*slack || 2*c.unusedWords > len(c.nameWords)+slack ||
		c.vocabulary.needsRebuild()
}

// bytes estimates the memory.
func (c *productTexts) bytes() int {
	n := cap(c.text) + 4*cap(c.textStarts) + 4*cap(c.namePrefixes) + 8*cap(c.textHashes) + 4*cap(c.nameStarts) +
		4*cap(c.nameWords) + 600*cap(c.codes) + 700*cap(c.words) + c.vocabulary.bytes()
	for i := range c.codes {
		n += c.codes[i].bytes() + c.words[i].bytes()
	}

	// During a build the words and codes are not indexed yet. The indexes will take about as much memory as the texts.
	if c.building != nil {
		n += c.building.bytes() + len(c.text)
	}
	return n
}

// putText stores the name and the codes of a product, unless they are equal to the stored ones.
func (c *productTexts) putText(row uint32, p *productRow) {
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
func (c *productTexts) searchText(p *productRow) []byte {
	const maxKept = 1000 // a map of more codes is not kept, because clearing it would take long
	if c.textScratch.seenCodes == nil || len(c.textScratch.seenCodes) > maxKept {
		c.textScratch.seenCodes = map[string]struct{}{}
	}

	seen := c.textScratch.seenCodes
	clear(seen)
	text := append(append(c.textScratch.text[:0], p.sortName...), nameEnd)
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

	c.textScratch.text = append(text, textEnd)
	return c.textScratch.text
}

// laterParts returns the parts of an SKU behind the first one that people may search for alone: 1001 of KRS-1001-42.
func (c *productTexts) laterParts(sku string) (parts []string) {
	const least = 3
	c.textScratch.tokens = language.AppendTokens(c.textScratch.tokens[:0], sku)
	for _, t := range c.textScratch.tokens {
		if t.Parts == 1 && t.Place > 0 && len(t.Form) >= least {
			parts = append(parts, t.Form)
		}
	}
	return parts
}

// putWords stores the words of the name, of the names of variants and of the description, unless they are those of
// before.
func (c *productTexts) putWords(row uint32, p *productRow) {
	hash := c.hashTexts(p)
	if c.textHashes[row] == hash {
		return
	}

	c.textHashes[row] = hash
	words := &c.textScratch.words
	words[inName] = words[inName][:0]
	words[inDescription] = words[inDescription][:0]
	c.textScratch.name = c.textScratch.name[:0]
	c.readWords(p.name, func(t *language.Token, id uint32) {
		words[inName] = append(words[inName], id)
		if t.Parts == 1 {
			c.textScratch.name = append(c.textScratch.name, id)
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

	c.putName(row, c.textScratch.name)
	if c.building != nil {
		c.building.put(row, words)
		return
	}
	c.words[row/blockLen].put(row%blockLen, words)
}

// maxTextBytes is the part of a name or a description whose words are indexed.
const maxTextBytes = 16 << 10

// readWords calls fn for the words of a text.
func (c *productTexts) readWords(text string, fn func(t *language.Token, id uint32)) {
	text = text[:min(len(text), maxTextBytes)]
	c.textScratch.tokens = language.AppendTokens(c.textScratch.tokens[:0], text)
	for i := range c.textScratch.tokens {
		t := &c.textScratch.tokens[i]
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
func (c *productTexts) hashTexts(p *productRow) uint64 {
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
func (c *productTexts) putName(row uint32, words []uint32) {
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
func (c *productTexts) nameWordsOf(row uint32) []uint32 {
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

// namePrefix returns the first four bytes of a name, after the leading space, as a number that sorts like them.
func namePrefix[T string | []byte](name T) uint32 {
	var prefix [4]byte
	copy(prefix[:], name[min(1, len(name)):])
	return binary.BigEndian.Uint32(prefix[:])
}

// textOf returns the text of a product without textEnd.
func (c *productTexts) textOf(row uint32) []byte {
	from := c.text[c.textStarts[row]:]
	return from[:bytes.IndexByte(from, textEnd)]
}

// codesOf returns the codes of a product, each with its separator before it.
func (c *productTexts) codesOf(row uint32) []byte {
	text := c.textOf(row)
	return text[bytes.IndexByte(text, nameEnd)+1:]
}

func (c *productTexts) nameOf(row uint32) []byte {
	from := c.text[c.textStarts[row]:]
	return from[:bytes.IndexByte(from, nameEnd)]
}
