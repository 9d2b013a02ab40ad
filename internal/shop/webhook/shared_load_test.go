package webhook

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"golang.org/x/sync/singleflight"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/store"
)

// An attempt that ends does not wait for the load, and does not end the load for the others.
func TestShareLoad_endsWithTheContextOfEachAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var loads singleflight.Group
		storeID := id.New[store.Store]()
		read := make(chan int)
		load := func(ctx context.Context) (int, error) {
			select {
			case n := <-read:
				return n, nil
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		}
		first, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			_, err := shareLoad(first, &loads, storeID, load)
			ended <- err
		}()
		synctest.Wait()
		results := make(chan int)
		go func() {
			n, err := shareLoad(t.Context(), &loads, storeID, load)
			if err != nil {
				t.Errorf("the second attempt got %v", err)
			}
			results <- n
		}()
		synctest.Wait()
		cancel()

		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the first attempt got %v, want %v", err, context.Canceled)
		}

		read <- 7
		if n := <-results; n != 7 {
			t.Errorf("the second attempt got %d, want 7", n)
		}
	})
}

func TestShareLoad_returnsAPanicAsAnError(t *testing.T) {
	var loads singleflight.Group
	_, err := shareLoad(t.Context(), &loads, id.New[store.Store](), func(context.Context) (int, error) {
		panic("broken row")
	})
	if err == nil || !strings.Contains(err.Error(), "panic: broken row") {
		t.Errorf("got %v, want the panic", err)
	}
}
