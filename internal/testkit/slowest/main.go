// Command slowest runs `go test -json` with its arguments. It prints what go test prints without -json, and at the end
// the time of each package, the slowest ten tests, and the tests that were left out. With -all as the first argument it
// fails if a test is left out.
//
//	slowest [-all] -timeout 15m ./...
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"syscall"
)

func main() {
	code, err := run(os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "slowest:", err)
	}
	os.Exit(code)
}

// run runs the tests and returns the exit code of go test.
func run(args []string, out io.Writer) (int, error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	wantAll := len(args) > 0 && args[0] == "-all"
	if wantAll {
		args = args[1:]
	}

	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-json"}, args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Stderr = os.Stderr

	events, err := cmd.StdoutPipe()
	if err != nil {
		return 1, err
	}
	if err := cmd.Start(); err != nil {
		return 1, err
	}

	verbose := slices.ContainsFunc(args, func(a string) bool { return a == "-v" || a == "-v=true" })
	report := newReport(out, verbose)
	if err := report.read(events); err != nil {
		return 1, errors.Join(err, cmd.Wait())
	}

	err = cmd.Wait()
	report.summarize()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	if err != nil {
		return 1, err
	}
	if wantAll && len(report.leftOut) > 0 {
		return 1, errors.New("tests were left out")
	}

	return 0, nil
}
