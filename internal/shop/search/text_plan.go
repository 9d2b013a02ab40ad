package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"vitrine/internal/kit/language"
)

// textStage says how far a search goes in what it takes for a match. Each stage includes the ones before it.
type textStage int

const (
	stageForms   textStage = iota // words as typed, and their other forms
	stagePrefix                   // words that begin with a word of the query
	stageSynonym                  // what the store says is the same
	stageGuess                    // typing errors, the other keyboard layout, the other script
	textStages
)

const (
	// enoughFound is the number of products from which on a search does not go to the next stage.
	enoughFound = 50
	// maxQueryWords is the number of words of a query that are searched for.
	maxQueryWords = 32
	// minPrefix is the length in letters of a beginning, except for the last word of a query, which is being typed.
	minPrefix = 3
	// These limit the work for one word: the words that are compared with one that has typing errors, the corrections
	// that are kept, the words in the other script that are compared, and those that are kept.
	maxCompared    = 20_000
	maxCorrections = 16
	maxRanked      = 2 * maxCorrections // words of which the most frequent are taken, among those of one cost
	maxSounds      = 2_000
	maxSoundsKept  = 6
	// maxSoundGap is how much worse than the best one a kept word may sound.
	maxSoundGap = 6
	// maxHomophoneDistance is how much words of the same script may differ in sound.
	maxHomophoneDistance = 2
	// maxGuessed is the number of words of a query for which typing errors are looked for.
	maxGuessed = 12
)

// textPlan is what a query for words looks for. A query has slots, one for each of its words. A product matches if each
// slot has an alternative that matches it.
type textPlan struct {
	c     *searchColumns
	query string
	slots []textSlot
	// fields are the parts of the query between spaces, with the first of their slots.
	fields []textField
	// alternatives are sorted by stage; ends has their number by stage, as far as stages have been added.
	alternatives []alternative
	ends         []int
	sets         []*wordSet
	rules        *textRules
	// code is the whole query as an SKU, a barcode or an external id, or "".
	code string
	// pinned are the rows that come first, in their order.
	pinned []uint32
	// dropped are the words beyond maxQueryWords.
	dropped []string
}

// textSlot is a word of a query.
type textSlot struct {
	language.QueryWord
	typed string // as it stands in the query
	// optional is set for words that say little, such as prepositions. A product need not match them.
	optional bool
}

type textField struct {
	raw      string
	from, to int // the half-open range of its slots
}

// alternative is one way to read one or several neighbouring slots: a product matches if it matches all sets.
type alternative struct {
	from, to int // the half-open range of its slots
	sets     []*wordSet
	kind     matchKind
	cost     int // of the match, without the field; see relevance.go
	// read is what the slots are taken for, if it is not what was typed.
	read string
	// neighbours requires that the words of the sets follow one another in a name, or are in one value or category.
	neighbours bool
	// isBeginning is set if read is only the beginning of the words of the set.
	isBeginning bool
	// isLone marks a guess at a word that the store has. Such guesses are only made if nothing is found without one,
	// and then at one word of the query.
	isLone bool

	isResolved bool
	columns    []columnPass // of the values and categories with words of all sets, if neighbours is set
}

// wordSet is a set of words, and of codes, of which a product has to have one.
type wordSet struct {
	number int // in textPlan.sets
	ranges []idRange
	// code is an SKU, a barcode or an external id, or with codePrefix its beginning; "" if codes do not matter.
	code       string
	codePrefix bool
	// prefix and words are the same for highlights: the words themselves, and the beginning of words.
	prefix string
	words  []string

	isResolved bool
	columns    []columnPass
}

// columnPass is a column of sets, and which of its codes pass.
type columnPass struct {
	column *setColumn
	pass   []uint8
}

