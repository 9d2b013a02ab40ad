package apitest

import (
	"io"
	"os/exec"
	"testing"
)

// LaunchServerOnTerminal is like LaunchServer, but the standard output of the process is a terminal.
func LaunchServerOnTerminal(tb testing.TB, cmd *exec.Cmd) *Process {
	tb.Helper()
	screen, terminal, err := openTerminal()
	if err != nil {
		tb.Fatal(err)
	}
	output := &Log{}
	cmd.Stdout = terminal
	tb.Cleanup(func() { _ = screen.Close() })
	go func() { _, _ = io.Copy(output, screen) }() // ends with an error when the process has closed the terminal
	return waitUntilReady(tb, launch(tb, cmd, output))
}
