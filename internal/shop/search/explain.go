package search

import (
	"context"
	"errors"
	"slices"
	"strings"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/store"
)

// Hit says why a product stands where it stands among the products that a query for words finds. The fields are in the
// order of their importance: see rankOf.
type Hit struct {
	Key int64
	// IsPinned reports that the store has pinned the product for the query, and IsCode that the whole query is an SKU,
	// a barcode or an external id of it.
	IsPinned, IsCode bool
	// Cost is the sum of the costs of Words, which has an element for each word of the query, or for several that are
	// read together: xt[jk, wi fi.
	Cost  int
	Words []WordHit
	// Distance is how far the matched words are from each other in the name and from its beginning; see nearnessOf.
	Distance int
	// Forms is how many words match by another form.
	Forms int
	// IsAvailable reports whether the product is in stock and has a price.
	IsAvailable bool
	// Ordered is how many pieces were ordered.
	Ordered uint32
}

// IsNamed reports whether the name of the product itself, not only of a variant, has a word of the query.
func (h *Hit) IsNamed() bool { return h.Distance != maxNearness }

// WordHit says how a product matches a word of a query, or several that are read together.
type WordHit struct {
	Typed string
	// How is the way in which the word matches, or "" if it does not.
	How WordMatch
	// Read is what the word was taken for, if it is not what was typed.
	Read string
	// By are the words, values, categories or codes of the product that match.
	By    []string
	Where Field
	Cost  int
	// Optional reports that the word says little, so that a product need not match it.
	Optional bool
}

// WordMatch is a way in which a word matches.
type WordMatch string

// The ways in which a word matches, the most trusted first.
const (
	WordExact   WordMatch = "exact"
	WordForm    WordMatch = "form"
	WordPrefix  WordMatch = "prefix"
	WordSynonym WordMatch = "synonym"
	WordTypo    WordMatch = "typo"
	WordLayout  WordMatch = "layout"
	WordSound   WordMatch = "sound"
)

var wordMatches = [...]WordMatch{matchExact: WordExact, matchForm: WordForm, matchPrefix: WordPrefix,
	matchSynonym: WordSynonym, matchTypo: WordTypo, matchLayout: WordLayout, matchSound: WordSound}

// Field is where a word matches.
type Field string

// InName is for the names of products and variants, InCode for SKUs, barcodes and external ids, and InValues for
// categories and the values of features and options.
const (
	InName        Field = "name"
	InCode        Field = "code"
	InValues      Field = "value"
	InDescription Field = "description"
)

var fields = [matchFields]Field{fieldName: InName, fieldValues: InValues, fieldDescription: InDescription}

// maxExplainedWords limits the words of a name or a description that explain one word of a query.
const maxExplainedWords = 3

// Explain answers a query with Query.WithExplanation on the snapshot of tx, which has the versions current. It uses the
// columns in memory. If they are not ready, it builds columns for this call, which takes as long as a build after a
// start. It returns a fault.Unavailable if they exceed Deps.Memory.
func (s *Service) Explain(ctx context.Context, tx store.Tx, query Query, current Versions) (_ Result, err error) {
	defer fault.AddContext(&err, "explain a search of store %s", tx.StoreID())
	query.WithExplanation = true
	found, err := s.findInColumns(ctx, tx, query, current, true)
	if !errors.Is(err, errNotReady) {
		return found, err
	}

	f, err := s.resolveSearchFilter(ctx, tx, query, current.State)
	if err != nil {
		return Result{}, err
	}

	var chains []pricing.Chain
	if !query.Prices.IsBase() {
		chains = append(chains, query.Prices)
	}

	c, err := buildColumns(ctx, tx, s.Memory, chains)
	if errors.Is(err, errTooLarge) {
		return Result{}, fault.New(fault.Unavailable, "search_memory",
			"The products of the store do not fit into the search memory.").Because(err)
	}
	if err != nil {
		return Result{}, err
	}

	return c.find(f, c.pricesFor(&query), query), nil
}

// matched returns the way that the stage adds.
func (s textStage) matched() Matched {
	return [...]Matched{stageForms: MatchedForms, stagePrefix: MatchedPrefix, stageSynonym: MatchedSynonym,
		stageGuess: MatchedCorrected}[s]
}

// hits explains the rows of products.
func (r *textRank) hits(keys []int64) []Hit {
	list := make([]Hit, 0, len(keys))
	for _, key := range keys {
		if row, ok := r.c.findRow(key); ok {
			list = append(list, r.hit(row))
		}
	}
	return list
}

// hit explains the rank of a row.
func (r *textRank) hit(row uint32) Hit {
	_, isPinned := r.pinned[row]
	h := Hit{Key: r.c.keys[row], IsPinned: isPinned, IsCode: r.coded[row], Cost: r.costs[row].sum(),
		Distance: r.nearness(row), Forms: r.costs[row].forms(),
		IsAvailable: r.isAvailable(row), Ordered: r.c.popularity[row]}

	matches := r.explain(row)
	for from := 0; from < len(matches); {
		to := from + 1
		for to < len(matches) && matches[to].alternative != nil && matches[to] == matches[from] {
			to++
		}
		h.Words = append(h.Words, r.wordHit(row, from, to, matches[from]))
		from = to
	}
	return h
}

