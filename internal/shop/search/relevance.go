package search

// matchKind is a way in which a word of a query matches, the most trusted first.
type matchKind uint8

const (
	matchExact   matchKind = iota // the word itself
	matchForm                     // another form of the word
	matchPrefix                   // a word that begins with it
	matchSynonym                  // what the store says is the same
	matchTypo                     // a word that differs by typing errors
	matchLayout                   // what the same keys give in the other keyboard layout
	matchSound                    // a word of the other script, by its letters or its sound
)

// textField numbers where a word matches, the most important first.
const (
	fieldName        = iota // the name, the names of variants, and codes
	fieldValues             // categories, values of features and options
	fieldDescription        // the description
	matchFields
)

// The weights of relevance. Each word of a query costs the sum of how it matches and where; the products with the least
// sum come first. Exact words and other forms cost the same: only products that are equally near are told apart by
// them. A word that matches a description costs more than a name however it is matched, except by a guess, which costs
// most.
const (
	costExact     = 0
	costPrefix    = 20
	costSynonym   = 40
	costLayout    = 240
	costLetters   = 248 // plus the number of the reading
	costSound     = 250 // plus how the sounds differ
	costHomophone = 245 // of a word of the same script that sounds the same, plus how the sounds differ
	costTypo      = 240 // plus how improbable the errors are, and costNextError for each but the first
	costNextError = 30
	costSplit     = 260
	costSecond    = 15                       // more for a guess at a word that is a guess itself
	costBeginning = 8                        // more for a guess at the beginning of a word
	costUnsure    = costTypo + costNextError // from which on a guess is improbable
	costOptional  = 5                        // of a word that says little, if the product lacks it
)

// fieldCosts are the costs of the fields.
var fieldCosts = [matchFields]int{fieldName: 0, fieldValues: 5, fieldDescription: 150}

// costOfErrors returns the cost of a word with typing errors. nearness is that of package language.
func costOfErrors(errors, nearness int) int {
	const most = 25
	return costTypo + costNextError*(errors-1) + min(nearness, most)
}

// The order of products by relevance is that of their ranks: lower comes first. The parts of a rank, each more
// important than those after it, and their bits:
//
//   - code: whether the whole query is an SKU, a barcode or an external id of the product (1)
//   - cost: the sum of the costs of the words (13)
//   - nearness: how far the matched words are from each other and from the beginning of the name (8)
//   - forms: how many words match by another form (3)
//   - availability: whether the product is in stock and has a price (1)
//   - popularity: how many pieces were ordered (24)
//
// Pinned products come before all others. Products of equal rank are ordered by creation, the newest first.
const (
	popularityBits   = 24
	availabilityBits = 1
	formBits         = 3
	nearnessBits     = 8
	costBits         = 13

	maxPopularity = 1<<popularityBits - 1
	maxForms      = 1<<formBits - 1
	maxNearness   = 1<<nearnessBits - 1
	maxCost       = 1<<costBits - 1
)

// rankOf packs the parts of a rank.
func rankOf(isCode bool, cost textCost, nearness int, isAvailable bool, popularity uint32) int64 {
	rank := int64(1)
	if isCode {
		rank = 0
	}
	rank = rank<<costBits | int64(cost.sum())
	rank = rank<<nearnessBits | int64(min(nearness, maxNearness))
	rank = rank<<formBits | int64(cost.forms())
	rank <<= availabilityBits
	if !isAvailable {
		rank |= 1
	}
	return rank<<popularityBits | int64(maxPopularity-min(popularity, maxPopularity))
}

// pinnedRank is the rank of the pinned product with this number.
func pinnedRank(number int) int64 { return int64(number) - 1<<40 }

// textCost is the sum of the costs of the words of a row, and how many of them match by another form.
type textCost uint16

func (c textCost) sum() int   { return int(c >> formBits) }
func (c textCost) forms() int { return int(c & maxForms) }

// plus adds the cost of a word. Both parts have a maximum.
func (c textCost) plus(cost, forms int) textCost {
	return textCost(min(c.sum()+cost, maxCost)<<formBits | min(c.forms()+forms, maxForms))
}

// nearnessOf returns how far the matched words of a name are from each other and from its beginning, in words: a word
// between them counts twice as much as one before them. positions has, for each slot that the name matches, its first
// position, in the order of the slots; missing is the number of required slots that it does not match.
func nearnessOf(positions []int, missing int) int {
	if len(positions) == 0 {
		return maxNearness
	}

	first, last, unordered := positions[0], positions[0], 0
	for i, at := range positions {
		first = min(first, at)
		last = max(last, at)
		if i > 0 && at < positions[i-1] {
			unordered = 1
		}
	}

	between := max(0, last-first+1-len(positions))
	return min(2*(between+missing)+unordered+first, maxNearness)
}
