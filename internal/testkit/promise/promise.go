// Package promise reads docs/promises.md. A test checks that the tests that the page names exist, and the command prove
// runs them. Tests that would take minutes ask ProveAll whether to check everything or a sample, and tests that would
// take many seconds ask Thorough.
package promise

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// ProveAll reports whether tests check everything, because VITRINE_PROVE is set, as `make prove` does. Otherwise tests
// that would take minutes check a sample, which is the same each time, and log it.
func ProveAll() bool { return os.Getenv("VITRINE_PROVE") != "" }

// Sample returns all if ProveAll, else few: how often a test repeats what it checks.
func Sample(few, all int) int {
	if ProveAll() {
		return all
	}
	return few
}

// CountsVariable names the environment variable that `make test` sets to "few". Without it tests check more, as they do
// in `make thorough`, which CI runs as well.
const CountsVariable = "VITRINE_TEST_COUNTS"

// Thorough reports whether tests check more than in `make test`.
func Thorough() bool { return ProveAll() || os.Getenv(CountsVariable) != "few" }

// Repeat returns many if Thorough, else few. With Sample it makes three steps: Sample(Repeat(1, 2), 5).
func Repeat(few, many int) int {
	if Thorough() {
		return many
	}
	return few
}

// OnlyThorough leaves a test to `make thorough`. The summary of `make test` names what it has left out.
func OnlyThorough(tb testing.TB) {
	tb.Helper()
	if !Thorough() {
		tb.Skip("left to `make thorough`, which CI runs, too")
	}
}

// Number returns the number in an environment variable, such as VITRINE_KILLS, or n if the variable is not set.
func Number(tb testing.TB, name string, n int) int {
	tb.Helper()
	text := os.Getenv(name)
	if text == "" {
		return n
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		tb.Fatalf("%s is %q, want a number above 0", name, text)
	}
	return n
}

// Promise is one section of the page.
type Promise struct {
	// Title is the heading with its number.
	Title  string
	Limit  string
	Proofs []Proof
}

// Proof is one line of a section: tests of one package, or a benchmark of bench.
type Proof struct {
	// Package is the folder of the package from the root of the module.
	Package string
	Tests   []string
	// Environment has the variables with which the tests run, such as VITRINE_KILLS=1000.
	Environment []string
	// Benchmark is the name of a benchmark; "" for tests.
	Benchmark string
}

var (
	heading  = regexp.MustCompile(`^### \d+\. `)
	quoted   = regexp.MustCompile("`([^`]+)`")
	testName = regexp.MustCompile(`^(Test|Fuzz)[A-Z]\w*$`)
	folder   = regexp.MustCompile(`^internal(/[a-z0-9]+)+$`)
	variable = regexp.MustCompile(`^VITRINE_[A-Z_]+=\S+$`)
)

// Parse reads the page. It returns an error for a promise without a limit or a proof, and for a proof that it does not
// understand.
func Parse(page string) ([]Promise, error) {
	var all []Promise
	for _, line := range joinItems(page) {
		title, isHeading := strings.CutPrefix(line, "### ")
		switch {
		case isHeading && !heading.MatchString(line):
			return nil, fmt.Errorf("the heading %q has no number", title)
		case isHeading:
			all = append(all, Promise{Title: title})
		case len(all) == 0:
		case strings.HasPrefix(line, "- Limit: "):
			all[len(all)-1].Limit = strings.TrimPrefix(line, "- Limit: ")
		case strings.HasPrefix(line, "- Proof: "):
			proof, err := parseProof(line)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", all[len(all)-1].Title, err)
			}
			all[len(all)-1].Proofs = append(all[len(all)-1].Proofs, proof)
		}
	}

	for _, p := range all {
		if p.Limit == "" || len(p.Proofs) == 0 {
			return nil, fmt.Errorf("%s: no limit or no proof", p.Title)
		}
	}

	return all, nil
}

// joinItems returns the lines of a page. Lines that continue an item of a list are appended to its first line.
func joinItems(page string) (lines []string) {
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		if text, indented := strings.CutPrefix(line, "  "); indented && len(lines) > 0 {
			lines[len(lines)-1] += " " + strings.TrimSpace(text)
			continue
		}
		lines = append(lines, line)
	}
	return lines
}

func parseProof(line string) (p Proof, err error) {
	if name, ok := strings.CutPrefix(line, "- Proof: benchmark `"); ok {
		p.Benchmark, _, _ = strings.Cut(name, "`")
		return p, nil
	}

	for _, m := range quoted.FindAllStringSubmatch(line, -1) {
		switch word := m[1]; {
		case testName.MatchString(word):
			p.Tests = append(p.Tests, word)
		case folder.MatchString(word) && p.Package == "":
			p.Package = word
		case variable.MatchString(word):
			p.Environment = append(p.Environment, word)
		default:
			return p, fmt.Errorf("%q is neither a test nor a variable nor the package", word)
		}
	}

	if p.Package == "" || len(p.Tests) == 0 {
		return p, fmt.Errorf("the proof names no package or no test: %s", line)
	}

	return p, nil
}
