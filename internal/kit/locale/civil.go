package locale

import (
	"strconv"
	"time"
)

// civil is a calendar date and a time of day, without a zone.
type civil struct{ year, month, day, hour, minute, second int }

// civilAt converts Unix seconds to a civil time in UTC. For the civil time in another zone, the caller first adds the
// zone's offset to the seconds.
func civilAt(seconds int64) civil {
	t := time.Unix(seconds, 0).UTC()
	y, m, d := t.Date()
	h, min, s := t.Clock()
	return civil{y, int(m), d, h, min, s}
}

// secondOfMonth returns a number that says how late in its month a time is. Later times have greater numbers.
func (c *civil) secondOfMonth() int {
	return ((c.day*24+c.hour)*60+c.minute)*60 + c.second
}

// appendISO appends YYYY-MM-DD, the separator and HH:MM:SS.
func (c *civil) appendISO(dst []byte, separator byte) []byte {
	dst = appendYear(dst, c.year)
	dst = appendTwoDigits(append(dst, '-'), c.month)
	dst = appendTwoDigits(append(dst, '-'), c.day)
	dst = c.appendTime(append(dst, separator))
	return appendTwoDigits(append(dst, ':'), c.second)
}

// appendDate appends DD.MM.YYYY.
func (c *civil) appendDate(dst []byte) []byte {
	dst = appendTwoDigits(dst, c.day)
	dst = appendTwoDigits(append(dst, '.'), c.month)
	return appendYear(append(dst, '.'), c.year)
}

// appendTime appends HH:MM.
func (c *civil) appendTime(dst []byte) []byte {
	dst = appendTwoDigits(dst, c.hour)
	return appendTwoDigits(append(dst, ':'), c.minute)
}

// appendOffset appends ±HH:MM. It drops the seconds of an offset, which ISO 8601 does not support. Only offsets from
// before the introduction of standard time have seconds.
func appendOffset(dst []byte, seconds int) []byte {
	sign := byte('+')
	if seconds < 0 {
		sign = '-'
		seconds = -seconds
	}
	dst = appendTwoDigits(append(dst, sign), seconds/3600)
	return appendTwoDigits(append(dst, ':'), seconds/60%60)
}

// appendTwoDigits appends n, from 0 to 99, with two digits.
func appendTwoDigits(dst []byte, n int) []byte {
	return append(dst, byte('0'+n/10), byte('0'+n%10))
}

// appendYear appends a year from 0 to 9999 with four digits, and any other as a plain number.
func appendYear(dst []byte, year int) []byte {
	if year < 0 || year > 9999 {
		return strconv.AppendInt(dst, int64(year), 10)
	}
	return appendTwoDigits(appendTwoDigits(dst, year/100), year%100)
}
