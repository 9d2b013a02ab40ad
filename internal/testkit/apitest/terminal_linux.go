package apitest

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

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
