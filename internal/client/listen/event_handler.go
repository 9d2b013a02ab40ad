package listen

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxEventBytes limits the size of an event.
const maxEventBytes = 1 << 20

type event struct {
	ID       string         `json:"id"`
	Type     string         `json:"type"`
	Sequence int64          `json:"sequence"`
	Payload  jsontext.Value `json:"payload"`
}

// eventHandler receives events over HTTP. It prints them one at a time, in the order of arrival.
type eventHandler struct {
	key    []byte
	status int
	now    func() time.Time
	warn   func(string)
	// printErr gets the first error of printing an event.
	printErr chan error

	mu      sync.Mutex
	printer eventPrinter
	seen    seenEvents
}

// ServeHTTP verifies an event, prints it and then responds.
func (h *eventHandler) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	switch {
	case req.URL.Path != "/":
		http.Error(w, "Events are received at / only.", http.StatusNotFound)
		return
	case req.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "Events are received by POST only.", http.StatusMethodNotAllowed)
		return
	}

	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxEventBytes))
	h.mu.Lock()
	defer h.mu.Unlock()

	now := h.now()
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		h.reject(w, req, now, http.StatusRequestEntityTooLarge, fmt.Errorf("it is longer than %d bytes", maxEventBytes))
		return
	case err != nil:
		h.reject(w, req, now, http.StatusBadRequest, errors.New("its body is incomplete"))
		return
	}

	if err := verifyWebhook(h.key, req.Header, body, now); err != nil {
		h.reject(w, req, now, http.StatusUnauthorized, err)
		return
	}

	var e event
	if err := json.Unmarshal(body, &e); err != nil || e.ID == "" || e.Payload.Kind() != '{' {
		h.reject(w, req, now, http.StatusBadRequest,
			errors.New("it is not an event in JSON, but its signature is valid"))
		return
	}

	if err := h.printer.print(now, e, body, h.seen.add(e.ID)); err != nil {
		select {
		case h.printErr <- fmt.Errorf("print an event: %w", err):
		default: // an earlier error is already reported
		}
		http.Error(w, "The event could not be printed.", http.StatusServiceUnavailable)
		return
	}

	w.WriteHeader(h.status)
}

func (h *eventHandler) reject(w http.ResponseWriter, req *http.Request, now time.Time, status int, reason error) {
	h.warn(fmt.Sprintf("%s rejected a request with webhook-id %.80q, answered %d: %v.", timeOfDay(now),
		req.Header.Get("webhook-id"), status, reason))
	http.Error(w, "The request is rejected: "+reason.Error()+".", status)
}

// maxSeenEvents is the number of event ids that seenEvents remembers.
const maxSeenEvents = 10_000

// seenEvents counts how often each of the latest events was received.
type seenEvents struct {
	counts map[string]int
	ids    []string // a ring buffer, once it is full
	next   int
}

// add counts an event and returns how often it was received, including this time.
func (s *seenEvents) add(id string) int {
	s.counts[id]++
	if s.counts[id] > 1 {
		return s.counts[id]
	}
	if len(s.ids) < maxSeenEvents {
		s.ids = append(s.ids, id)
		return 1
	}
	delete(s.counts, s.ids[s.next])
	s.ids[s.next] = id
	s.next = (s.next + 1) % maxSeenEvents
	return 1
}

// timestampTolerance is how much the time of an event may differ from now, as in the Standard Webhooks libraries.
const timestampTolerance = 5 * time.Minute

// verifyWebhook checks the signature and the timestamp of an event. The error says what is wrong.
func verifyWebhook(key []byte, header http.Header, body []byte, now time.Time) error {
	id := header.Get("webhook-id")
	timestamp := header.Get("webhook-timestamp")
	signatures := header.Get(
		"webhook-signature")
	if id == "" || timestamp == "" || signatures == "" {
		return errors.New("it lacks webhook-id, webhook-timestamp or webhook-signature")
	}

	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return fmt.Errorf("its webhook-timestamp %q is not a number of seconds", timestamp)
	}

	if age := now.Sub(time.Unix(seconds, 0)); age > timestampTolerance || age < -timestampTolerance {
		return fmt.Errorf("its timestamp %s is more than %s from now", time.Unix(seconds, 0).UTC().Format(time.RFC3339),
			timestampTolerance)
	}

	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.", id, timestamp)
	mac.Write(body)
	want := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))

	// While a secret is being rotated there are several signatures. One valid signature is enough.
	for signature := range strings.FieldsSeq(signatures) {
		if hmac.Equal([]byte(signature), want) {
			return nil
		}
	}

	return errors.New("its signature is invalid: it was signed with another secret, or changed in transit")
}
