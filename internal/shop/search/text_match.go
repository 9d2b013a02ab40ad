package search

import (
	"cmp"
	"math/bits"
	"slices"

	"vitrine/internal/kit/language"
	"vitrine/internal/shop/catalog"
)

// textMatch finds the rows that match the words of a query, without the other conditions of the query.
type textMatch struct {
	c    *searchColumns
	plan *textPlan
	// stage is the stage that found the rows. If isPartial is set, no product matches all words, and the rows match
	// most of them.
	stage     textStage
	isPartial bool
	// lone is the slot of a word that the store has and that was taken for another one, or noSlot.
	lone int
	// onlySure leaves improbable guesses out: if not all words match, they are probably wrong.
	onlySure bool
	// rows are the matching rows by block.
	rows  []rowBits
	count int

	// hits has, for the current block, the rows that have a word of a set in a field; states tells which are computed.
	hits   [][matchFields]rowBits
	states []hitState
}

// hitState is what is known of the hits of a set in the current block.
type hitState uint8

const (
	hitsUnknown hitState = iota
	noHits
	someHits
)

// matchText finds the rows of a query for words. rules are tried out; nil stands for those of the store.
func (c *searchColumns) matchText(query string, rules *textRules) *textMatch {
	m := &textMatch{c: c, plan: newTextPlan(c, query), lone: noSlot}
	if m.plan == nil {
		return m
	}
	if rules != nil {
		m.plan.rules = rules
	}

	m.rows = make([]rowBits, len(c.words))
	m.matchInStages(stageForms, stageGuess)
	if m.count == 0 && m.plan.releaseLast() { // "лампа на" ends with a word that says little
		m.matchInStages(stageForms, stageGuess)
	}
	if m.count == 0 {
		m.matchInStages(stageGuess, textStages)
		m.matchLoneGuess()
	}
	if m.count == 0 {
		m.matchMost()
	}
	m.addPinned()

	return m
}

// matchInStages looks for rows in one stage after the other, as long as there are not enough, from begin up to the one
// before end.
func (m *textMatch) matchInStages(begin, end textStage) {
	for stage := begin; stage < end; stage++ {
		if int(stage) == len(m.plan.ends) {
			m.addStage(stage)
		}
		m.stage = stage
		if stage > 0 && m.plan.ends[stage] == m.plan.ends[stage-1] {
			continue // nothing is new, so the rows are those of the stage before
		}
		if m.count = m.matchAll(stage, noSlot); m.count >= enoughFound {
			return
		}
	}
}

// addStage adds the alternatives of a stage to the plan.
func (m *textMatch) addStage(stage textStage) {
	m.plan.addStage()
	m.stage = stage
	for len(m.hits) < len(m.plan.sets) {
		m.hits = append(m.hits, [matchFields]rowBits{})
		m.states = append(m.states, hitsUnknown)
	}
	for _, set := range m.plan.sets {
		m.resolve(set)
	}

	alternatives := m.plan.of(stage)
	for i := range alternatives {
		a := &alternatives[i]
		if a.neighbours && !a.isResolved { // the words may be those of one value: 128 GB
			a.isResolved = true
			a.columns = m.passes(func(words *memberWords, add func(member uint32)) {
				for _, member := range a.members(words) {
					add(member)
				}
			})
		}
	}
}

// resolve finds the values and categories with a word of the set.
func (m *textMatch) resolve(set *wordSet) {
	if set.isResolved {
		return
	}
	set.isResolved = true
	set.columns = m.passes(func(words *memberWords, add func(member uint32)) {
		for _, r := range set.ranges {
			words.each(r, add)
		}
	})
}

// passes returns the columns with the values and categories that each calls add for.
func (m *textMatch) passes(each func(words *memberWords, add func(member uint32))) (list []columnPass) {
	c := m.c
	values := map[*setColumn][]bool{}
	each(&c.valueWords, func(member uint32) {
		column := m.columnOfValue(member)
		if column == nil {
			return
		}
		if values[column] == nil {
			values[column] = make([]bool, len(c.values.keys))
		}
		values[column][member] = true
	})
	for column, mask := range values {
		list = append(list, columnPass{column, column.containsAny(mask)})
	}

	var categories []bool
	each(&c.categoryWords, func(member uint32) {
		if c.tree.nodes[member].deleted {
			return
		}
		if categories == nil {
			categories = make([]bool, len(c.tree.nodes))
		}
		categories[member] = true
	})
	if categories != nil {
		c.tree.includeDescendants(categories)
		list = append(list, columnPass{&c.categories, c.categories.containsAny(categories)})
	}

	return list
}

