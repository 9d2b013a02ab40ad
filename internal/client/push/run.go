package pushclient

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
)

// Run is the gate's record of one request. Places in its issues count from the request's first item.
type Run struct {
	ID            string   `json:"id"`
	Status        string   `json:"status"`
	Received      int64    `json:"received"`
	Created       int64    `json:"created"`
	Updated       int64    `json:"updated"`
	Unchanged     int64    `json:"unchanged"`
	Failed        int64    `json:"failed"`
	Archived      int64    `json:"archived"`
	Warnings      int64    `json:"warnings"`
	Errors        []Issue  `json:"errors"`
	WarningsList  []Issue  `json:"warnings_list"`
	IgnoredFields []string `json:"ignored_fields"`
	// Problem is why a run that went on after its answer failed; nil otherwise.
	Problem *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"problem"`
}

// waiting reports whether the run is not done yet.
func (r Run) waiting() bool { return r.Status == "queued" || r.Status == "running" }

// The waits between two looks at a run: short at first, for most are done soon.
const (
	firstLook   = 200 * time.Millisecond
	longestLook = 5 * time.Second
)

// await looks at a run until it is done. tell is told how many items are.
func (c *client) await(ctx context.Context, run Run, tell func(done int64)) (Run, error) {
	for wait := firstLook; run.waiting(); wait = min(2*wait, longestLook) {
		if err := sleep(ctx, wait); err != nil {
			return run, err
		}
		now, err := c.find(ctx, run.ID)
		if err != nil {
			return run, err
		}
		run = now
		tell(run.Received)
	}
	return run, nil
}

// find reads a run.
func (c *client) find(ctx context.Context, id string) (Run, error) {
	var run Run
	err := c.retry(ctx, func() error {
		return c.do(ctx, http.MethodGet, c.gate.url(nil, "runs", id), nil, nil, func(answer *http.Response) (err error) {
			run, err = readRun(answer, http.StatusOK)
			if err == nil && run.ID != id {
				err = wrongRun(run.ID, id)
			}
			return err
		})
	})
	return run, err
}

// readRun reads {"data": run} from a response with one of the statuses.
func readRun(answer *http.Response, statuses ...int) (Run, error) {
	var document struct {
		Data Run `json:"data"`
	}
	body, err := readAll(answer)
	if err != nil {
		return Run{}, err
	}
	err = json.Unmarshal(body, &document)
	if err != nil || document.Data.ID == "" || !slices.Contains(statuses, answer.StatusCode) {
		return Run{}, wrongAnswer(answer, body, "a run", err)
	}
	return document.Data, nil
}
