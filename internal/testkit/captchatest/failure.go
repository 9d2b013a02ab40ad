package captchatest

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Failure makes the verification of a valid token fail.
type Failure func(s *Site, w http.ResponseWriter, r *http.Request)

// Hang never responds.
func Hang(_ *Site, _ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// Drip sends an endless body slowly.
func Drip(_ *Site, w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	flush := http.NewResponseController(w).Flush
	for tick := time.NewTicker(5 * time.Millisecond); ; {
		fmt.Fprint(w, " ")
		if flush() != nil {
			return
		}
		select {
		case <-tick.C:
		case <-r.Context().Done():
			return
		}
	}
}

// Disconnect closes the connection without a response.
func Disconnect(*Site, http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// DisconnectInBody closes the connection in the middle of the body.
func DisconnectInBody(s *Site, w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "4096")
	fmt.Fprint(w, s.renderAnswer(s.GoodAnswer("")))
}

// Status responds with a status code.
func Status(code int) Failure {
	return func(_ *Site, w http.ResponseWriter, r *http.Request) { respondStatus(code)(w, r) }
}

// Redirect redirects to a URL that reports success.
func Redirect(_ *Site, w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, redirectPath, http.StatusTemporaryRedirect)
}

// HTML responds as a login page or a proxy would.
func HTML(_ *Site, w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprint(w, "<!doctype html><title>success</title>")
}

// EndlessBody reports success in a body that never ends.
func EndlessBody(s *Site, w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, s.renderAnswer(s.GoodAnswer("")))
	for blank := strings.Repeat(" ", 32<<10); r.Context().Err() == nil; {
		fmt.Fprint(w, blank)
	}
}

// InvalidHTTP sends a response that is not HTTP.
func InvalidHTTP(_ *Site, w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "success: true\r\n\r\n")
}

// WrongContentType reports success as text/plain.
func WrongContentType(action string) Failure {
	return func(s *Site, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(w, s.renderAnswer(s.GoodAnswer(action)))
	}
}
