package locale

import (
	"encoding/json"
	"math"
	"strconv"
	"time"
)

// Dates renders instants as the date object of the API, for one locale, one time zone and one current time. Create one
// per request. It caches the last two rendered instants, since created_at and updated_at of many rows are equal. It is
// therefore not safe for concurrent use.
type Dates struct {
	table *phraseTable
	zone  *time.Location
	now   int64
	local civil // the current time in the zone

	// offset is the zone's offset in seconds, valid for Unix seconds in [since, until).
	offset       int
	since, until int64

	prefix []byte // the JSON object up to the value of datetime_utc
	iso    bool   // dates are strings; only cache and recent are used
	cache  [2]renderedDate
	recent int // index in cache of the entry that was used last
}

type renderedDate struct {
	unix int64
	json []byte // nil if the entry is unused
}

// NewDates returns a renderer of dates relative to now. The locale must come from Parse, and the zone must not be nil.
func NewDates(l Locale, zone *time.Location, now time.Time) *Dates {
	d := &Dates{table: l.table, zone: zone, now: now.Unix()}
	d.local = civilAt(d.now + int64(d.offsetAt(d.now)))
	// Marshalling a string cannot fail. The name is escaped, because a zone that does not come from the function Zone
	// may have any name.
	name, _ := json.Marshal(zone.String())
	d.prefix = append(d.prefix, `{"timezone":`...)
	d.prefix = append(d.prefix, name...)
	d.prefix = append(d.prefix, `,"datetime_utc":"`...)
	return d
}

// NewISODates returns a renderer of dates as strings in ISO 8601 and UTC, such as "2026-11-14T12:00:05Z".
func NewISODates() *Dates { return &Dates{iso: true} }

// AppendJSON appends the date object of t, or its string if d comes from NewISODates, with a precision of one second,
// and returns the extended slice. Years outside 0 to 9999 are written with as many digits as they have; clients need
// not support them.
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

// Date holds the JSON of a date: an object, or a string if it comes from NewISODates.
type Date struct{ object []byte }

// Date returns the date object of the instant that t points to, or nil if t is nil.
func (d *Dates) Date(t *time.Time) *Date {
	if t == nil {
		return nil
	}
	return &Date{d.AppendJSON(nil, *t)}
}

// MarshalJSON implements json.Marshaler.
func (d Date) MarshalJSON() ([]byte, error) { return d.object, nil }

func (d *Dates) appendObject(dst []byte, unix int64) []byte {
	if d.iso {
		utc := civilAt(unix)
		dst = append(dst, '"')
		dst = utc.appendISO(dst, 'T')
		return append(dst, `Z"`...)
	}

	offset := d.offsetAt(unix)
	utc := civilAt(unix)
	local := civilAt(unix + int64(offset))

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

// offsetAt returns the zone's offset at an instant. It caches the last result, since most rows fall between the same
// two transitions. A lookup is expensive: the embedded zone data has no recent transitions, so package time parses the
// zone's rule each time.
func (d *Dates) offsetAt(unix int64) int {
	if d.since <= unix && unix < d.until {
		return d.offset
	}
	t := time.Unix(unix, 0).In(d.zone)
	_, d.offset = t.Zone()
	since, until := t.ZoneBounds()
	// A zero time means that there is no bound.
	d.since, d.until = math.MinInt64, math.MaxInt64
	if !since.IsZero() {
		d.since = since.Unix()
	}
	if !until.IsZero() {
		d.until = until.Unix()
	}
	return d.offset
}
