package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

const (
	// slowestTests is how many tests the summary lists.
	slowestTests = 10
	// shortPackage is the time in seconds below which the summary leaves out a package.
	shortPackage = 1.0
)

// event is a line of `go test -json`.
type event struct {
	Action     string
	Package    string
	ImportPath string
	Test       string
	Elapsed    float64
	Output     string
}

// duration is the time that a test or a package took.
type duration struct {
	name    string
	seconds float64
}

// report turns the events of `go test -json` into the output of go test, and collects times.
type report struct {
	out      io.Writer
	verbose  bool
	running  map[string]*packageOutput
	packages []duration
	tests    []duration
	leftOut  []string
}

// packageOutput is the output of a package whose tests still run.
type packageOutput struct {
	lines []outputLine
	// passed has the tests that have passed. The output of all others is printed if the package fails.
	passed map[string]bool
}

// outputLine is a line of output. The test is "" for a line of the whole package.
type outputLine struct {
	test, text string
}

func newReport(out io.Writer, verbose bool) *report {
	return &report{out: out, verbose: verbose, running: map[string]*packageOutput{}}
}

// read reads all events. A line that is not JSON, such as an error message of the go command, is printed unchanged.
func (r *report) read(events io.Reader) error {
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadString('\n')
		var e event
		if jsonErr := json.Unmarshal([]byte(line), &e); jsonErr == nil {
			r.add(e)
		} else {
			fmt.Fprint(r.out, line)
		}

		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// add handles one event.
func (r *report) add(e event) {
	if e.Action == "build-output" {
		fmt.Fprint(r.out, e.Output)
		return
	}

	p := r.running[e.Package]
	if p == nil {
		p = &packageOutput{passed: map[string]bool{}}
		r.running[e.Package] = p
	}

	switch e.Action {
	case "output":
		if r.verbose {
			fmt.Fprint(r.out, e.Output)
			return
		}
		p.lines = append(p.lines, outputLine{e.Test, e.Output})
	case "pass", "skip", "fail":
		r.end(p, e)
	}
}

// end handles the end of a test or of a package.
func (r *report) end(p *packageOutput, e event) {
	if e.Test != "" {
		p.passed[e.Test] = e.Action != "fail"
		if e.Action == "skip" {
			r.leftOut = append(r.leftOut, shortName(e.Package)+" "+e.Test)
		}
		if !strings.Contains(e.Test, "/") {
			r.tests = append(r.tests, duration{shortName(e.Package) + " " + e.Test, e.Elapsed})
		}
		return
	}

	r.packages = append(r.packages, duration{shortName(e.Package), e.Elapsed})
	delete(r.running, e.Package)

	// The detector reports a race, and the runtime a crash or the end of the time, within the output of any test that
	// runs, which may have passed.
	inRace, crashed := false, false
	for i, line := range p.lines {
		last := i == len(p.lines)-1 // such as "ok  vitrine/cmd/vitrine 1.2s"
		crashed = crashed || strings.HasPrefix(line.text, "panic: ") || strings.HasPrefix(line.text, "fatal error: ")
		notOfTest := crashed || inRace || line.text == raceBorder
		if line.text == raceBorder {
			inRace = !inRace
		}
		if last || e.Action == "fail" && (notOfTest || !p.passed[line.test]) && !isProgress(line.text) {
			fmt.Fprint(r.out, line.text)
		}
	}
}

// raceBorder is the line before and after the report of a race.
const raceBorder = "==================\n"

// isProgress reports whether go test prints the line only with -v.
func isProgress(line string) bool {
	for _, word := range []string{"RUN", "PAUSE", "CONT", "NAME"} {
		if strings.HasPrefix(line, "=== "+word+" ") {
			return true
		}
	}
	return line == "PASS\n"
}

// summarize prints the times and what was left out.
func (r *report) summarize() {
	r.printTimes()
	if len(r.leftOut) == 0 {
		return
	}

	slices.Sort(r.leftOut)
	fmt.Fprintf(r.out, "\nLeft out, %d tests; \"make thorough\" leaves out none:\n", len(r.leftOut))
	for _, name := range r.leftOut {
		fmt.Fprintf(r.out, "          %s\n", name)
	}
}

func (r *report) printTimes() {
	slowestFirst := func(a, b duration) int { return cmp.Compare(b.seconds, a.seconds) }
	slices.SortFunc(r.packages, slowestFirst)
	slices.SortFunc(r.tests, slowestFirst)

	if len(r.packages) < 2 {
		return
	}

	fmt.Fprintln(r.out, "\nSeconds per package:")
	rest := 0
	for _, p := range r.packages {
		if p.seconds < shortPackage {
			rest++
			continue
		}
		fmt.Fprintf(r.out, "%8.1f  %s\n", p.seconds, p.name)
	}

	fmt.Fprintf(r.out, "          and %d packages below %.0f s\n", rest, shortPackage)

	fmt.Fprintln(r.out, "\nThe slowest tests, in seconds, with the time that their subtests wait for a processor:")
	for _, t := range r.tests[:min(slowestTests, len(r.tests))] {
		fmt.Fprintf(r.out, "%8.1f  %s\n", t.seconds, t.name)
	}
}

// shortName returns the import path of a package without the module and internal.
func shortName(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, "vitrine/"), "internal/")
}
