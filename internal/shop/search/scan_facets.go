package search

import "slices"

// countMatches counts the matching rows for the facets. If most rows match, the other rows are counted and subtracted
// from the totals of the columns.
func (s *searchScan) countMatches() {
	columns := append([]*setColumn{&s.c.categories, s.optionColumn}, s.c.features...)
	counts := append([][]int64{s.categoryCounts, s.optionSetCounts}, s.featureCounts...)
	rows := s.matched
	sign := int64(1)
	if 2*len(rows) > s.c.liveCount() {
		others, release := s.c.borrowRows()
		defer release()

		*others = s.c.appendOthers(*others, rows)
		rows = *others
		sign = -1

		for i, column := range columns {
			for code, n := range column.totals {
				counts[i][code] += n
			}
		}
	}

	for len(rows) > 0 {
		block := rows[0] / blockLen
		n, _ := slices.BinarySearch(rows, (block+1)*blockLen)
		for i, column := range columns {
			column.countBlock(block, rows[:n], counts[i], sign)
		}
		rows = rows[n:]
	}
}

// appendOthers appends the live rows that are not in rows, which must be sorted.
func (c *searchColumns) appendOthers(to, rows []uint32) []uint32 {
	for row, deleted := range c.deleted {
		switch {
		case len(rows) > 0 && rows[0] == uint32(row):
			rows = rows[1:]
		case !deleted:
			to = append(to, uint32(row))
		}
	}
	return to
}

// countBlock adds n to the count of the code of each row. All rows are in one block.
func (c *setColumn) countBlock(block uint32, rows []uint32, counts []int64, n int64) {
	if codes := c.blockCodes[block]; codes.least == codes.most {
		counts[codes.least] += n * int64(len(rows))
		return
	}
	switch c.width {
	case 0:
		countNarrowCodes(c.narrow, rows, counts, n)
	case 1:
		countCodes(c.middle, rows, counts, n)
	default:
		countCodes(c.wide, rows, counts, n)
	}
}

func countCodes[T uint8 | uint16 | uint32](codes []T, rows []uint32, counts []int64, n int64) {
	for _, row := range rows {
		counts[codes[row]] += n
	}
}

// countNarrowCodes is like countCodes. Most columns are narrow, so it is faster for many rows: adjacent rows often have
// the same code, and an addition that needs the result of the previous one has to wait for it. So it counts the rows in
// turn in several arrays.
func countNarrowCodes(codes []uint8, rows []uint32, counts []int64, n int64) {
	const lanes = 4
	if len(rows) < 256*lanes/2 {
		countCodes(codes, rows, counts, n)
		return
	}

	var parts [lanes][256]uint32
	for ; len(rows) >= lanes; rows = rows[lanes:] {
		parts[0][codes[rows[0]]]++
		parts[1][codes[rows[1]]]++
		parts[2][codes[rows[2]]]++
		parts[3][codes[rows[3]]]++
	}

	countCodes(codes, rows, counts, n)

	for code := range counts[:min(256, len(counts))] {
		sum := parts[0][code] + parts[1][code] + parts[2][code] + parts[3][code]
		counts[code] += n * int64(sum)
	}
}
