package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestJudge(t *testing.T) {
	times := slices.Repeat([]time.Duration{10 * time.Millisecond}, 198)

	for name, c := range map[string]struct {
		seen map[string]int
		o    *observation
		peak int
		want string
	}{
		"unharmed":      {map[string]int{"429": 9}, &observation{times: times, failures: []string{"a"}}, 511, ""},
		"much memory":   {nil, &observation{times: times}, memoryLimit, "the process used 512 MiB"},
		"slow":          {nil, &observation{times: append(times, 2*time.Second, 2*time.Second)}, 1, "took 2s or"},
		"failures":      {nil, &observation{times: times, failures: []string{"a", "b"}}, 1, "2 requests of the"},
		"not ready":     {nil, &observation{times: times, notReady: []string{"/readyz is 503"}}, 1, "/readyz is 503"},
		"server error":  {map[string]int{"500": 1}, &observation{times: times}, 1, "got 500"},
		"not observed":  {nil, &observation{}, 1, "sent no request"},
		"unknown usage": {nil, &observation{times: times}, 0, "memory is unknown"},
	} {
		err := (&attacker{seen: c.seen}).judge(c.o, c.peak, maxOrdinary)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// Each finding of the security review is repeated here, or docs/security.md names its tests.
func TestAttacks_everyFindingIsRepeatedOrHasATest(t *testing.T) {
	document, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}

	var repeated []string
	for _, at := range attacks() {
		repeated = append(repeated, at.name)
	}

	for kind, n := range map[string]int{"H": 7, "M": 9, "L": 11} {
		for i := range n {
			name := fmt.Sprintf("%s%d", kind, i+1)
			tested := regexp.MustCompile(`(?m)^\| ` + name + ` .*\x60Test` + name + `_`).Match(document)
			if slices.Contains(repeated, name) == tested {
				t.Errorf("%s: an attack repeats it: %v; docs/security.md names its tests: %v", name, !tested, tested)
			}
		}
	}
}

// Each finding of the second review has its line in docs/security.md, with tests and, where it is named, an attack.
func TestAttacks_everyFindingOfTheSecondReviewHasATest(t *testing.T) {
	document, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}

	var known []string
	for _, at := range slices.Concat(attacks(), loadAttacks(), exchangeAttacks()) {
		known = append(known, at.name)
	}

	for kind, n := range map[string]int{"C": 1, "H": 5, "M": 8, "L": 9} {
		for i := range n {
			name := fmt.Sprintf("S-%s%d", kind, i+1)
			line := regexp.MustCompile(`(?m)^\| ` + name + ` .*\x60Test.* \| ([-A-Z0-9]*) ?\|$`).FindSubmatch(document)
			switch {
			case line == nil:
				t.Errorf("%s: docs/security.md names no test", name)
			case len(line[1]) > 0 && !slices.Contains(known, string(line[1])):
				t.Errorf("%s: there is no attack %s", name, line[1])
			case slices.Contains(known, name) && string(line[1]) != name:
				t.Errorf("%s: docs/security.md does not name its attack", name)
			}
		}
	}
}
