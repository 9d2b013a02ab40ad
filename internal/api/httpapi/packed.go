package httpapi

import (
	"io"
	"net/http"
	"strconv"

	"github.com/klauspost/compress/gzip"
)

// Pack returns a writer that compresses the body of the response with gzip while it is written, so that a body of any
// length takes little room in the file. The caller closes it, and uses neither B nor Spill.
func (a *Response) Pack() (io.WriteCloser, error) {
	a.isPacked = true
	return a.request.server.encoders.writer(packedBody{a.Buffer}, "gzip")
}

// packedBody appends to the buffer of a response.
type packedBody struct{ *Buffer }

// Write implements io.Writer. Where Buffer.Write fails for lack of memory, it moves the body to the file.
func (b packedBody) Write(p []byte) (int, error) {
	b.B = append(b.B, p...)
	return len(p), b.Spill()
}

// sendPacked sends a body that was compressed while it was written, and decompresses it for a client that does not
// accept gzip.
func (a *Response) sendPacked(w http.ResponseWriter) error {
	if a.file != nil {
		a.recycle()
		a.memory.Release()
	}

	h := w.Header()
	body := io.Reader(a.Reader())
	if AcceptsEncoding(a.request.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		h.Set("Content-Length", strconv.FormatInt(a.Len(), 10))
	} else {
		var err error
		if body, err = gzip.NewReader(body); err != nil {
			return err
		}
	}

	w.WriteHeader(a.Status)
	if _, err := io.Copy(w, body); err != nil {
		panic(http.ErrAbortHandler) // as in send
	}
	return nil
}
