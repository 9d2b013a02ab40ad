package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
)

const (
	// slots is the maximum number of concurrent requests of one node to one receiver, totalSlots to all receivers.
	slots      = 8
	totalSlots = 512
	// usualAttemptTime is the timeout of a request.
	usualAttemptTime = 15 * time.Second
	// postponed is the delay of a job whose receiver or event could not be loaded.
	postponed = 5 * time.Second
	// excerptMost is how much of a response body is stored. Up to drainMost more is read and discarded, so that the
	// connection can be reused.
	excerptMost = 4 << 10
	drainMost   = 64 << 10
)

// schedule returns the delays before the second, the third, … attempt: 75 hours in total.
func schedule() []time.Duration {
	return []time.Duration{
		5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
	}
}

// sent is the result of an attempt, handed from attempt to settle in the task's output.
type sent struct {
	parcel
	receiver *addressee
	// made is false if no request was made because the receiver is disabled.
	made    bool
	attempt Attempt
}

// attempt sends one event to the current URL of its receiver. It runs as a job.
func (s *Service) attempt(ctx context.Context, t *queue.Task) error {
	p, err := readParcel(t.Payload)
	if err != nil {
		return queue.Abort(err)
	}
	to, err := s.addressee(ctx, p.storeID, t.Lane)
	if err != nil {
		return queue.Postpone(postponed, fmt.Errorf("read receiver %s: %w", t.Lane, err))
	}
	if to == nil {
		return nil // the receiver was deleted, and its deliveries with it
	}
	note := &sent{parcel: p, receiver: to}
	t.Output = note
	if !to.Enabled {
		return nil
	}
	e, err := s.event(ctx, p.storeID, p.sequence)
	if errors.Is(err, database.ErrNoRows) {
		return queue.Abort(fmt.Errorf("event %d of store %s is gone", p.sequence, p.storeID))
	}
	if err != nil {
		t.Output = nil
		return queue.Postpone(postponed, fmt.Errorf("read event %d of store %s: %w", p.sequence, p.storeID, err))
	}
	failure := s.send(ctx, to, e, note)
	s.tell(ctx, t, note, e, failure)
	switch {
	case failure == nil:
		s.breakers.succeeded(t.Lane)
		return nil
	case errors.Is(ctx.Err(), context.Canceled):
		return failure // canceled by this node at shutdown: the attempt does not count
	}
	return s.judge(t.Lane, failure)
}

// judge counts a failure and returns the error for the queue, with the delay that the receiver asked for and the pause
// of its lane.
func (s *Service) judge(receiver string, failure *outbound.Error) error {
	var err error = failure
	if failure.RetryAfter > 0 {
		err = queue.RetryAfter(failure.RetryAfter, err)
	}
	if wait := s.breakers.failed(receiver); wait > 0 {
		err = queue.PauseLane(wait, err)
	}
	return err
}

// send makes one request and stores its result in note.
func (s *Service) send(ctx context.Context, to *addressee, e *event.Event, note *sent) *outbound.Error {
	note.made = true
	note.attempt.StartedAt = s.Now()
	began := time.Now()
	answer, failure := s.post(ctx, to, e, note.storeID)
	if answer != nil {
		note.attempt.StatusCode = new(int64(answer.StatusCode))
		if answer.ContentLength != 0 {
			note.attempt.Excerpt = excerpt(answer.Body)
		}
		answer.Body.Close()
	}
	note.attempt.Duration = time.Since(began)
	if failure != nil {
		note.attempt.Phase = new(string(failure.Phase))
	}
	if s.Observe != nil {
		s.Observe(note.attempt)
	}
	return failure
}

func (s *Service) post(ctx context.Context, to *addressee, e *event.Event, storeID store.ID) (*http.Response, *outbound.Error) {
	body := e.AppendEnvelope(make([]byte, 0, len(e.Payload)+256), storeID)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to.URL, bytes.NewReader(body))
	if err != nil {
		return nil, outbound.AsError(err)
	}
	id, timestamp := e.ID.String(), s.Now().Unix()
	signatures := make([]string, len(to.keys))
	for i, key := range to.keys {
		signatures[i] = sign(key, id, timestamp, body)
	}
	// Direct assignment keeps the header names in lower case, as Standard Webhooks writes them. Header.Set would
	// capitalize them.
	r.Header["webhook-id"] = []string{id}
	r.Header["webhook-timestamp"] = []string{strconv.FormatInt(timestamp, 10)}
	r.Header["webhook-signature"] = []string{strings.Join(signatures, " ")}
	r.Header.Set("Content-Type", "application/json")
	answer, err := s.client.Do(r)
	if err != nil {
		return nil, outbound.AsError(err)
	}
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return answer, s.Guard.StatusError(answer)
	}
	return answer, nil
}

// excerpt returns the beginning of a response body as valid UTF-8 text. Read errors are ignored: only the status
// decides.
func excerpt(body io.Reader) string {
	start, _ := io.ReadAll(io.LimitReader(body, excerptMost))
	if len(start) == excerptMost {
		_, _ = io.Copy(io.Discard, io.LimitReader(body, drainMost))
	}
	text := strings.ReplaceAll(strings.ToValidUTF8(string(start), "�"), "\x00", "�")
	if len(text) > excerptMost { // the replacement character has three bytes
		text = strings.ToValidUTF8(text[:excerptMost], "")
	}
	return text
}

// tell logs one line for each attempt, without the event's payload.
func (s *Service) tell(ctx context.Context, t *queue.Task, note *sent, e *event.Event, failure *outbound.Error) {
	level, text := slog.LevelDebug, "an event was delivered"
	if failure == nil && !s.Log.Enabled(ctx, level) {
		return
	}
	about := []slog.Attr{
		slog.String("store", note.storeID.String()), slog.String("receiver", t.Lane), slog.String("delivery", note.delivery.String()),
		slog.String("event", e.ID.String()), slog.String("type", e.Type), slog.Int("attempt", t.Attempt), slog.Int64("ms", note.attempt.Duration.Milliseconds()),
	}
	if note.attempt.StatusCode != nil {
		about = append(about, slog.Int64("status", *note.attempt.StatusCode))
	}
	if failure != nil {
		level, text = slog.LevelInfo, "an event was not delivered"
		about = append(about, slog.String("phase", string(failure.Phase)))
	}
	s.Log.LogAttrs(ctx, level, text, about...)
}