// newTextPlan returns the plan of a query, without alternatives, or nil if the query has no words.
func newTextPlan(c *searchColumns, query string) *textPlan {
	p := &textPlan{c: c, query: query, rules: &c.textRules}
	for _, f := range language.ParseQuery(query) {
		field := textField{raw: f.Raw, from: len(p.slots), to: len(p.slots)}
		for _, word := range f.Words {
			typed := query[word.Start:word.End]
			if len(p.slots) == maxQueryWords {
				p.dropped = append(p.dropped, typed)
				continue
			}
			p.slots = append(p.slots, textSlot{QueryWord: word, typed: typed})
			field.to++
		}
		p.fields = append(p.fields, field)
	}

	if len(p.slots) == 0 {
		return nil
	}

	p.markOptional()
	if code := language.Code(query); len(code) > 1 && len(code) <= maxWordBytes {
		p.code = code
	}
	return p
}

// markOptional marks the words that say little, unless the query has no other word. The last one may be the beginning
// of another word: see releaseLast.
func (p *textPlan) markOptional() {
	required := 0
	for i := range p.slots {
		s := &p.slots[i]
		s.optional = language.IsFunctionWord(s.Joined) && i < len(p.slots)-1
		if !s.optional {
			required++
		}
	}
	if required == 0 {
		for i := range p.slots {
			p.slots[i].optional = false
		}
	}
}

// requiredSlots returns the number of words that a product has to match.
func (p *textPlan) requiredSlots() (n int) {
	for i := range p.slots {
		if !p.slots[i].optional {
			n++
		}
	}
	return n
}

// releaseLast makes the last word optional, if it says little and is not the only one. It reports whether that is new.
func (p *textPlan) releaseLast() bool {
	last := &p.slots[len(p.slots)-1]
	if last.optional || len(p.slots) == 1 || !language.IsFunctionWord(last.Joined) {
		return false
	}
	last.optional = true
	return true
}

// addStage adds the alternatives of the next stage.
func (p *textPlan) addStage() {
	switch stage := textStage(len(p.ends)); stage {
	case stageForms:
		p.addForms()
	case stagePrefix:
		p.addPrefixes()
	case stageSynonym:
		p.addSynonyms()
	case stageGuess:
		p.addGuesses()
	}
	p.ends = append(p.ends, len(p.alternatives))
}

// of returns the alternatives up to a stage.
func (p *textPlan) of(stage textStage) []alternative { return p.alternatives[:p.ends[stage]] }

// add adds an alternative, unless one of its sets is empty.
func (p *textPlan) add(a alternative) {
	for _, set := range a.sets {
		if len(set.ranges) == 0 && set.code == "" {
			return
		}
	}
	for _, set := range a.sets {
		set.number = len(p.sets)
		p.sets = append(p.sets, set)
	}
	p.alternatives = append(p.alternatives, a)
}

// addForms adds the words as they were typed, read together and apart, and their other forms.
func (p *textPlan) addForms() {
	for i := range p.slots {
		s := &p.slots[i]
		p.add(alternative{from: i, to: i + 1, kind: matchExact, cost: costExact, sets: []*wordSet{p.exactly(s.Joined)}})
		p.add(alternative{from: i, to: i + 1, kind: matchForm, cost: costExact,
			sets: []*wordSet{p.otherForms(s.Joined)}})
		if len(s.Parts) > 1 {
			a := alternative{from: i, to: i + 1, kind: matchExact, cost: costExact, neighbours: true}
			for _, part := range s.Parts {
				a.sets = append(a.sets, p.anyForm(part))
			}
			p.add(a)
		}
		if i+1 < len(p.slots) { // wi fi, iphone 15
			p.add(alternative{from: i, to: i + 2, kind: matchExact, cost: costExact,
				sets: []*wordSet{p.exactly(s.Joined + p.slots[i+1].Joined)}})
		}
	}

	if p.code != "" && len(p.slots) > 1 {
		p.add(alternative{from: 0, to: len(p.slots), kind: matchExact, cost: costExact,
			sets: []*wordSet{{code: p.code}}})
	}
}

// addPrefixes adds the words that begin with a word of the query.
func (p *textPlan) addPrefixes() {
	for i := range p.slots {
		s := &p.slots[i]
		isLast := i == len(p.slots)-1
		if !isLast && utf8.RuneCountInString(s.Joined) < minPrefix {
			continue
		}

		p.add(alternative{from: i, to: i + 1, kind: matchPrefix, cost: costPrefix,
			sets: []*wordSet{p.beginningWith(s.Joined)}})
		if n := len(s.Parts); n > 1 && isLast {
			a := alternative{from: i, to: i + 1, kind: matchPrefix, cost: costPrefix, neighbours: true}
			for _, part := range s.Parts[:n-1] {
				a.sets = append(a.sets, p.anyForm(part))
			}
			a.sets = append(a.sets, p.beginningWith(s.Parts[n-1]))
			p.add(a)
		}
	}
}