// columnOfValue returns the column that says which products have a value, or nil if there is none.
func (m *textMatch) columnOfValue(member uint32) *setColumn {
	c := m.c
	v := &c.values.byID[member]
	a := c.attributes[v.attribute]
	switch {
	case v.deleted || a == nil:
		return nil
	case a.kind == catalog.Feature:
		return c.columnFor(v.attribute)
	default:
		return &c.productOptions
	}
}

// startBlock forgets the hits of the block before.
func (m *textMatch) startBlock() { clear(m.states) }

// hitsOf returns the rows of a block that have a word of the set, by field, or nil if there is none.
func (m *textMatch) hitsOf(block uint32, set *wordSet) *[matchFields]rowBits {
	hits := &m.hits[set.number]
	switch m.states[set.number] {
	case someHits:
		return hits
	case noHits:
		return nil
	}

	*hits = [matchFields]rowBits{}
	found := false
	w := &m.c.words[block]
	for _, words := range set.ranges {
		found = w.find(inName, words, &hits[fieldName]) || found
		found = w.find(inDescription, words, &hits[fieldDescription]) || found
	}
	if set.code != "" {
		var codes rowBits
		if m.c.findCode(block, set.code, set.codePrefix, &codes) {
			hits[fieldName].add(&codes)
			found = true
		}
	}

	from := block * blockLen
	to := min(from+blockLen, uint32(m.c.rowCount()))
	for _, pass := range set.columns {
		found = pass.addRows(block, from, to, &hits[fieldValues]) || found
	}

	if !found {
		m.states[set.number] = noHits
		return nil
	}
	m.states[set.number] = someHits
	return hits
}

// addRows adds the rows whose codes pass. It returns false if there are none.
func (p *columnPass) addRows(block, from, to uint32, found *rowBits) bool {
	codes := p.column.blockCodes[block]
	most := min(int(codes.most), len(p.pass)-1)
	if int(codes.least) > most || !slices.Contains(p.pass[codes.least:most+1], 1) {
		return false
	}

	var fails rowBits
	switch p.column.width {
	case 0:
		testCodes(p.column.narrow[from:to], p.pass, &fails)
	case 1:
		testCodes(p.column.middle[from:to], p.pass, &fails)
	default:
		testCodes(p.column.wide[from:to], p.pass, &fails)
	}

	var all rowBits
	all.setFirst(to - from)
	for i := range found {
		found[i] |= all[i] &^ fails[i]
	}
	return true
}

// alternativeHits returns the rows of a block that match an alternative in this field, or a more important one, in each
// of its sets, and in this field in one of them. It returns nil if there is none. The rows are those of the only set,
// or are written to found.
func (m *textMatch) alternativeHits(
	block uint32, a *alternative, found *[matchFields]rowBits,
) *[matchFields]rowBits {
	if len(a.sets) == 1 {
		return m.hitsOf(block, a.sets[0])
	}

	for _, set := range a.sets {
		if m.hitsOf(block, set) == nil {
			return nil
		}
	}
	for i, set := range a.sets {
		hits := m.hitsOf(block, set)
		var upTo rowBits
		for field := range found {
			upTo.add(&hits[field])
			if i == 0 {
				found[field] = upTo
			} else {
				found[field].intersect(&upTo)
			}
		}
	}

	if a.neighbours {
		*found = [matchFields]rowBits{fieldName: found[fieldName]}
		m.keepNeighbours(block, a, &found[fieldName])
		from := block * blockLen
		for _, pass := range a.columns {
			pass.addRows(block, from, min(from+blockLen, uint32(m.c.rowCount())), &found[fieldValues])
		}
	}
	return found
}

// keepNeighbours leaves the rows whose names have words of the sets of an alternative that follow one another.
func (m *textMatch) keepNeighbours(block uint32, a *alternative, rows *rowBits) {
	for row := range rows.rows {
		words := m.c.nameWordsOf(block*blockLen + row)
		isFound := false
		for at := 0; at+len(a.sets) <= len(words) && !isFound; at++ {
			isFound = true
			for i, set := range a.sets {
				isFound = isFound && set.contains(words[at+i]&^lastWord)
			}
		}
		if !isFound {
			rows.clear(row)
		}
	}
}

// contains reports whether the set has the word with this id.
func (s *wordSet) contains(word uint32) bool {
	return slices.ContainsFunc(s.ranges, func(r idRange) bool { return r.from <= word && word < r.to })
}

