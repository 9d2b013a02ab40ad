package httpapi

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/memory"
)

// Slow readers used up the memory for the responses of their store, and the other visitors of the store got 429. A
// response for which there is no memory is sent from a file.
func TestResponse_isSpilledWithoutRoomInMemory(t *testing.T) {
	budget := &memory.Budget{Responses: memory.NewShare("responses", "responses", 64<<10),
		Spool: memory.NewShare("spool", "large responses", 8<<20)}
	text := strings.Repeat("0123456789", 10_000)

	s := NewServer(Deps{Log: slog.New(slog.DiscardHandler), Now: time.Now, Memory: budget, SpoolDir: t.TempDir()},
		[]Route{{Method: "GET", Path: "/{size}", Handler: func(w http.ResponseWriter, r *Request) error {
			return r.Respond(w, func(out *Response) error {
				switch r.PathValue("size") {
				case "none":
					out.Status = http.StatusNoContent
				case "large":
					out.B = append(out.B, text...)
				case "parts":
					for part := range strings.Lines(strings.ReplaceAll(text, "9", "\n")) {
						out.B = append(out.B, part...)
						if err := out.Spill(); err != nil {
							return err
						}
					}
				}

				return nil
			})
		}}})
	for size, length := range map[string]int{"none": 0, "large": len(text), "parts": len(text)} {
		for range 3 { // later ones reuse the memory of earlier ones
			w := httptest.NewRecorder()
			s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/"+size, nil))
			if w.Code >= 300 || w.Body.Len() != length {
				t.Errorf("%s: got %d with %d bytes, want %d: %.300s", size, w.Code, w.Body.Len(), length, w.Body)
			}
		}
	}

	if budget.Responses.Used() != 0 || budget.Spool.Used() != 0 {
		t.Errorf("%d bytes of memory and %d of files are still counted", budget.Responses.Used(), budget.Spool.Used())
	}
}
