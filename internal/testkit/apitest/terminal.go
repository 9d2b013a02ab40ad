package apitest

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
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

// openTerminal returns both ends of a pseudo-terminal that does not change the output.
func openTerminal() (screen, terminal *os.File, err error) {
	if screen, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		return nil, nil, err
	}
	fd := int(screen.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return nil, nil, err
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return nil, nil, err
	}
	if terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		return nil, nil, err
	}
	settings, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	if err != nil {
		return nil, nil, err
	}
	settings.Oflag &^= unix.OPOST // it would write \r\n for \n
	return screen, terminal, unix.IoctlSetTermios(int(terminal.Fd()), unix.TCSETS, settings)
}
