package access

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func newSharedLookups() *sharedLookups {
	return &sharedLookups{byCredential: map[TokenHash]*credentialLookups{}}
}

// finder is a find function for sharedLookups.do. Each call takes 10 ms and returns the state at its beginning.
type finder struct {
	mu    sync.Mutex
	state int64
	calls int
}

func (f *finder) find(ctx context.Context) (Principal, error) {
	f.mu.Lock()
	f.calls++
	p := Principal{CustomerKey: f.state}
	f.mu.Unlock()
	select {
	case <-time.After(10 * time.Millisecond):
		return p, nil
	case <-ctx.Done():
		return Principal{}, ctx.Err()
	}
}

// write changes the state and returns it. Each state is greater than the one before.
func (f *finder) write() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.state++
	return f.state
}

func TestSharedLookups_seeEveryEarlierWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSharedLookups()
		f := &finder{}
		var requests sync.WaitGroup
		for range 100 {
			written := f.write()

			requests.Go(func() {
				p, err := s.do(t.Context(), TokenHash{}, f.find)
				if err != nil {
					t.Error(err)
				}
				if p.CustomerKey < written {
					t.Error("a request got the result of a lookup that began before the request")
				}
			})

			time.Sleep(time.Millisecond)
		}

		requests.Wait()
		if f.calls < 10 || f.calls > 12 {
			t.Errorf("%d lookups of 10 ms each for 100 requests in 100 ms", f.calls)
		}

		synctest.Wait()
		if len(s.byCredential) != 0 {
			t.Error("ended lookups are kept")
		}
	})
}

func TestSharedLookups_doNotMixCredentials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSharedLookups()
		finders := [2]finder{}
		var requests sync.WaitGroup
		for i := range finders {
			finders[i].state = int64(10 * i)
			want := finders[i].write()
			for range 3 {
				requests.Go(func() {
					if p, err := s.do(t.Context(), TokenHash{byte(i)}, finders[i].find); err != nil ||
						p.CustomerKey != want {
						t.Errorf("credential %d: %d, %v", i, p.CustomerKey, err)
					}
				})
			}
		}

		requests.Wait()
	})
}

func TestSharedLookups_doNotWaitForOneThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSharedLookups()
		f := &finder{}
		hung, stop := context.WithCancel(t.Context())
		var requests sync.WaitGroup

		requests.Go(func() {
			_, err := s.do(t.Context(), TokenHash{}, func(context.Context) (Principal, error) {
				<-hung.Done()
				return Principal{}, hung.Err()
			})
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})

		synctest.Wait()

		for range 2 { // one that waited from the start, and one that comes later
			start := time.Now()
			if _, err := s.do(t.Context(), TokenHash{}, f.find); err != nil || time.Since(start) > time.Second {
				t.Errorf("after %v: %v", time.Since(start), err)
			}
		}

		stop()
		requests.Wait()
	})
}

func TestSharedLookups_outliveTheFirstRequestThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSharedLookups()
		f := &finder{}
		want := f.write()
		var requests sync.WaitGroup
		requests.Go(func() { _, _ = s.do(t.Context(), TokenHash{}, f.find) })
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Millisecond) // ends in the middle of the second lookup
		defer cancel()

		requests.Go(func() {
			if _, err := s.do(ctx, TokenHash{}, f.find); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the request that ended: %v", err)
			}
		})
		synctest.Wait()
		requests.Go(func() {
			if p, err := s.do(t.Context(), TokenHash{}, f.find); err != nil || p.CustomerKey != want {
				t.Errorf("the request that waited with it: %d, %v", p.CustomerKey, err)
			}
		})
		requests.Wait()
	})
}

func TestSharedLookups_turnPanicIntoError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSharedLookups()
		f := &finder{}
		var requests sync.WaitGroup
		requests.Go(func() { _, _ = s.do(t.Context(), TokenHash{}, f.find) })
		synctest.Wait()
		_, err := s.do(t.Context(), TokenHash{}, func(context.Context) (Principal, error) { panic("broken") })
		if err == nil {
			t.Error("no error")
		}
		requests.Wait()
	})
}