// exactly returns the set of a word, and of the code that is equal to it.
func (p *textPlan) exactly(word string) *wordSet {
	set := &wordSet{words: []string{word}, code: language.Code(word)}
	if id, ok := p.c.vocabulary.find(word); ok {
		set.ranges = []idRange{{id, id + 1}}
	}
	return set
}

// anyForm returns the set of a word and its other forms, and of the code that is equal to it.
func (p *textPlan) anyForm(word string) *wordSet {
	set := p.setOf(append(p.formIDs(word), p.exactIDs(word)...))
	set.code = language.Code(word)
	return set
}

// otherForms returns the set of the other forms of a word.
func (p *textPlan) otherForms(word string) *wordSet {
	ids := p.formIDs(word)
	return p.setOf(slices.DeleteFunc(ids, func(id uint32) bool { return p.c.vocabulary.word(id) == word }))
}

func (p *textPlan) exactIDs(word string) []uint32 {
	if id, ok := p.c.vocabulary.find(word); ok {
		return []uint32{id}
	}
	return nil
}

// formIDs returns the words that have a stem in common with a word.
func (p *textPlan) formIDs(word string) (ids []uint32) {
	if !hasForms(word) {
		return nil
	}
	for _, key := range p.c.vocabulary.stemmer.Keys(word) {
		ids = append(ids, p.idsOfKey(key)...)
	}
	return ids
}

func (p *textPlan) idsOfKey(key string) (ids []uint32) {
	for _, x := range p.c.vocabulary.lexicons() {
		for _, number := range x.wordsOfKey(key) {
			ids = append(ids, x.id(number))
		}
	}
	return ids
}

// setOf returns the set of the words with these ids.
func (p *textPlan) setOf(ids []uint32) *wordSet {
	set := &wordSet{}
	for _, id := range sortDistinct(ids) {
		set.words = append(set.words, p.c.vocabulary.word(id))
		if n := len(set.ranges); n > 0 && set.ranges[n-1].to == id {
			set.ranges[n-1].to++
			continue
		}
		set.ranges = append(set.ranges, idRange{id, id + 1})
	}
	return set
}

// beginningWith returns the set of the words, and codes, that begin with a prefix.
func (p *textPlan) beginningWith(prefix string) *wordSet {
	set := &wordSet{prefix: prefix, code: language.Code(prefix), codePrefix: true}
	var added []uint32
	for _, x := range p.c.vocabulary.lexicons() {
		from, to := x.words.Prefix(prefix)
		switch {
		case from == to:
		case x.ids == nil:
			set.ranges = append(set.ranges, idRange{uint32(from), uint32(to)})
		default:
			added = append(added, x.ids[from:to]...)
		}
	}

	if len(added) > 0 {
		set.ranges = append(set.ranges, p.setOf(added).ranges...)
	}
	return set
}

// knows reports whether a product has the word or another form of it, as far as the dictionary tells.
func (p *textPlan) knows(word string) bool {
	return len(p.exactIDs(word)) > 0 || len(p.formIDs(word)) > 0
}

// addGuesses adds what may have been meant by words with typing errors, in the other keyboard layout or in the other
// script.
func (p *textPlan) addGuesses() {
	for i := range p.slots[:min(len(p.slots), maxGuessed)] {
		s := &p.slots[i]
		if s.optional {
			continue
		}

		before := len(p.alternatives)
		p.addWordGuesses(i, p.translations(s.Joined))
		p.addWordGuesses(i, p.corrections(s.Joined))
		p.addSplits(i, s.Joined)
		p.addPartGuesses(i)
		if i == len(p.slots)-1 {
			p.addBeginnings(i)
		}
		if p.knows(s.Joined) {
			for k := range p.alternatives[before:] {
				p.alternatives[before+k].isLone = true
			}
		}
	}

	for _, f := range p.fields[:min(len(p.fields), maxGuessed)] {
		if slices.ContainsFunc(p.slots[f.from:f.to], func(s textSlot) bool { return !p.knows(s.Joined) }) {
			p.addOtherLayouts(f)
		}
	}
}

