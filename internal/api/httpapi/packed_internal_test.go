package httpapi

import (
	"compress/gzip"
	"crypto/sha256"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/memory"
)

// The body of a packed response takes room only for what it is compressed to, in memory or in a file, and clients that
// do not accept gzip get it as it is.
func TestResponse_isPackedWhileWritten(t *testing.T) {
	budget := &memory.Budget{Responses: memory.NewShare("responses", "responses", 4<<20),
		Spool: memory.NewShare("spool", "large responses", 64<<20)}

	// Of the long text a part repeats itself, and the digests leave more than stays in memory.
	var text strings.Builder
	for i := range 100_000 {
		sum := sha256.Sum256([]byte(strconv.Itoa(i)))
		text.WriteString(strings.Repeat("the same text ", 10))
		text.Write(sum[:])
	}
	whole := text.String()

	s := NewServer(Deps{Log: slog.New(slog.DiscardHandler), Now: time.Now, Memory: budget, SpoolDir: t.TempDir()},
		[]Route{{Method: "GET", Path: "/{length}", Handler: func(w http.ResponseWriter, r *Request) error {
			return r.Respond(w, func(out *Response) error {
				length, _ := strconv.Atoi(r.PathValue("length"))
				body, err := out.Pack()
				if err != nil {
					return err
				}
				for rest := whole[:length]; rest != ""; {
					n := min(len(rest), 1000)
					if _, err := io.WriteString(body, rest[:n]); err != nil {
						return err
					}
					rest = rest[n:]
				}
				return body.Close()
			})
		}}})

	for _, length := range []int{0, 100, len(whole)} {
		for _, accepted := range []string{"gzip", "zstd, gzip", "", "identity"} {
			w := httptest.NewRecorder()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/"+strconv.Itoa(length), nil)
			r.Header.Set("Accept-Encoding", accepted)
			s.ServeHTTP(w, r)

			sent := w.Body.Len()
			body := io.Reader(w.Body)
			isPacked := w.Header().Get("Content-Encoding") == "gzip"
			if isPacked != strings.Contains(accepted, "gzip") {
				t.Errorf("to a client that accepts %q the response has %v", accepted, w.Header())
			}
			if isPacked {
				var err error
				if body, err = gzip.NewReader(body); err != nil {
					t.Fatal(err)
				}
				if stated := w.Header().Get("Content-Length"); stated != strconv.Itoa(sent) {
					t.Errorf("the length is %s, and %d bytes were sent", stated, sent)
				}
			}
			if got, err := io.ReadAll(body); err != nil || string(got) != whole[:length] {
				t.Errorf("%d bytes to a client that accepts %q: got %d, %v", length, accepted, len(got), err)
			}
		}
	}

	if budget.Responses.Used() != 0 || budget.Spool.Used() != 0 {
		t.Errorf("%d bytes of memory and %d of files are still counted", budget.Responses.Used(), budget.Spool.Used())
	}
}
