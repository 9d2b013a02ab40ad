package outbound

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	fetchTimeout   = 30 * time.Second
	fetchesPerHost = 4
	fetchRedirects = 3
	// maxStoredHeader is the maximum length of ETag and LastModified in a FetchResult.
	maxStoredHeader = 256
)

// FetchRequest describes a file to download.
type FetchRequest struct {
	URL    string
	Accept string // value of the Accept header; empty for none
	// MaxBytes is the maximum length of the file.
	MaxBytes int64
	// ETag and LastModified are the validators of an earlier download, for a conditional request. They are empty if
	// there was no earlier download.
	ETag, LastModified string
}

// FetchResult is the result of a download.
type FetchResult struct {
	// NotModified reports that the file has not changed since the earlier download. Body is then empty.
	NotModified bool
	Body        []byte
	// ETag and LastModified are response headers. A value that is longer than 256 bytes or not printable ASCII is left
	// empty.
	ETag, LastModified string
}

// Fetch downloads a file into memory, within 30 s and with at most 3 redirects. At most 4 downloads per host run
// concurrently. Its error is a *Failure, or wraps context.Canceled if ctx was cancelled.
func (g *Guard) Fetch(ctx context.Context, f FetchRequest) (FetchResult, error) {
	bounded, cancel := context.WithTimeout(ctx, g.fetchTimeout)
	defer cancel()
	fetched, err := g.fetch(bounded, f)
	switch {
	case err == nil:
		return fetched, nil
	case errors.Is(ctx.Err(), context.Canceled):
		return FetchResult{}, fmt.Errorf("fetch: %w", ctx.Err())
	default:
		return FetchResult{}, FailureOf(err)
	}
}

func (g *Guard) fetch(ctx context.Context, f FetchRequest) (FetchResult, error) {
	u, err := g.CheckURL(f.URL)
	if err != nil {
		return FetchResult{}, blockedURL(err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return FetchResult{}, blockedError("The address cannot be requested.")
	}

	for name, value := range map[string]string{
		"Accept": f.Accept, "If-None-Match": f.ETag, "If-Modified-Since": f.LastModified,
	} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}

	response, err := g.fetcher.Do(r)
	if err != nil {
		return FetchResult{}, err
	}
	defer response.Body.Close()

	fetched := FetchResult{
		ETag: storableHeader(response, "ETag"), LastModified: storableHeader(response, "Last-Modified"),
	}
	switch {
	case response.StatusCode == http.StatusOK:
		fetched.Body, err = readLimitedResponse(response, f.MaxBytes)
	case response.StatusCode == http.StatusNotModified && (f.ETag != "" || f.LastModified != ""):
		fetched.NotModified = true
	default:
		err = g.StatusError(response)
	}

	return fetched, err
}

// readLimitedResponse reads a body of at most limit bytes.
func readLimitedResponse(response *http.Response, limit int64) ([]byte, error) {
	tooLarge := &Failure{Phase: PhaseTooLarge, Status: response.StatusCode,
		Message: fmt.Sprintf("The file is longer than %d bytes.", limit)}
	if response.ContentLength > limit {
		return nil, tooLarge
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(body)) > limit:
		return nil, tooLarge
	}
	return body, nil
}

// storableHeader returns a header value if it is short printable ASCII, or "".
func storableHeader(response *http.Response, name string) string {
	value := response.Header.Get(name)
	if len(value) > maxStoredHeader || strings.ContainsFunc(value, func(c rune) bool { return c < ' ' || c > '~' }) {
		return ""
	}
	return value
}
