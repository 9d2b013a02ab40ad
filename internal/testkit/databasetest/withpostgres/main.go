// Command withpostgres runs a command beside a private PostgreSQL:
//
//	withpostgres [-durable] -- command argument…
//
// The command finds the server's URL in VITRINE_TEST_POSTGRES. Signals reach the command and all it started; its exit
// code becomes ours; the server is gone when we are.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"vitrine/internal/testkit/databasetest/pgserver"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run returns the exit code: the command's own, 2 for a wrong call, 1 when server or command could not be started.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("withpostgres", flag.ContinueOnError)
	flags.SetOutput(stderr)
	durable := flags.Bool("durable", false, "make commits survive a power loss, as in production; for benchmarks")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() == 0 {
		fmt.Fprintln(stderr, "usage: withpostgres [-durable] -- command argument…")
		return 2
	}

	// From here on a signal is the command's business; one that comes while the server starts waits for the command.
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer signal.Stop(signals)

	server, err := pgserver.Start(pgserver.Options{Durable: *durable})
	if err != nil {
		fmt.Fprintln(stderr, "withpostgres:", err)
		return 1
	}
	cmd := exec.Command(flags.Arg(0), flags.Args()[1:]...)
	cmd.Env = append(os.Environ(), pgserver.URLVariable+"="+server.URL)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	code, err := runForwarding(cmd, signals)
	if err := errors.Join(err, server.Stop()); err != nil {
		fmt.Fprintln(stderr, "withpostgres:", err)
		return max(code, 1)
	}
	return code
}

// runForwarding runs cmd in a process group of its own, so that Ctrl-C at the terminal and a signal sent to us alike
// arrive there once and reach grandchildren too (`go test` leaves its test binaries behind when it is terminated).
func runForwarding(cmd *exec.Cmd, signals <-chan os.Signal) (int, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return 1, err
	}
	ctx, done := context.WithCancel(context.Background())
	forwarded := make(chan struct{})
	go func() {
		defer close(forwarded)
		for {
			select {
			case s := <-signals:
				_ = syscall.Kill(-cmd.Process.Pid, s.(syscall.Signal)) // the group may have ended by itself
			case <-ctx.Done():
				return
			}
		}
	}()
	err := cmd.Wait()
	done()
	<-forwarded

	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return 1, err
	}
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		return 128 + int(status.Signal()), nil // as a shell says it
	}
	return cmd.ProcessState.ExitCode(), nil
}
