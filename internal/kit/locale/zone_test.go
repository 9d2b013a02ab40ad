package locale_test

import (
	"strings"
	"testing"

	"vitrine/internal/kit/locale"
)

func TestZone_acceptsIANANames(t *testing.T) {
	for _, name := range []string{
		"UTC", "Europe/Berlin", "Europe/Moscow", "Asia/Almaty", "Asia/Kathmandu",
		"America/Argentina/Buenos_Aires", "America/Port-au-Prince", "Etc/GMT+5", "EST5EDT",
	} {
		zone, err := locale.Zone(name)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if zone.String() != name {
			t.Errorf("%q has the name %q", name, zone)
		}
	}
}

func TestZone_refusesAmbiguousNamesAndGivesAnExample(t *testing.T) {
	for _, name := range []string{
		"", "Local", "localtime", "posixrules", "Factory", "Mars/Phobos", "Europe", "+03:00", "UTC+3",
		"/Europe/Berlin", "Europe//Berlin", "Europe/Berlin/", "Europe/./Berlin", "../etc/passwd", "zone.tab",
		"posix/Europe/Berlin", "right/Europe/Berlin", "Europe/Berlin\x00", " UTC", "Европа/Москва",
	} {
		zone, err := locale.Zone(name)
		if err == nil {
			t.Errorf("%q was accepted as %s", name, zone)
			continue
		}
		if !strings.Contains(err.Error(), "Europe/Berlin") {
			t.Errorf("%q: the error gives no example: %v", name, err)
		}
	}
}
