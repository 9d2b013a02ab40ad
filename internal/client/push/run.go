package push

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/client/request"
	"vitrine/internal/kit/fault"
)

// Run is the gate's record of one request. The indexes in its issues are relative to the request.
type Run struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Counts
	Errors        []Issue  `json:"errors"`
	WarningsList  []Issue  `json:"warnings_list"`
	IgnoredFields []string `json:"ignored_fields"`
	// Problem is the reason why an asynchronous run failed; nil otherwise.
	Problem *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"problem"`
}

// Counts are the numbers of items by outcome.
type Counts struct {
	Received  int64 `json:"received"` // of a Report: items sent and unreadable entries
	Created   int64 `json:"created"`
	Updated   int64 `json:"updated"`
	Unchanged int64 `json:"unchanged"`
	Failed    int64 `json:"failed"`   // of a Report: including the unreadable entries
	Archived  int64 `json:"archived"` // because they were missing in the push
	Warnings  int64 `json:"warnings"` // the number of warnings
}

func (r Run) unfinished() bool { return r.Status == "queued" || r.Status == "running" }

// Intervals between two polls of a run. They begin short, because most runs finish soon.
const (
	minPollInterval = 200 * time.Millisecond
	maxPollInterval = 5 * time.Second
)

// waitForRun polls a run until it is finished. report is called with the number of items processed.
func (c *client) waitForRun(ctx context.Context, run Run, report func(done int64)) (Run, error) {
	for interval := minPollInterval; run.unfinished(); interval = min(2*interval, maxPollInterval) {
		if err := request.Sleep(ctx, interval); err != nil {
			return run, err
		}
		latest, err := c.fetchRun(ctx, run.ID)
		if err != nil {
			return run, err
		}
		run = latest
		report(run.Received)
	}
	return run, nil
}

func (c *client) fetchRun(ctx context.Context, id string) (Run, error) {
	var run Run
	err := c.retry(ctx, func() error {
		return c.do(ctx, http.MethodGet, c.gate.url(nil, "runs", id), nil, nil, func(resp *http.Response) (err error) {
			run, err = readRun(resp, http.StatusOK)
			if err == nil && run.ID != id {
				err = &request.Transient{Limited: true, Err: fault.New(fault.Unavailable, "wrong_run",
					"The server answered with the run %s instead of %s.", run.ID, id)}
			}
			return err
		})
	})
	return run, err
}

// readRun reads {"data": run} from a response with one of the statuses.
func readRun(resp *http.Response, statuses ...int) (Run, error) {
	var document struct {
		Data Run `json:"data"`
	}
	body, err := request.ReadBody(resp, maxResponseBytes)
	if err != nil {
		return Run{}, err
	}
	err = json.Unmarshal(body, &document)
	if err != nil || document.Data.ID == "" || !slices.Contains(statuses, resp.StatusCode) {
		return Run{}, unexpectedResponse(resp, body, "a run", err)
	}
	return document.Data, nil
}
