package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/kit/queue"
	"vitrine/internal/kit/trace"
)

const (
	// receiverSlots is the maximum number of concurrent requests from one node to one receiver; nodeSlots is the
	// maximum to all receivers together.
	receiverSlots = 8
	nodeSlots     = 512
	// defaultAttemptTimeout is how long one attempt may take.
	defaultAttemptTimeout = 15 * time.Second
	// loadRetryDelay is how long a job is postponed if its receiver or event cannot be loaded.
	loadRetryDelay = 5 * time.Second
	// maxExcerpt is the number of bytes of a response body that are stored. Up to maxDrain more bytes are read and
	// discarded, so that the connection can be reused.
	maxExcerpt = 4 << 10
	maxDrain   = 64 << 10
)

// sender sends events to receivers. It is safe for concurrent use.
type sender struct {
	Deps
	// client makes the requests of all attempts. It is nil without a Guard.
	client *http.Client
	// timeout is the timeout of an attempt, from the DNS lookup to the last byte read of the response.
	timeout   time.Duration
	receivers *receiverCache
	events    *eventCache
	breakers  receiverBreakers
}

func newSender(d Deps, receivers *receiverCache) *sender {
	s := &sender{Deps: d, receivers: receivers, events: newEventCache(d)}
	s.breakers.failures = map[string]int{}
	s.setTimeout(defaultAttemptTimeout)
	return s
}

// setTimeout sets the timeout and creates the client. The client has no total timeout: the queue sets a deadline on
// each attempt's context.
func (s *sender) setTimeout(timeout time.Duration) {
	s.timeout = timeout
	if s.Guard != nil {
		s.client = s.Guard.Client(outbound.ClientConfig{HeaderTimeout: timeout, IdlePerHost: 4 * receiverSlots,
			Idle: nodeSlots})
	}
}

// deliveryRetrySchedule returns the delays before the second and each later attempt. They add up to 75 hours and 35
// minutes.
func deliveryRetrySchedule() []time.Duration {
	return []time.Duration{
		5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
		10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
	}
}

// deliveryTask is the queue task that makes one attempt at a delivery.
type deliveryTask = queue.TaskOf[deliveryJob, *attemptResult]

// attemptResult is what an attempt passes to recordOutcomes.
type attemptResult struct {
	deliveryJob
	receiver *signedReceiver
	// requestMade is false if no request was made because the receiver is disabled, or does not want the event.
	requestMade bool
	attempt     Attempt
}

// attempt sends one event to the current URL of its receiver, unless the receiver no longer wants the type: the
// delivery is then held. It runs as a job.
func (s *sender) attempt(ctx context.Context, t *deliveryTask) error {
	job := t.Payload
	receiver, err := s.receivers.find(ctx, job.storeID, t.Lane)
	if err != nil {
		return postponeUnlessDeleted(t.Lane, err)
	}

	result := &attemptResult{deliveryJob: job, receiver: receiver}
	if !receiver.Enabled {
		t.Output = result
		return nil
	}

	e, err := s.events.find(ctx, job.storeID, job.sequence)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return queue.Postpone(loadRetryDelay,
			fmt.Errorf("read event %d of store %s: %w", job.sequence, job.storeID, err))
	}

	t.Output = result
	if err != nil {
		return queue.Abort(fmt.Errorf("event %d of store %s does not exist", job.sequence, job.storeID))
	}

	if !receiver.wantsEvent(e) {
		// Another node may have added the type within receiverCacheTTL.
		if receiver, err = s.receivers.reload(ctx, job.storeID, t.Lane); err != nil {
			t.Output = nil
			return postponeUnlessDeleted(t.Lane, err)
		}

		result.receiver = receiver
		if !receiver.Enabled || !receiver.wantsEvent(e) {
			return nil
		}
	}

	failure := s.sendTraced(ctx, t, e, result)
	s.logAttempt(ctx, t, result, e, failure)
	switch {
	case failure == nil:
		s.breakers.recordSuccess(t.Lane)
		return nil
	case errors.Is(ctx.Err(), context.Canceled):
		return failure // canceled by this node at shutdown: the attempt does not count
	}

	return s.queueError(t.Lane, failure)
}

// postponeUnlessDeleted postpones a job whose receiver cannot be read. It returns nil if the receiver was deleted, and
// its deliveries with it.
func postponeUnlessDeleted(receiver string, err error) error {
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}
	return queue.Postpone(loadRetryDelay, fmt.Errorf("read receiver %s: %w", receiver, err))
}

// queueError counts a failure in the receiver's circuit breaker and wraps it for the queue: with the delay that the
// receiver asked for in Retry-After, and with a pause of the lane if the breaker is open.
func (s *sender) queueError(receiver string, failure *outbound.Failure) error {
	var err error = failure
	if failure.RetryAfter > 0 {
		err = queue.RetryAfter(failure.RetryAfter, err)
	}
	if wait := s.breakers.recordFailure(receiver); wait > 0 {
		err = queue.PauseLane(wait, err)
	}
	return err
}

