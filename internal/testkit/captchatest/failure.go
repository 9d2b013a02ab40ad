package captchatest

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Failure is a way in which a verification goes wrong, though the token is good.
type Failure func(s *Site, w http.ResponseWriter, r *http.Request)

// Hang never answers.
func Hang(_ *Site, _ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// Drip answers, and never comes to the end.
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

// Cut closes the connection instead of answering.
func Cut(*Site, http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// DisconnectInBody closes the connection in the middle of the answer.
func DisconnectInBody(s *Site, w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "4096")
	fmt.Fprint(w, s.renderAnswer(s.Good("")))
}

// Status answers with a status.
func Status(code int) Failure {
	return func(_ *Site, w http.ResponseWriter, r *http.Request) { respondStatus(code)(w, r) }
}

// Redirect leads to an address where success is the answer.
func Redirect(_ *Site, w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, redirectPath, http.StatusTemporaryRedirect)
}

// HTML is what a login page or a proxy answers.
func HTML(_ *Site, w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprint(w, "<!doctype html><title>success</title>")
}

// EndlessBody is success in more bytes than anybody could read.
func EndlessBody(s *Site, w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, s.renderAnswer(s.Good("")))
	for blank := strings.Repeat(" ", 32<<10); r.Context().Err() == nil; {
		fmt.Fprint(w, blank)
	}
}

// InvalidHTTP is no HTTP.
func InvalidHTTP(_ *Site, w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "success: true\r\n\r\n")
}

// WrongContentType is success that is said to be no JSON.
func WrongContentType(action string) Failure {
	return func(s *Site, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(w, s.renderAnswer(s.Good(action)))
	}
}
