package periodic

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestRun_runsAtOnceAndAtEachInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var fast, slow int
		done := make(chan error)
		go func() {
			done <- Run(ctx, slog.New(slog.DiscardHandler),
				Task{Name: "fast", Every: time.Second, Do: func(context.Context) error { fast++; return nil }},
				Task{Name: "slow", Every: time.Minute, Do: func(context.Context) error { slow++; return nil }})
		}()
		time.Sleep(10*time.Second + time.Millisecond)
		synctest.Wait()
		cancel()

		if err := <-done; err != nil {
			t.Errorf("Run returned %v", err)
		}
		if fast != 11 || slow != 1 {
			t.Errorf("after 10 s the tasks ran %d and %d times, want 11 and 1", fast, slow)
		}
	})
}

func TestRun_neverRunsATaskTwiceAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var running, most, runs int
		done := make(chan error)

		go func() {
			done <- Run(ctx, slog.New(slog.DiscardHandler), Task{Name: "long", Every: time.Second,
				Do: func(context.Context) error {
					running++
					runs++
					most = max(most, running)
					time.Sleep(2500 * time.Millisecond)
					running--
					return nil
				}})
		}()

		time.Sleep(9 * time.Second)
		cancel()
		<-done

		if most != 1 || runs != 4 {
			t.Errorf("%d runs, at most %d at once; want 4 runs, one at a time", runs, most)
		}
	})
}

func TestRun_logsAFailureAndTriesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var log bytes.Buffer
		runs := 0
		done := make(chan error)

		go func() {
			fail := func(ctx context.Context) error {
				if runs++; runs == 1 {
					return errors.New("disk full")
				}
				<-ctx.Done()
				return ctx.Err()
			}
			logger := slog.New(slog.NewTextHandler(&log, nil))
			done <- Run(ctx, logger, Task{Name: "delete expired sessions", Every: time.Second, Do: fail})
		}()

		time.Sleep(1500 * time.Millisecond)
		cancel()
		<-done

		if runs != 2 {
			t.Errorf("the task ran %d times, want 2", runs)
		}

		want := `task="delete expired sessions" error="disk full"`
		if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, want) {
			t.Errorf("log is %q: want one line with the task and its error, and none for the cancelled run", got)
		}
	})
}

func TestRun_runsWhenItIsWoken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		wake := make(chan struct{}, 1)
		runs := 0
		done := make(chan error)
		go func() {
			done <- Run(ctx, slog.New(slog.DiscardHandler),
				Task{Name: "woken", Every: time.Hour, Wake: wake,
					Do: func(context.Context) error { runs++; return nil }})
		}()
		synctest.Wait()
		wake <- struct{}{}
		synctest.Wait()
		cancel()

		if err := <-done; err != nil || runs != 2 {
			t.Errorf("%d runs and the error %v, want 2 and none", runs, err)
		}
	})
}
