package apitest

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"sync"
	"time"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/storetest"
)

// ShortAdmissionWait makes requests that find no free slot fail soon.
func ShortAdmissionWait() Option {
	return WithConfig(func(c *config.Serve) { c.AdmissionWait = 50 * time.Millisecond })
}

// WriteSlots is the number of writes that a server works on at once on SQLite.
const WriteSlots = 64

// FillWriteSlots fills all slots for writes of a server on SQLite, until the returned function is called: it holds the
// writer, and sends as many wrong login codes as there are slots, which wait for the writer.
func (s *Server) FillWriteSlots() (release func()) {
	s.tb.Helper()
	if s.Engine != database.SQLite {
		s.tb.Fatal("FillWriteSlots needs SQLite")
	}

	begun := make(chan struct{})
	end := make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- s.App.DB.WriteAlone(context.WithoutCancel(s.tb.Context()), func(database.Querier) error {
			close(begun)
			<-end
			return nil
		})
	}()
	<-begun
	answers := make(chan error, WriteSlots)

	for range WriteSlots {
		go func() {
			const body = `{"request_id": "01a1e329-853e-7f21-8e9b-5223ae35d72c", "code": "123456"}`
			try := func() (*Response, error) {
				return s.Try(http.MethodPost, "/v2/auth/passwordless/confirm", body, As(s.Publishable))
			}
			r, err := try()

			// It got no slot in time, or too many of its kind waited for one.
			for err == nil && (r.Status == http.StatusServiceUnavailable || r.Status == http.StatusTooManyRequests) {
				time.Sleep(10 * time.Millisecond) // in real time: the slots are those of a running server
				r, err = try()
			}

			if err == nil && r.Problem() != "401 invalid_code" {
				err = fmt.Errorf("a wrong login code is answered with %s", r.Body)
			}

			answers <- err
		}()
	}

	free := sync.OnceFunc(func() { close(end) })
	s.tb.Cleanup(free) // before the server stops, which waits for the writer
	full := regexp.MustCompile(fmt.Sprintf(`vitrine_admission_in_\w+\{class="write"\} %d\n`, WriteSlots))
	storetest.Eventually(s.tb, "all slots for writes are in use", func() bool { return full.MatchString(s.Metrics()) })

	return func() {
		s.tb.Helper()
		free()

		if err := <-ended; err != nil {
			s.tb.Error(err)
		}

		for range WriteSlots {
			if err := <-answers; err != nil {
				s.tb.Error(err)
			}
		}
	}
}
