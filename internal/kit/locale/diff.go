package locale

// appendDiff appends the time between an instant and now in its largest whole
// unit, truncated: 119 seconds are one minute. It compares the timestamps the
// API shows, that is whole seconds.
func (d *Dates) appendDiff(dst []byte, unix int64, local *civil) []byte {
	if unix == d.now {
		return append(dst, d.table.now...)
	}
	// Unsigned, since the distance of two far instants does not fit an int64.
	dir, elapsed, from, to := past, uint64(d.now)-uint64(unix), local, &d.local
	if unix > d.now {
		dir, elapsed, from, to = future, -elapsed, to, from
	}
	n, u := largestUnit(elapsed, from, to)
	return d.table.appendPhrase(dst, dir, n, u)
}

// largestUnit returns the largest unit that fits the distance, and how often.
// Up to weeks it goes by elapsed time, so that 23 hours across a change of
// clocks are no day; months and years go by the calendar of the zone.
func largestUnit(elapsed uint64, from, to *civil) (int, unit) {
	const (
		perMinute = 60
		perHour   = 60 * perMinute
		perDay    = 24 * perHour
		perWeek   = 7 * perDay
	)
	// No month is shorter than 28 days; two are left for shifts of the zone.
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

// monthsBetween counts whole months. A month is whole when the day and time
// of from come round again; where the month has no such day, on the first of
// the next one.
func monthsBetween(from, to *civil) int {
	n := (to.year-from.year)*12 + to.month - from.month
	if to.secondOfMonth() < from.secondOfMonth() {
		n--
	}
	return n
}
