// Command prove runs the tests that docs/promises.md names, with the variables that it names, and prints one line per
// promise. It exits with 1 if a test fails, is skipped or is missing.
//
//	prove [-only 1,3] [-page docs/promises.md]
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"vitrine/internal/testkit/promise"
)

func main() {
	page := flag.String("page", "docs/promises.md", "the page with the promises")
	only := flag.String("only", "", "comma-separated numbers of the promises to prove; all of them if empty")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := prove(ctx, *page, *only, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "prove:", err)
		os.Exit(1)
	}
}

// prove proves the promises of the page one after the other.
func prove(ctx context.Context, page, only string, out io.Writer) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	promises, err := promise.Parse(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", page, err)
	}

	if only != "" {
		numbers := strings.Split(only, ",")
		promises = slices.DeleteFunc(promises, func(p promise.Promise) bool {
			number, _, _ := strings.Cut(p.Title, ".")
			return !slices.Contains(numbers, number)
		})
	}

	folder, err := os.MkdirTemp("", "vitrine-prove-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()

	r := &runner{folder: folder, binaries: map[string]string{}}
	broken := 0
	for _, p := range promises {
		began := time.Now()
		counts, failure := r.provePromise(ctx, p)
		if verdict := "proved"; failure != nil {
			verdict = "FAILED"
			broken++
			fmt.Fprintf(out, "%-7s %s (%s)\n%v\n", verdict, p.Title, roundSeconds(began), failure)
		} else {
			fmt.Fprintf(out, "%-7s %s (%s, %s)\n", verdict, p.Title, counts, roundSeconds(began))
		}

		if ctx.Err() != nil {
			return errors.New("interrupted")
		}
	}

	if broken > 0 {
		return fmt.Errorf("%d of %d promises are not proved", broken, len(promises))
	}

	return nil
}

func roundSeconds(began time.Time) time.Duration { return time.Since(began).Round(time.Second) }

// runner compiles the tests of each package once.
type runner struct {
	folder   string
	binaries map[string]string // by package
}

// counts is what proved a promise.
type counts struct {
	tests int
	notes []string // what tests log about how much they did
}

func (c counts) String() string {
	if len(c.notes) == 0 {
		return fmt.Sprintf("%d passed", c.tests)
	}
	return fmt.Sprintf("%d passed: %s", c.tests, strings.Join(c.notes, "; "))
}

func (r *runner) provePromise(ctx context.Context, p promise.Promise) (all counts, failure error) {
	for _, proof := range p.Proofs {
		var err error
		if proof.Benchmark != "" {
			err = runBenchmark(ctx, proof.Benchmark)
			all.tests++
		} else {
			err = r.runTests(ctx, proof, &all)
		}
		failure = errors.Join(failure, err)
	}
	return all, failure
}

// missedAim is how bench marks a figure that does not reach its aim.
const missedAim = "  missed\n"

// runBenchmark runs a benchmark of bench, which fails if it does not reach its aim.
func runBenchmark(ctx context.Context, name string) error {
	out, err := command(ctx, "go", "run", "./bench", "-only", name).CombinedOutput()
	if err == nil && strings.Contains(string(out), missedAim) {
		err = errors.New("an aim is missed")
	}
	if err != nil {
		return fmt.Errorf("benchmark %s: %w\n%s", name, err, lastLines(string(out)))
	}
	return nil
}

// runTests runs the tests of a proof. Each of them must pass.
func (r *runner) runTests(ctx context.Context, proof promise.Proof, all *counts) error {
	binary, err := r.compile(ctx, proof.Package)
	if err != nil {
		return err
	}

	cmd := command(ctx, binary, "-test.v", "-test.count=1", "-test.timeout=25m", "-test.run",
		"^("+strings.Join(proof.Tests, "|")+")$")
	cmd.Dir = proof.Package
	cmd.Env = append(append(os.Environ(), "VITRINE_PROVE=1"), proof.Environment...)
	out, err := cmd.CombinedOutput()
	failures := failedTests(string(out), proof.Tests)
	if err != nil || len(failures) > 0 {
		return fmt.Errorf("%s: %s: %w\n%s", proof.Package, strings.Join(failures, ", "),
			cmp.Or(err, errors.New("a test did not pass")), lastLines(string(out)))
	}

	all.tests += len(proof.Tests)
	for _, m := range note.FindAllStringSubmatch(string(out), -1) {
		all.notes = append(all.notes, m[1])
	}

	return nil
}

// note matches a line with a number that a test logs.
var note = regexp.MustCompile(`(?m)^\s+\w+_test\.go:\d+: (\d.*)$`)

// failedTests returns the tests that the output does not report as passed.
func failedTests(out string, tests []string) []string {
	return slices.DeleteFunc(slices.Clone(tests), func(name string) bool {
		return strings.Contains(out, "\n--- PASS: "+name+" ")
	})
}

// compile compiles the tests of a package.
func (r *runner) compile(ctx context.Context, pkg string) (string, error) {
	if binary := r.binaries[pkg]; binary != "" {
		return binary, nil
	}
	binary := filepath.Join(r.folder, strings.ReplaceAll(pkg, "/", "-")+".test")
	if out, err := command(ctx, "go", "test", "-c", "-o", binary, "./"+pkg).CombinedOutput(); err != nil {
		return "", fmt.Errorf("compile the tests of %s: %w\n%s", pkg, err, out)
	}
	r.binaries[pkg] = binary
	return binary, nil
}

// command returns a command that gets SIGTERM when the context ends, so that it can stop its children.
func command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// lastLines returns the end of the output of a command, without the log of the program.
func lastLines(out string) string {
	lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(out), "\n"), func(line string) bool {
		return strings.Contains(line, `"level":"`) || strings.HasPrefix(line, "=== ")
	})
	return strings.Join(lines[max(0, len(lines)-40):], "\n")
}
