//go:build !linux

package apitest

import (
	"errors"
	"fmt"
	"os"
)

func openTerminal() (screen, terminal *os.File, err error) {
	return nil, nil, fmt.Errorf("open a pseudo-terminal: %w", errors.ErrUnsupported)
}
