package outbound

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	fetchTime      = 30 * time.Second
	fetchesPerHost = 4
	fetchRedirects = 3
	// maxMark is the longest ETag or date that is worth remembering.
	maxMark = 256
)

// FetchRequest is a file to download.
type FetchRequest struct {
	URL    string
	Accept string // media types, best first; empty for any
	// MaxBytes is how long the file may be.
	MaxBytes int64
	// ETag and LastModified are those of the file when it was fetched before; empty if it was not.
	ETag, LastModified string
}

// Fetched is a file that was downloaded, or the news that it is still the same.
type Fetched struct {
	// NotModified tells that the file is what it was, and Body empty.
	NotModified bool
	Body        []byte
	// ETag, LastModified and ContentType are what the server said: at most 256 visible ASCII characters, otherwise empty.
	ETag, LastModified, ContentType string
}

// Fetch downloads a file into memory: 30 s in all, at most 4 at once from a host, at most 3 redirects. It fails with an *Error, or with
// context.Canceled when that is what ctx is.
func (g *Guard) Fetch(ctx context.Context, f FetchRequest) (Fetched, error) {
	bounded, cancel := context.WithTimeout(ctx, g.fetchTime)
	defer cancel()
	fetched, err := g.fetch(bounded, f)
	switch {
	case err == nil:
		return fetched, nil
	case errors.Is(ctx.Err(), context.Canceled):
		return Fetched{}, fmt.Errorf("fetch: %w", ctx.Err())
	default:
		return Fetched{}, Explain(err)
	}
}

func (g *Guard) fetch(ctx context.Context, f FetchRequest) (Fetched, error) {
	u, err := g.CheckURL(f.URL)
	if err != nil {
		return Fetched{}, refused(err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return Fetched{}, blocked("The address cannot be requested.")
	}
	for name, value := range map[string]string{"Accept": f.Accept, "If-None-Match": f.ETag, "If-Modified-Since": f.LastModified} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	answer, err := g.fetcher.Do(r)
	if err != nil {
		return Fetched{}, err
	}
	defer answer.Body.Close()
	fetched := Fetched{ETag: mark(answer, "ETag"), LastModified: mark(answer, "Last-Modified"), ContentType: mark(answer, "Content-Type")}
	switch {
	case answer.StatusCode == http.StatusOK:
		fetched.Body, err = readAll(answer, f.MaxBytes)
	case answer.StatusCode == http.StatusNotModified && (f.ETag != "" || f.LastModified != ""):
		fetched.NotModified = true
	default:
		err = g.StatusError(answer)
	}
	return fetched, err
}

// readAll reads a body of at most so many bytes.
func readAll(answer *http.Response, most int64) ([]byte, error) {
	tooLarge := &Error{Phase: PhaseTooLarge, Status: answer.StatusCode, Message: fmt.Sprintf("The file is longer than %d bytes.", most)}
	if answer.ContentLength > most {
		return nil, tooLarge
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, most+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(body)) > most:
		return nil, tooLarge
	}
	return body, nil
}

// mark is a header's value that can be stored and sent again.
func mark(answer *http.Response, name string) string {
	value := answer.Header.Get(name)
	if len(value) > maxMark {
		return ""
	}
	for i := range len(value) {
		if value[i] < ' ' || value[i] > '~' {
			return ""
		}
	}
	return value
}
