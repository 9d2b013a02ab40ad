package memory

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Size is a number of bytes that is written with a unit, such as 512MiB. It is for settings.
type Size int64

// units are the accepted units, the longer ones first: a suffix of one may be another.
var units = []struct {
	suffix string
	bytes  int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	{"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"T", 1 << 40}, {"B", 1},
}

// UnmarshalText parses a whole number with a unit: 512MiB, 2GiB or 2G. Without a unit it is a number of bytes.
func (s *Size) UnmarshalText(text []byte) error {
	number := strings.TrimSpace(string(text))
	factor := int64(1)
	for _, u := range units {
		if rest, ok := cutSuffixFold(number, u.suffix); ok {
			number = strings.TrimSpace(rest)
			factor = u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/factor {
		return fmt.Errorf("%q is not a size; write a whole number with a unit, such as 512MiB or 2GiB", text)
	}
	*s = Size(n * factor)
	return nil
}

func cutSuffixFold(s, suffix string) (string, bool) {
	at := len(s) - len(suffix)
	if at < 0 || !strings.EqualFold(s[at:], suffix) {
		return s, false
	}
	return s[:at], true
}

// String returns the size with the largest binary unit that keeps it whole.
func (s Size) String() string {
	unit := "B"
	n := int64(s)
	for _, next := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if n == 0 || n%1024 != 0 {
			break
		}
		unit = next
		n /= 1024
	}
	return strconv.FormatInt(n, 10) + unit
}