// correction is a word that may have been meant, with the cost of the errors.
type correction struct {
	id   uint32
	cost int
}

// guess is what a word may have been meant to be: a word with its other forms.
type guess struct {
	set  *wordSet
	kind matchKind
	cost int
	read string
}

// guesses returns the words that may have been meant, which are sorted by cost, each with its other forms, at most most
// of them.
func (p *textPlan) guesses(found []correction, kind matchKind, most int) (list []guess) {
	seen := map[uint32]bool{}
	for _, f := range found {
		if seen[f.id] || len(list) == most {
			continue
		}

		meant := p.c.vocabulary.word(f.id)
		ids := append(p.formIDs(meant), f.id)
		for _, id := range ids {
			seen[id] = true
		}
		list = append(list, guess{p.setOf(ids), kind, f.cost, meant})
	}
	return list
}

// sortByCost sorts words by cost, those of the same cost by how many products have them in their names, then by the
// words, so that the order does not depend on their ids.
func (p *textPlan) sortByCost(found []correction) {
	slices.SortFunc(found, func(a, b correction) int { return a.cost - b.cost })
	for from := 0; from < len(found); {
		to := from + 1
		for to < len(found) && found[to].cost == found[from].cost {
			to++
		}
		if to > from+1 {
			p.sortByFrequency(found[from:to])
		}
		from = to
	}
}

// sortByFrequency sorts words of the same cost.
func (p *textPlan) sortByFrequency(found []correction) {
	frequencies := make(map[uint32]int, len(found))
	for _, f := range found {
		if _, counted := frequencies[f.id]; !counted {
			frequencies[f.id] = frequency(p.c.words, f.id)
		}
	}
	slices.SortFunc(found, func(a, b correction) int {
		return cmp.Or(frequencies[b.id]-frequencies[a.id],
			cmp.Compare(p.c.vocabulary.word(a.id), p.c.vocabulary.word(b.id)))
	})
}

// addWordGuesses adds what the word of a slot may have been meant to be.
func (p *textPlan) addWordGuesses(slot int, list []guess) {
	for _, g := range list {
		p.add(alternative{from: slot, to: slot + 1, kind: g.kind, cost: g.cost, sets: []*wordSet{g.set}, read: g.read})
	}
}

// addPartGuesses adds what a part of a word may have been meant to be, if the store does not have the part: айфон15.
func (p *textPlan) addPartGuesses(slot int) {
	parts := p.slots[slot].Parts
	for at, part := range parts {
		if len(parts) < 2 || !hasForms(part) || p.knows(part) {
			continue
		}

		for _, g := range append(p.translations(part), p.corrections(part)...) {
			a := alternative{from: slot, to: slot + 1, kind: g.kind, cost: g.cost, neighbours: true}
			read := slices.Clone(parts)
			read[at] = g.read
			a.read = strings.Join(read, " ")

			for i, other := range parts {
				if i == at {
					set := *g.set
					a.sets = append(a.sets, &set)
				} else {
					a.sets = append(a.sets, p.anyForm(other))
				}
			}
			p.add(a)
		}
	}
}

// corrections returns the most probable words that a word with typing errors may stand for.
func (p *textPlan) corrections(word string) []guess {
	var found []correction
	add := func(id uint32, errors int) {
		if meant := p.c.vocabulary.word(id); meant != word {
			found = append(found, correction{id, costOfErrors(errors, language.Nearness(word, meant))})
		}
	}

	for _, x := range p.c.vocabulary.lexicons() {
		matches, _ := x.words.Corrections(word, maxCompared)
		for _, m := range matches[:min(len(matches), maxRanked)] {
			add(x.id(uint32(m.Word)), m.Errors)
		}
		if !hasForms(word) {
			continue
		}

		// A form that no product has: its stem may have the error.
		for _, key := range p.c.vocabulary.stemmer.Keys(word) {
			matches, _ := x.keys.Corrections(key, maxCompared)
			for _, m := range matches[:min(len(matches), maxCorrections)] {
				for _, number := range x.wordsOfKeyNumber(m.Word) {
					add(x.id(number), m.Errors)
				}
			}
		}
	}

	p.sortByCost(found)
	return p.guesses(found, matchTypo, maxCorrections)
}

