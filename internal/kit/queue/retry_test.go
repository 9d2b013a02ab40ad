package queue

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

func TestRetryDelay_followsSchedule(t *testing.T) {
	k := kindState{kindConfig: kindConfig{retries: []time.Duration{5 * time.Second, 5 * time.Minute}}}
	failure := errors.New("refused")
	for name, c := range map[string]struct {
		attempt int
		failure error
		random  float64
		want    time.Duration // negative if the job is given up
	}{
		"the first wait":                         {1, failure, 0.5, 5 * time.Second},
		"jitter at its lower bound":              {1, failure, 0, 4 * time.Second},
		"jitter at its upper bound":              {1, failure, 1, 6 * time.Second},
		"the second wait":                        {2, failure, 0.5, 5 * time.Minute},
		"the end of the schedule":                {3, failure, 0.5, -1},
		"abort":                                  {1, fmt.Errorf("no: %w", Abort(failure)), 0.5, -1},
		"retry after, longer than the schedule":  {1, RetryAfter(time.Hour, failure), 0.5, time.Hour},
		"retry after, shorter than the schedule": {2, RetryAfter(time.Second, failure), 0.5, 5 * time.Minute},
		"retry after the last attempt":           {3, RetryAfter(time.Hour, failure), 0.5, -1},
	} {
		wait, again := k.retryDelay(c.attempt, c.failure, c.random)
		if again != (c.want >= 0) || again && (wait-c.want).Abs() > time.Millisecond {
			t.Errorf("%s: again %v after %v, want %v", name, again, wait, c.want)
		}

		if !errors.Is(c.failure, failure) {
			t.Errorf("%s: %v does not wrap its cause", name, c.failure)
		}
	}
}