// sendTraced calls send in a span. The event's id finds the request that emitted the event: its trace has it, too.
func (s *sender) sendTraced(
	ctx context.Context, t *deliveryTask, e *envelope, result *attemptResult,
) *outbound.Failure {
	ctx, span := trace.Start(ctx, "deliver event")
	defer span.End()

	failure := s.send(ctx, result.receiver, e, result)
	if !span.Recording() {
		return failure
	}

	span.String("vitrine.store_id", result.storeID.String())
	span.String("vitrine.receiver_id", t.Lane)
	span.String("vitrine.event_id", e.eventID)
	span.String("vitrine.event_type", e.eventType)
	span.Int("vitrine.delivery.attempt", int64(t.Attempt))

	if u, err := url.Parse(result.receiver.URL); err == nil {
		span.String("server.address", u.Hostname())
	}

	if result.attempt.StatusCode != nil {
		span.Int("http.response.status_code", *result.attempt.StatusCode)
	}

	if failure != nil {
		span.Fail(string(failure.Phase))
	}

	return failure
}

// send makes one request and stores its outcome in result. It returns nil if the response has a 2xx status.
func (s *sender) send(
	ctx context.Context, receiver *signedReceiver, e *envelope, result *attemptResult,
) *outbound.Failure {
	result.requestMade = true
	result.attempt.StartedAt = s.Now()
	start := time.Now()

	response, failure := s.post(ctx, receiver, e)
	if response != nil {
		result.attempt.StatusCode = new(int64(response.StatusCode))
		if response.ContentLength != 0 {
			result.attempt.Excerpt = responseExcerpt(response.Body)
		}
		response.Body.Close()
	}

	result.attempt.Duration = time.Since(start)
	if failure != nil {
		result.attempt.Phase = new(string(failure.Phase))
	}

	if s.Observe != nil {
		s.Observe(result.attempt)
	}

	return failure
}

func (s *sender) post(
	ctx context.Context, receiver *signedReceiver, e *envelope,
) (*http.Response, *outbound.Failure) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, receiver.URL, bytes.NewReader(e.body))
	if err != nil {
		return nil, outbound.FailureOf(err)
	}

	timestamp := s.Now().Unix()
	signatures := make([]string, len(receiver.keys))
	for i, key := range receiver.keys {
		signatures[i] = signDelivery(key, e.eventID, timestamp, e.body)
	}

	// Direct assignment keeps the header names in lower case, as Standard Webhooks writes them. Header.Set would
	// capitalize them.
	r.Header["webhook-id"] = []string{e.eventID}
	r.Header["webhook-timestamp"] = []string{strconv.FormatInt(timestamp, 10)}
	r.Header["webhook-signature"] = []string{strings.Join(signatures, " ")}
	r.Header.Set("Content-Type", "application/json")

	response, err := s.client.Do(r)
	if err != nil {
		return nil, outbound.FailureOf(err)
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return response, s.Guard.StatusError(response)
	}

	return response, nil
}

// responseExcerpt returns the beginning of a response body as valid UTF-8 text. It ignores read errors, because the
// status alone decides whether an attempt succeeded.
func responseExcerpt(body io.Reader) string {
	start, _ := io.ReadAll(io.LimitReader(body, maxExcerpt))
	if len(start) == maxExcerpt {
		_, _ = io.Copy(io.Discard, io.LimitReader(body, maxDrain))
	}
	text := strings.ReplaceAll(strings.ToValidUTF8(string(start), "�"), "\x00", "�")
	if len(text) > maxExcerpt { // the replacement character has three bytes
		text = strings.ToValidUTF8(text[:maxExcerpt], "")
	}
	return text
}

// logAttempt logs one line for each attempt, without the event's payload.
func (s *sender) logAttempt(
	ctx context.Context, t *deliveryTask, result *attemptResult, e *envelope, failure *outbound.Failure,
) {
	level := slog.LevelInfo
	message := "event delivered"
	if failure == nil && !s.Log.Enabled(ctx, level) {
		return
	}

	attrs := []slog.Attr{
		slog.String("store_id", result.storeID.String()), slog.String("receiver_id", t.Lane),
		slog.String("delivery_id", result.delivery.String()), slog.String("event_id", e.eventID),
		slog.String("type", e.eventType), slog.Int("attempt", t.Attempt),
		slog.Int64("duration_ms", result.attempt.Duration.Milliseconds()),
		slog.Bool("delivered", failure == nil),
	}
	if result.attempt.StatusCode != nil {
		attrs = append(attrs, slog.Int64("status", *result.attempt.StatusCode))
	}

	if failure != nil {
		level = slog.LevelWarn
		message = "event not delivered"
		attrs = append(attrs, slog.String("phase", string(failure.Phase)))
	}

	if id := trace.ID(ctx, nil); id != "" {
		attrs = append(attrs, slog.String("trace_id", id))
	}

	s.Log.LogAttrs(ctx, level, message, attrs...)
}
