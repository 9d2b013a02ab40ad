package locale

// appendDiff appends the phrase for the time between an instant and now, in the largest whole unit and rounded down:
// 119 seconds give one minute. It compares whole seconds, as the API shows them.
func (d *Dates) appendDiff(dst []byte, unix int64, local *civil) []byte {
	if unix == d.now {
		return append(dst, d.table.now...)
	}
	// elapsed is unsigned, because the distance between two extreme instants does not fit into an int64.
	dir := past
	elapsed := uint64(d.now) - uint64(unix)
	from := local
	to := &d.local
	if unix > d.now {
		dir, elapsed, from, to = future, -elapsed, to, from
	}
	n, u := largestUnit(elapsed, from, to)
	return d.table.appendPhrase(dst, dir, n, u)
}

// largestUnit returns the largest unit that fits into the distance, and how many times it fits. Units up to weeks count
// elapsed time, so that 23 hours across a daylight saving transition are not a day. Months and years follow the
// calendar of the zone.
func largestUnit(elapsed uint64, from, to *civil) (int, unit) {
	const (
		perMinute = 60
		perHour   = 60 * perMinute
		perDay    = 24 * perHour
		perWeek   = 7 * perDay
	)

	// In less than 26 days no month is complete: the shortest month has 28 days, and a change of the zone's offset
	// shortens it by less than two.
	if elapsed >= 26*perDay {
		if n := monthsBetween(from, to); n >= 12 {
			return n / 12, unitYear
		} else if n >= 1 {
			return n, unitMonth
		}
	}

	switch {
	case elapsed >= perWeek:
		return int(elapsed / perWeek), unitWeek
	case elapsed >= perDay:
		return int(elapsed / perDay), unitDay
	case elapsed >= perHour:
		return int(elapsed / perHour), unitHour
	case elapsed >= perMinute:
		return int(elapsed / perMinute), unitMinute
	}

	return int(elapsed), unitSecond
}

// monthsBetween returns the number of whole months between two times. A month is complete at the same day and time of
// the next month or, if that month has no such day, at the beginning of the month after it.
func monthsBetween(from, to *civil) int {
	n := (to.year-from.year)*12 + to.month - from.month
	if to.secondOfMonth() < from.secondOfMonth() {
		n--
	}
	return n
}
