package frame

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

const (
	// livePing is how often a stream without news sends a comment, so that proxies keep the connection, and checks
	// whether the session lasts.
	livePing = 25 * time.Second
	// livePause is the shortest time between two messages of a stream.
	livePause = time.Second
)

// LiveRoutes returns the routes by which pages learn that lists have changed.
func (f *Frame) LiveRoutes() []httpapi.Route {
	return []httpapi.Route{
		{Method: "GET", Path: "/live", Needs: httpapi.AnyScope, Class: httpapi.ClassList,
			Handler: forOperator(f.stream)},
		Page("GET", "/live/counts", httpapi.AnyScope, f.liveCounts),
	}
}

// stream sends the names of lists that have changed as server-sent events, until the client leaves, the session ends or
// the server stops. It holds no slot and no connection of the database. It answers 204, after which a browser does not
// ask again, to requests for something else and beyond the bounds of live.Hub.
func (f *Frame) stream(w http.ResponseWriter, r *httpapi.Request) error {
	if err := r.Err(); err != nil {
		return err
	}
	SetSecurityHeaders(w.Header())
	if !strings.Contains(r.Header.Get("Accept"), "text/event-stream") || f.Live == nil {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	s, ok := f.Live.Subscribe(r.Principal.Store.ID, r.Principal.Operator.ID)
	if !ok {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	defer s.Close()

	httpapi.KeepOpen(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would collect the messages
	client := http.NewResponseController(w)
	send := func(text string) bool {
		_, err := w.Write([]byte(text))
		return err == nil && client.Flush() == nil
	}
	if !send("retry: 5000\n\n") {
		return nil
	}

	may := r.Principal.May
	ping := time.NewTicker(livePing)
	defer ping.Stop()

	for {
		select {
		case <-r.Context().Done():
			return nil
		case <-ping.C:
			present, err := f.checkSession(r)
			if err != nil || !send(": ping\n\n") {
				return nil //nolint:nilerr // the session has ended, and with it the stream
			}
			may = present.May
		case _, open := <-s.Changed():
			if !open {
				return nil
			}
			if names := s.Take().Names(may); names != "" && !send("data: "+names+"\n\n") {
				return nil
			}
			if !sleep(r.Context(), livePause) {
				return nil
			}
		}
	}
}

// checkSession returns the present rights of the session of a request, or an error if the session has ended or belongs
// to another store now.
func (f *Frame) checkSession(r *httpapi.Request) (access.Principal, error) {
	token, _ := SessionToken(r.Request)
	present, err := f.Accounts.Sessions.Check(r.Context(), token)
	if err == nil && present.Store.ID != r.Principal.Store.ID {
		err = fault.New(fault.Unauthenticated, "other_store", "The session belongs to another store now.")
	}
	return present, err
}

// sleep waits for a time. It reports false if ctx ends before.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// liveCount is a count of the navigation: the number beside the item, and its text for screen readers.
type liveCount struct {
	Address string `json:"address"`
	Number  string `json:"number"`
	Text    string `json:"text"`
}

// liveCounts answers with the counts of the navigation as JSON.
func (f *Frame) liveCounts(w http.ResponseWriter, r *httpapi.Request) error {
	v := f.problems.NewView(r, "Orders", "", nil)
	counts, err := InStore(r, f.Read(r), func(ctx context.Context, tx store.Tx) (waitingCounts, error) {
		return readWaiting(ctx, tx, r.Principal.May)
	})
	if err != nil {
		return err
	}

	v.counts = counts
	list := []liveCount{}
	for _, group := range v.Navigation() {
		for _, item := range group.Items {
			if slices.Contains([]string{"orders", "inquiries"}, item.ID) {
				list = append(list, liveCount{item.URL, item.Waiting, item.WaitingText})
			}
		}
	}

	b, err := json.Marshal(list)
	if err != nil {
		return err
	}
	SetSecurityHeaders(w.Header())
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(b) // a client that disconnected needs no response
	return nil
}
