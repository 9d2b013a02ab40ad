package push

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/client/request"
	"vitrine/internal/kit/fault"
)

type gateClient struct {
	http    *http.Client
	gate    Gate
	retries int
	notify  func(string)
	// newConnections is set after the first unexpected 2xx response. Every later request then uses its own connection.
	newConnections bool
}

// bodyFunc returns a new request body for each attempt. It returns errCannotResend if the body cannot be read again.
type bodyFunc func() (io.ReadCloser, error)

// errCannotResend means that the request body cannot be sent again.
var errCannotResend = errors.New("standard input cannot be read twice")

// postItems posts items and returns their run. With Prefer: respond-async the run may be unfinished.
func (c *gateClient) postItems(
	ctx context.Context, entity string, query url.Values, header http.Header, newBody bodyFunc,
) (Run, error) {
	var run Run
	var lastErr error // the failure of the previous attempt

	err := c.retry(ctx, func() error {
		body, err := newBody()
		if errors.Is(err, errCannotResend) && lastErr != nil {
			return fmt.Errorf("%w; %w", lastErr, errCannotResend)
		}
		if err != nil {
			return err
		}

		err = c.do(ctx, http.MethodPost, c.gate.url(query, entity), header, body,
			func(resp *http.Response) (err error) {
				run, err = readRun(resp, http.StatusOK, http.StatusAccepted)
				return err
			})
		if transient, ok := errors.AsType[*request.Transient](err); ok {
			lastErr = transient.Err
		}

		return err
	})

	return run, err
}

// do sends one request. decode reads a 2xx response and returns an error if the response does not contain the expected
// result. Any other status is an error. The error is a [request.Transient] if the request may be sent again.
func (c *gateClient) do(
	ctx context.Context, method, address string, header http.Header, body io.ReadCloser,
	decode func(*http.Response) error,
) error {
	req, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return err
	}

	if header != nil {
		req.Header = header.Clone()
	}

	req.Header.Set("Authorization", "Bearer "+c.gate.token)
	req.Header.Set("User-Agent", "vitrine-push")

	if body != nil {
		req.Body = body
		req.ContentLength = -1
		if sized, ok := body.(interface{ Size() int64 }); ok {
			req.ContentLength = sized.Size()
		}
	}

	req.Close = c.newConnections
	resp, err := c.http.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if _, ok := errors.AsType[*fault.Error](err); ok || errors.Is(err, errUnreadable) {
			return err // reading the input failed, not the network
		}
		return request.UnreachableServer(c.gate, err)
	}
	defer resp.Body.Close()

	if resp.StatusCode/100 != 2 {
		return gateResponseError(resp)
	}

	if err := decode(resp); err != nil {
		resp.Body.Close()
		c.abandonConnections()
		return err
	}

	return nil
}

// abandonConnections keeps later requests off the connection that delivered an unexpected response. The caller has
// closed the response body, so that connection is closed or idle, and CloseIdleConnections closes the idle ones. The
// call has no effect on a RoundTripper without that method, or while another user of the Transport has the connection.
// Therefore later requests also set Request.Close. If net/http sends such a request on the bad connection, it closes
// the connection after the response, so that each bad connection costs at most one more attempt.
func (c *gateClient) abandonConnections() {
	c.newConnections = true
	c.http.CloseIdleConnections()
}

func (c *gateClient) retry(ctx context.Context, fn func() error) error {
	return request.Retries{
		Max: c.retries, Limited: limitedRetries, MinDelay: minRetryDelay, MaxDelay: maxRetryDelay,
		Before: func(err error, delay time.Duration) {
			c.notify(fmt.Sprintf("%s Trying again in %s.", errorSummary(err), delay.Round(100*time.Millisecond)))
		},
	}.Do(ctx, fn)
}

const (
	minRetryDelay = 500 * time.Millisecond
	maxRetryDelay = 30 * time.Second
	// limitedRetries is the number of retries after a response with unexpected content. Such a response may belong to
	// another request, if requests and responses on a connection are out of step. A new connection corrects that at
	// once. Otherwise the address is wrong, and the user should see the error within seconds.
	limitedRetries = 2
)

func errorSummary(err error) string {
	f, ok := errors.AsType[*fault.Error](err)
	switch {
	case !ok:
		return err.Error() + "."
	case f.Cause != nil:
		return fmt.Sprintf("%s (%v)", f.Message, f.Cause)
	}
	return f.Message
}

// Run is the gate's record of one request. The indexes in its issues are relative to the request.
type Run struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Counts
	Errors        []Issue        `json:"errors"`
	WarningsList  []Issue        `json:"warnings_list"`
	IgnoredFields []string       `json:"ignored_fields"`
	Ignored       []IgnoredField `json:"ignored"`
	// ImagesPending is the number of images that the server still has to download.
	ImagesPending int64 `json:"images_pending"`
	// Problem is the reason why an asynchronous run failed; nil otherwise.
	Problem *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"problem"`
}

// IgnoredField is an unknown member of the items.
type IgnoredField struct {
	Field string `json:"field"`
	// Count is the number of items that have it; 0 for a column of a table, which all items have.
	Count int64 `json:"count"`
	// FirstIndex is the index of the first of them, in a Report in the file; nil if the member belongs to no item.
	FirstIndex *int64 `json:"first_index"`
	// DidYouMean is the known member that was probably meant; nil if there is none.
	DidYouMean *string `json:"did_you_mean"`
}

// Counts are the numbers of items by outcome.
type Counts struct {
	Received  int64 `json:"received"` // in a Report: items sent and unreadable entries
	Created   int64 `json:"created"`
	Updated   int64 `json:"updated"`
	Unchanged int64 `json:"unchanged"`
	Failed    int64 `json:"failed"`   // in a Report: including the unreadable entries
	Archived  int64 `json:"archived"` // because the push did not contain them
	Warnings  int64 `json:"warnings"` // warnings, not items
}

func (r Run) unfinished() bool { return r.Status == "queued" || r.Status == "running" }

// The interval between two polls of a run starts at the minimum, because most runs finish soon, and doubles.
const (
	minPollInterval = 200 * time.Millisecond
	maxPollInterval = 5 * time.Second
)

// waitForRun polls a run until it is finished. report is called with the number of items processed.
func (c *gateClient) waitForRun(ctx context.Context, run Run, report func(done int64)) (Run, error) {
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

func (c *gateClient) fetchRun(ctx context.Context, id string) (Run, error) {
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