// slotRows returns, for a block, the rows that match each slot by an alternative up to a stage.
// Of the guesses at words that the store has, it takes those at the lone slot only.
func (m *textMatch) slotRows(block uint32, stage textStage, lone int, slots []rowBits) {
	clear(slots)
	var scratch [matchFields]rowBits
	alternatives := m.plan.of(stage)
	for i := range alternatives {
		a := &alternatives[i]
		if a.isLone && a.from != lone || m.onlySure && a.cost >= costUnsure {
			continue
		}

		found := m.alternativeHits(block, a, &scratch)
		if found == nil {
			continue
		}
		for slot := a.from; slot < a.to; slot++ {
			for field := range found {
				slots[slot].add(&found[field])
			}
		}
	}
}

// noSlot is the lone slot if there is none.
const noSlot = -1

// matchLoneGuess does nothing if rows were found. Otherwise it sets rows to those that match all words if a single
// word, which the store has, was meant to be another one.
func (m *textMatch) matchLoneGuess() {
	if m.count > 0 {
		return
	}

	tried := -1
	for _, a := range m.plan.of(m.stage) {
		if !a.isLone || a.from == tried {
			continue
		}
		tried = a.from
		if m.count = m.matchAll(m.stage, tried); m.count > 0 {
			m.lone = tried
			return
		}
	}
}

// uses reports whether an alternative took part in finding the rows.
func (m *textMatch) uses(a *alternative) bool {
	return (!a.isLone || a.from == m.lone) && !(m.onlySure && a.cost >= costUnsure)
}

// matchAll sets rows to those that match all required slots up to a stage, and returns their number.
func (m *textMatch) matchAll(stage textStage, lone int) int {
	count := 0
	slots := make([]rowBits, len(m.plan.slots))
	for block := range m.rows {
		m.startBlock()
		m.slotRows(uint32(block), stage, lone, slots)
		rows := m.c.liveRows(uint32(block))
		for i := range slots {
			if !m.plan.slots[i].optional {
				rows.intersect(&slots[i])
			}
		}
		m.rows[block] = rows
		count += rows.count()
	}
	return count
}

// matchMost sets rows to those that match as many required slots as possible, at least half of them, in the first stage
// that finds so many.
func (m *textMatch) matchMost() {
	required := m.plan.requiredSlots()
	m.onlySure = true
	most := 0
	for stage := range textStage(len(m.plan.ends)) {
		if n := m.mostSlots(stage); n > most && 2*n >= required {
			most = n
			m.stage = stage
		}
	}
	if most == 0 {
		return
	}

	m.isPartial = true
	slots := make([]rowBits, len(m.plan.slots))
	for block := range m.rows {
		counts := m.countSlots(uint32(block), m.stage, slots)
		m.rows[block] = counts.equal(most)
		m.count += m.rows[block].count()
	}
}

// mostSlots returns the greatest number of required slots that a row matches.
func (m *textMatch) mostSlots(stage textStage) int {
	most := 0
	slots := make([]rowBits, len(m.plan.slots))
	for block := range m.rows {
		counts := m.countSlots(uint32(block), stage, slots)
		most = max(most, counts.most())
	}
	return most
}

// countSlots counts the required slots that each live row of a block matches.
func (m *textMatch) countSlots(block uint32, stage textStage, slots []rowBits) rowCounts {
	var counts rowCounts
	m.startBlock()
	m.slotRows(block, stage, noSlot, slots)
	live := m.c.liveRows(block)
	for i := range slots {
		if !m.plan.slots[i].optional {
			slots[i].intersect(&live)
			counts.add(&slots[i])
		}
	}
	return counts
}

// addPinned adds the rows of the products that are pinned for the query.
func (m *textMatch) addPinned() {
	for _, key := range m.plan.rules.pinned[language.FoldQuery(m.plan.query)] {
		row, ok := m.c.findRow(key)
		if !ok || m.c.deleted[row] {
			continue
		}
		m.plan.pinned = append(m.plan.pinned, row)
		if rows := &m.rows[row/blockLen]; !rows.has(row % blockLen) {
			rows.set(row % blockLen)
			m.count++
		}
	}
}

// allRows returns the matching rows, sorted.
func (m *textMatch) allRows() []uint32 {
	list := make([]uint32, 0, m.count)
	for block := range m.rows {
		list = m.rows[block].appendRows(list, uint32(block)*blockLen)
	}
	return list
}

// liveRows returns the rows of a block that are not deleted.
func (c *searchColumns) liveRows(block uint32) (rows rowBits) {
	from := block * blockLen
	to := min(from+blockLen, uint32(c.rowCount()))
	rows.setFirst(to - from)
	if c.deletedCount > 0 {
		for i, deleted := range c.deleted[from:to] {
			if deleted {
				rows.clear(uint32(i))
			}
		}
	}
	return rows
}

