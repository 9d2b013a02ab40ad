package harness

import (
	"context"
	"fmt"
	"time"
)

// WaitUntil calls done every interval until it returns true. It returns the error of done, or an error that names what
// was waited for if the timeout passes or ctx ends.
func WaitUntil(
	ctx context.Context, what string, timeout, interval time.Duration, done func() (bool, error),
) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait until %s: %w", what, ctx.Err())
		case <-time.After(interval):
		}
	}
}
