package locale

import (
	"fmt"
	"strings"
	"time"

	_ "time/tzdata" // for systems without time zone files
)

// Zone returns the time zone of an IANA name such as "Europe/Berlin" or "UTC". It refuses names whose meaning depends
// on the machine ("", "Local", "localtime") and spellings that only a file system accepts ("Europe//Berlin").
func Zone(name string) (*time.Location, error) {
	if !isZoneName(name) {
		return nil, unknownZone(name)
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, unknownZone(name)
	}
	return zone, nil
}

func unknownZone(name string) error {
	return fmt.Errorf("unknown timezone %q: use an IANA name such as %q", name, "Europe/Berlin")
}

// isZoneName reports whether Zone may look up a name. System zone directories do not only contain zones: they have
// links to the machine's own zone, and copies of all zones under posix/ and, with leap seconds, under right/.
func isZoneName(name string) bool {
	switch name {
	case "Local", "localtime", "posixrules", "Factory":
		return false
	}

	for i, segment := range strings.Split(name, "/") {
		if segment == "" || i == 0 && (segment == "posix" || segment == "right") {
			return false
		}

		for _, c := range []byte(segment) {
			switch {
			case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '+', c == '-':
			default:
				return false
			}
		}
	}

	return true
}
