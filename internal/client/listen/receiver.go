package listener

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxBody is the longest event that is read.
const maxBody = 1 << 20

// event is the envelope of what arrives.
type event struct {
	ID       string         `json:"id"`
	Type     string         `json:"type"`
	Sequence int64          `json:"sequence"`
	Payload  jsontext.Value `json:"payload"`
}

// receiver answers requests with events. One is printed at a time, in the order in which they came.
type receiver struct {
	key    []byte
	status int
	now    func() time.Time
	warn   func(string)
	// broken gets the error of the first event that could not be printed.
	broken chan error

	mu    sync.Mutex
	print printer
	seen  seen
}

func newReceiver(job Job, key []byte) *receiver {
	return &receiver{
		key: key, status: job.Status, now: job.Now, warn: job.Warn, broken: make(chan error, 1),
		print: printer{job.Out, job.Form, job.Colour}, seen: seen{times: map[string]int{}},
	}
}

// ServeHTTP verifies an event, prints it and answers, in this order.
func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	switch {
	case request.URL.Path != "/":
		http.Error(w, "Events are received at / only.", http.StatusNotFound)
		return
	case request.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "Events are received by POST only.", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, maxBody))
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.now()
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		r.refuse(w, request, at, http.StatusRequestEntityTooLarge, fmt.Errorf("it is longer than %d bytes", maxBody))
		return
	case err != nil:
		r.refuse(w, request, at, http.StatusBadRequest, errors.New("it broke off"))
		return
	}
	if err := verify(r.key, request.Header, body, at); err != nil {
		r.refuse(w, request, at, http.StatusUnauthorized, err)
		return
	}
	var e event
	if err := json.Unmarshal(body, &e); err != nil || e.ID == "" || e.Payload.Kind() != '{' {
		r.refuse(w, request, at, http.StatusBadRequest, errors.New("it is no event in JSON, though its signature fits"))
		return
	}
	if err := r.print.event(at, e, body, r.seen.again(e.ID)); err != nil {
		select {
		case r.broken <- fmt.Errorf("print an event: %w", err):
		default: // an earlier one says so already
		}
		http.Error(w, "The event could not be printed.", http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(r.status)
}

// refuse answers a request that is not an event of ours, and says so.
func (r *receiver) refuse(w http.ResponseWriter, request *http.Request, at time.Time, status int, why error) {
	r.warn(fmt.Sprintf("%s refused a request with webhook-id %.80q, answered %d: %v.", clock(at), request.Header.Get("webhook-id"), status, why))
	http.Error(w, "The request is refused: "+why.Error()+".", status)
}

// remembered is of how many events it is known that they came.
const remembered = 10_000

// seen counts how often events came: the latest of them, by id.
type seen struct {
	times map[string]int
	ids   []string // a ring, once it is full
	next  int
}

// again notes an event and returns how often it has come, with this time.
func (s *seen) again(id string) int {
	s.times[id]++
	if s.times[id] > 1 {
		return s.times[id]
	}
	if len(s.ids) < remembered {
		s.ids = append(s.ids, id)
		return 1
	}
	delete(s.times, s.ids[s.next])
	s.ids[s.next] = id
	s.next = (s.next + 1) % remembered
	return 1
}