// wordHit explains how a row matches the slots in [from, to). The current block is that of the row.
func (r *textRank) wordHit(row uint32, from, to int, match slotMatch) WordHit {
	slots := r.plan.slots[from:to]
	w := WordHit{Typed: r.plan.query[slots[0].Start:slots[len(slots)-1].End], Optional: slots[0].optional}
	if match.alternative == nil {
		if w.Optional {
			w.Cost = costOptional
		}
		return w
	}

	w.How = wordMatches[match.kind]
	w.Read = match.read
	w.Where = fields[match.level.field]
	w.Cost = match.level.cost * len(slots)
	if match.neighbours && match.level.field == fieldValues {
		w.By = withoutRepeats(r.membersOf(row, func(words *memberWords, add func(member uint32)) {
			for _, member := range match.members(words) {
				add(member)
			}
		}))
		return w
	}

	onlyCodes := true
	for _, set := range match.sets {
		by, isCode := r.wordsOf(row, set, match.level.field)
		w.By = append(w.By, by...)
		onlyCodes = onlyCodes && isCode
	}
	w.By = withoutRepeats(w.By)
	if onlyCodes {
		w.Where = InCode
	}

	return w
}

// wordsOf returns what a row has of a set, in the most important field that has some, up to the last one. It reports
// whether these are codes.
func (r *textRank) wordsOf(row uint32, set *wordSet, last int) (list []string, areCodes bool) {
	hits := r.hitsOf(row/blockLen, set)
	for field := fieldName; field <= last && hits != nil; field++ {
		if !hits[field].has(row % blockLen) {
			continue
		}

		switch field {
		case fieldName:
			if list = r.textWords(row, set, inName); len(list) == 0 {
				return r.codesOfSet(row, set), true
			}
			return list, false
		case fieldValues:
			return r.membersOf(row, func(words *memberWords, add func(member uint32)) {
				for _, ids := range set.ranges {
					words.each(ids, add)
				}
			}), false
		default:
			return r.textWords(row, set, inDescription), false
		}
	}
	return nil, false
}

// textWords returns the first words of a set that a part of the text of a row has.
func (r *textRank) textWords(row uint32, set *wordSet, part int) (list []string) {
	for _, ids := range set.ranges {
		for _, id := range r.c.words[row/blockLen].wordsOf(row%blockLen, part, ids) {
			if len(list) < maxExplainedWords {
				list = append(list, r.c.vocabulary.word(id))
			}
		}
	}
	return list
}

// wordsOf returns the words of a range that a row of the block has in a part of its text.
func (w *wordIndex) wordsOf(row uint32, part int, ids idRange) []uint32 {
	var rows rowBits
	w.find(part, ids, &rows)
	switch middle := ids.from + (ids.to-ids.from)/2; {
	case !rows.has(row):
		return nil
	case middle == ids.from:
		return []uint32{ids.from}
	default:
		return append(w.wordsOf(row, part, idRange{ids.from, middle}), w.wordsOf(row, part, idRange{middle, ids.to})...)
	}
}

// codesOfSet returns the codes of a row that a set stands for.
func (r *textRank) codesOfSet(row uint32, set *wordSet) (list []string) {
	isSeparator := func(char rune) bool { return char <= ' ' }
	for code := range strings.FieldsFuncSeq(string(r.c.codesOf(row)), isSeparator) {
		if code == set.code || set.codePrefix && strings.HasPrefix(code, set.code) {
			list = append(list, code)
		}
	}
	return list[:min(len(list), maxExplainedWords)]
}

// membersOf returns the names of the values and categories of a row that each calls add for. A category counts for the
// products of its subtree.
func (r *textRank) membersOf(row uint32, each func(words *memberWords, add func(member uint32))) (names []string) {
	c := r.c
	each(&c.valueWords, func(member uint32) {
		if column := r.columnOfValue(member); column != nil &&
			slices.Contains(column.of(column.at(row)), member) {
			names = append(names, c.values.byID[member].name)
		}
	})

	found := map[uint32]bool{}
	each(&c.categoryWords, func(member uint32) { found[member] = !c.tree.nodes[member].deleted })
	for _, category := range c.categories.of(c.categories.at(row)) {
		for at := category; at != noIndex; at = c.tree.nodes[at].parent {
			if found[at] {
				names = append(names, c.tree.nodes[at].name)
			}
		}
	}
	return names
}

// withoutRepeats removes repeated texts.
func withoutRepeats(list []string) (kept []string) {
	for _, text := range list {
		if !slices.Contains(kept, text) {
			kept = append(kept, text)
		}
	}
	return kept
}