// addBeginnings adds the words that begin with what the word of a slot, which is being typed, may have been meant to
// begin with. If words begin with it as it is, that counts like a word that the store has.
func (p *textPlan) addBeginnings(slot int) {
	typed := p.slots[slot].Joined
	var found []language.Beginning
	isKnown := false
	for _, x := range p.c.vocabulary.lexicons() {
		near, _ := x.words.Beginnings(typed, maxCompared)
		found = append(found, near[:min(len(near), maxCorrections)]...)
		from, to := x.words.Prefix(typed)
		isKnown = isKnown || from < to
	}

	p.addOtherScript(slot, isKnown)
	slices.SortFunc(found, func(a, b language.Beginning) int {
		return cmp.Or(a.Errors-b.Errors, a.Nearness-b.Nearness, cmp.Compare(a.Text, b.Text))
	})
	found = slices.Compact(found)
	for _, b := range found[:min(len(found), maxCorrections)] {
		set := p.beginningWith(b.Text)
		set.code = ""
		p.add(alternative{from: slot, to: slot + 1, kind: matchTypo,
			cost: costBeginning + costOfErrors(b.Errors, b.Nearness),
			sets: []*wordSet{set}, read: b.Text, isBeginning: true, isLone: isKnown})
	}
}

// addOtherScript adds the words that begin with the word of a slot as it is written in the other script.
func (p *textPlan) addOtherScript(slot int, isKnown bool) {
	typed := p.slots[slot].Joined
	if utf8.RuneCountInString(typed) < minPrefix || !hasForms(typed) {
		return
	}
	for i, reading := range language.Readings(typed) {
		set := p.beginningWith(reading)
		set.code = ""
		p.add(alternative{from: slot, to: slot + 1, kind: matchSound, cost: costBeginning + costLetters + i,
			sets: []*wordSet{set}, read: reading, isBeginning: true, isLone: isKnown})
	}
}

// addSplits adds the two words that a word may be made of, if the space between them was forgotten.
func (p *textPlan) addSplits(slot int, word string) {
	for _, x := range p.c.vocabulary.lexicons() {
		for _, pair := range x.words.Splits(word) {
			first, second := x.words.At(pair[0]), x.words.At(pair[1])
			p.add(alternative{from: slot, to: slot + 1, kind: matchTypo, cost: costSplit,
				sets: []*wordSet{p.anyForm(first), p.anyForm(second)}, read: first + " " + second})
		}
	}
}

// addOtherLayouts adds what a field of the query is in the other keyboard layout, if all its words are known, or are
// known in the other script.
func (p *textPlan) addOtherLayouts(f textField) {
	if f.from == f.to {
		return
	}

	for _, other := range language.OtherLayouts(f.raw) {
		a := alternative{from: f.from, to: f.to, kind: matchLayout, cost: costLayout}
		var read []string
		isKnown := true
		for _, field := range language.ParseQuery(other) {
			for _, word := range field.Words {
				set, meant, cost := p.known(word.Joined)
				if isKnown = isKnown && set != nil; isKnown {
					a.sets = append(a.sets, set)
					a.cost += cost
					read = append(read, meant)
				}
			}
		}

		if isKnown && len(a.sets) > 0 {
			a.read = strings.Join(read, " ")
			if f.to-f.from == 1 && f.to < len(p.slots) && language.IsFunctionWord(a.read) && p.requiredSlots() > 1 {
				p.slots[f.from].optional = true // yf is на
				a.cost = costExact
			}
			p.add(a)
		}
	}
}