// add adds the rows of other.
func (b *rowBits) add(other *rowBits) {
	for i := range b {
		b[i] |= other[i]
	}
}

// subtract clears the rows of other. It reports whether any row is left.
func (b *rowBits) subtract(other *rowBits) bool {
	left := uint64(0)
	for i := range b {
		b[i] &^= other[i]
		left |= b[i]
	}
	return left != 0
}

// count returns the number of rows.
func (b *rowBits) count() (n int) {
	for _, word := range b {
		n += bits.OnesCount64(word)
	}
	return n
}

// rowCounts has a number for each row of a block, as binary digits: the first element has the lowest ones.
type rowCounts [6]rowBits

// add adds 1 for each of the rows.
func (n *rowCounts) add(rows *rowBits) {
	for i, carry := range rows {
		for digit := range n {
			n[digit][i], carry = n[digit][i]^carry, n[digit][i]&carry
			if carry == 0 {
				break
			}
		}
	}
}

// most returns the greatest number.
func (n *rowCounts) most() int {
	var among rowBits
	among.setFirst(blockLen)
	most := 0
	for digit := len(n) - 1; digit >= 0; digit-- {
		rows := n[digit]
		if rows.intersect(&among) {
			among = rows
			most |= 1 << digit
		}
	}
	return most
}

// equal returns the rows with this number.
func (n *rowCounts) equal(number int) (rows rowBits) {
	rows.setFirst(blockLen)
	for digit := range n {
		for i := range rows {
			if number>>digit&1 != 0 {
				rows[i] &= n[digit][i]
			} else {
				rows[i] &^= n[digit][i]
			}
		}
	}
	return rows
}

// textCosts computes the costs of matching rows.
type textCosts struct {
	*textMatch
	levels [][]textLevel // by slot, the least cost first
	// found has, by alternative, the rows of the current block that match it, or nil; own are those of alternatives
	// with several sets.
	found []*[matchFields]rowBits
	own   []*[matchFields]rowBits
	costs []textCost // by row; only those of matching rows are set
}

// textLevel is a field in which an alternative matches, with the cost.
type textLevel struct {
	alternative int // in textPlan.alternatives
	field       int
	cost        int
	forms       int // 1 if it is another form of the word
}

func (m *textMatch) newCosts(costs []textCost) *textCosts {
	t := &textCosts{textMatch: m, levels: make([][]textLevel, len(m.plan.slots)), costs: costs}
	alternatives := m.plan.of(m.stage)
	t.found = make([]*[matchFields]rowBits, len(alternatives))
	t.own = make([]*[matchFields]rowBits, len(alternatives))

	for i := range alternatives {
		a := &alternatives[i]
		if !m.uses(a) {
			continue
		}
		if len(a.sets) > 1 {
			t.own[i] = new([matchFields]rowBits)
		}
		for field, cost := range fieldCosts {
			for slot := a.from; slot < a.to; slot++ {
				level := textLevel{alternative: i, field: field, cost: a.cost + cost}
				if a.kind == matchForm {
					level.forms = 1
				}
				t.levels[slot] = append(t.levels[slot], level)
			}
		}
	}
	for slot := range t.levels {
		slices.SortStableFunc(t.levels[slot], func(a, b textLevel) int {
			return cmp.Or(a.cost-b.cost, a.forms-b.forms)
		})
	}
	return t
}

// addBlock computes the costs of rows of a block.
func (t *textCosts) addBlock(block uint32, rows *rowBits) {
	alternatives := t.plan.of(t.stage)
	t.startBlock()
	for i := range alternatives {
		t.found[i] = nil
		if t.uses(&alternatives[i]) {
			t.found[i] = t.alternativeHits(block, &alternatives[i], t.own[i])
		}
	}

	from := block * blockLen
	for row := range rows.rows {
		t.costs[from+row] = 0
	}
	for slot, levels := range t.levels {
		left := *rows
		for _, level := range levels {
			hits := t.found[level.alternative]
			if hits == nil {
				continue
			}
			found := hits[level.field]
			if !found.intersect(&left) {
				continue
			}
			t.addCost(from, &found, level)
			if !left.subtract(&found) {
				break
			}
		}
		if t.plan.slots[slot].optional {
			t.addCost(from, &left, textLevel{cost: costOptional})
		}
	}
}

func (t *textCosts) addCost(from uint32, rows *rowBits, level textLevel) {
	if level.cost+level.forms == 0 {
		return
	}
	for row := range rows.rows {
		t.costs[from+row] = t.costs[from+row].plus(level.cost, level.forms)
	}
}
