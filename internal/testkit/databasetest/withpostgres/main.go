// Command withpostgres runs a command with a private PostgreSQL server:
//
//	withpostgres [-durable] -- command argument…
//
// The command finds the URL of the server in VITRINE_TEST_POSTGRES. Signals are forwarded to the command and its
// children. It exits with the exit code of the command. The server is stopped and removed before withpostgres exits.
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
	os.Exit(runWithPostgres(os.Args[1:], os.Stdout, os.Stderr))
}

// runWithPostgres returns an exit code: the exit code of the command, 2 for invalid arguments, or 1 if the server or
// the command could not be started.
func runWithPostgres(args []string, stdout, stderr io.Writer) int {
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

	// From here on signals are forwarded to the command. An earlier signal is forwarded when the command has started.
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer signal.Stop(signals)

	server, err := pgserver.Start(pgserver.Options{Durable: *durable})
	if err != nil {
		fmt.Fprintln(stderr, "withpostgres:", err)
		return 1
	}

	cmd := exec.Command(flags.Arg(0), flags.Args()[1:]...)
	cmd.Env = append(os.Environ(), pgserver.URLVariable+"="+server.URL, pgserver.SharedDirVariable+"="+server.Dir)
	cmd.Stdout, cmd.Stderr = stdout, stderr

	code, err := runForwarding(cmd, signals)
	if err := errors.Join(err, server.Stop()); err != nil {
		fmt.Fprintln(stderr, "withpostgres:", err)
		return max(code, 1)
	}

	return code
}

// runForwarding runs cmd in its own process group. A signal to us, from the terminal or from another process, is
// forwarded once to the whole group. So it also reaches grandchildren: go test leaves its test binaries running when it
// is terminated.
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
				_ = syscall.Kill(-cmd.Process.Pid, s.(syscall.Signal)) // the group may have ended already
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
		return 128 + int(status.Signal()), nil // the convention of shells
	}

	return cmd.ProcessState.ExitCode(), nil
}