// known returns the forms of a word that the store has, and which word that is; nil if it has none. A brand that was
// typed in Cyrillic with the Latin layout may stand for its Latin name, which is a second guess and has a cost.
func (p *textPlan) known(word string) (set *wordSet, meant string, cost int) {
	if p.knows(word) {
		return p.anyForm(word), word, 0
	}
	list := p.translations(word)
	if len(list) == 0 || list[0].cost > costSound+maxSoundGap || !language.IsCyrillic(word) {
		return nil, "", 0
	}
	return list[0].set, list[0].read, costSecond + max(0, list[0].cost-costSound)
}

// translations returns the words of the other script that a word may stand for: first by its letters, then by its
// sound.
func (p *textPlan) translations(word string) []guess {
	var found []correction
	for i, reading := range language.Readings(word) {
		for _, id := range append(p.exactIDs(reading), p.formIDs(reading)...) {
			found = append(found, correction{id, costLetters + i})
		}
	}
	found = append(found, p.soundsLike(word)...)
	p.sortByCost(found)
	return p.guesses(found, matchSound, maxCorrections)
}

// soundsLike returns the words that sound most like a word.
func (p *textPlan) soundsLike(word string) (found []correction) {
	if !hasForms(word) {
		return nil
	}

	compared := 0
	for _, sound := range append(p.c.vocabulary.stemmer.Keys(word), word) {
		for _, key := range language.SoundKeys(sound) {
			for _, x := range p.c.vocabulary.lexicons() {
				for _, w := range x.wordsOfSound(key) {
					if compared == maxSounds {
						break
					}
					meant := x.words.At(int(w.word))
					compared++
					if cost, ok := costOfHearing(word, sound, meant); ok {
						found = append(found, correction{x.id(w.word), cost})
					}
				}
			}
		}
	}

	p.sortByCost(found)
	found = slices.CompactFunc(found, func(a, b correction) bool { return a.id == b.id })
	kept := 0
	for kept < min(len(found), maxSoundsKept) && found[kept].cost <= found[0].cost+maxSoundGap {
		kept++
	}
	return found[:kept]
}

// costOfHearing returns the cost of a word that sounds like the typed one, or like its stem; ok is false if it sounds
// too different. Words of the same script have to sound the same: smartfone.
func costOfHearing(typed, stem, meant string) (cost int, ok bool) {
	distance := min(language.SoundDistance(typed, meant), language.SoundDistance(stem, meant))
	if language.OtherScript(typed, meant) {
		return costSound + distance, distance <= maxSoundDistance(typed, meant)
	}

	const leastLetters = 5
	letters := min(utf8.RuneCountInString(typed), utf8.RuneCountInString(meant))
	return costHomophone + distance, typed != meant && letters >= leastLetters &&
		language.SoundDistance(typed, meant) <= maxHomophoneDistance
}

// maxSoundDistance returns how much two words of different scripts may differ in sound. Short words have too many
// others that sound alike.
func maxSoundDistance(a, b string) int {
	switch letters := min(utf8.RuneCountInString(a), utf8.RuneCountInString(b)); letters {
	case 0, 1, 2, 3:
		return 2
	case 4:
		return 8
	case 5:
		return 12
	default:
		return language.MaxSoundDistance
	}
}

// addSynonyms adds what the store says that phrases of the query also stand for.
func (p *textPlan) addSynonyms() {
	for i := range p.slots {
		for _, phrase := range p.rules.synonyms.startingWith(p.c.vocabulary.stemmer, p.slots[i].Joined) {
			if p.hasPhrase(i, phrase.words) {
				for _, target := range phrase.targets {
					p.addSynonym(i, i+len(phrase.words), target)
				}
			}
		}
	}
}

// hasPhrase reports whether the slots from i on are forms of the words of a phrase.
func (p *textPlan) hasPhrase(i int, words []string) bool {
	if len(p.slots)-i < len(words) {
		return false
	}
	for k, word := range words {
		if typed := p.slots[i+k].Joined; typed != word && !p.c.vocabulary.stemmer.SharesKey(typed, word) {
			return false
		}
	}
	return true
}

func (p *textPlan) addSynonym(from, to int, words []string) {
	a := alternative{from: from, to: to, kind: matchSynonym, cost: costSynonym, read: strings.Join(words, " ")}
	for _, word := range words {
		a.sets = append(a.sets, p.anyForm(word))
	}
	p.add(a)
}
