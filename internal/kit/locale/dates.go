package locale

import (
	"encoding/json"
	"math"
	"strconv"
	"time"
)

// Dates renders instants as the API's date object for one locale, one
// timezone and one now. Make one for each request: it remembers the last two
// instants, so that rows which share created_at and updated_at are rendered
// once, and it is therefore not safe for concurrent use.
type Dates struct {
	table *table
	zone  *time.Location
	now   int64
	local civil // now in zone

	// The zone's offset in seconds, and the Unix seconds [since, until) for which it holds.
	offset       int
	since, until int64

	prefix []byte // the object up to the value of datetime_utc
	cache  [2]renderedDate
	recent int // index in memo of what was used last
}

type renderedDate struct {
	unix int64
	json []byte // nil until used
}

// NewDates returns a renderer of dates relative to now. The locale must come
// from Parse and the zone must not be nil.
func NewDates(l Locale, zone *time.Location, now time.Time) *Dates {
	d := &Dates{table: l.table, zone: zone, now: now.Unix()}
	d.local = civilAt(d.now + int64(d.offsetAt(d.now)))
	// A string always marshals; a zone not made by Zone may have any name.
	name, _ := json.Marshal(zone.String())
	d.prefix = append(d.prefix, `{"timezone":`...)
	d.prefix = append(d.prefix, name...)
	d.prefix = append(d.prefix, `,"datetime_utc":"`...)
	return d
}

// AppendJSON appends the date object of t, to the second, and returns the
// extended slice. Years outside 0 to 9999 are written with as many digits as
// they have, which no reader need understand.
func (d *Dates) AppendJSON(dst []byte, t time.Time) []byte {
	unix := t.Unix()
	m := &d.cache[d.recent]
	if m.unix != unix || m.json == nil {
		d.recent ^= 1
		m = &d.cache[d.recent]
		if m.unix != unix || m.json == nil {
			m.unix, m.json = unix, d.appendObject(m.json[:0], unix)
		}
	}
	return append(dst, m.json...)
}

func (d *Dates) appendObject(dst []byte, unix int64) []byte {
	offset := d.offsetAt(unix)
	utc, local := civilAt(unix), civilAt(unix+int64(offset))

	dst = append(dst, d.prefix...)
	dst = utc.appendISO(dst, ' ')
	dst = append(dst, `","datetime":"`...)
	dst = local.appendISO(dst, ' ')
	dst = append(dst, `","datetime_at":"`...)
	dst = local.appendDate(dst)
	dst = append(dst, d.table.at[local.hour]...)
	dst = local.appendTime(dst)
	dst = append(dst, `","date":"`...)
	dst = local.appendDate(dst)
	dst = append(dst, `","diff":"`...)
	dst = d.appendDiff(dst, unix, &local)
	dst = append(dst, `","timestamp":`...)
	dst = strconv.AppendInt(dst, unix, 10)
	dst = append(dst, `,"iso_utc":"`...)
	dst = utc.appendISO(dst, 'T')
	dst = append(dst, `+00:00","iso":"`...)
	dst = local.appendISO(dst, 'T')
	dst = appendOffset(dst, offset)
	return append(dst, `"}`...)
}

// offsetAt returns the zone's offset at an instant. Rows mostly fall between
// the same two changes of clocks, and a lookup is dear: the embedded zone data
// lists no recent changes, so the time package parses the zone's rule each time.
func (d *Dates) offsetAt(unix int64) int {
	if d.since <= unix && unix < d.until {
		return d.offset
	}
	t := time.Unix(unix, 0).In(d.zone)
	_, d.offset = t.Zone()
	since, until := t.ZoneBounds()
	// The zero time stands for a bound that does not exist.
	d.since, d.until = math.MinInt64, math.MaxInt64
	if !since.IsZero() {
		d.since = since.Unix()
	}
	if !until.IsZero() {
		d.until = until.Unix()
	}
	return d.offset
}
