package httpapi

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
)

// send sends the response, compressed if the client accepts that. It holds as little memory as possible, and no slot,
// while the client reads.
func (a *Response) send(w http.ResponseWriter) error {
	if leave := a.request.Work.leave; leave != nil {
		leave()
	}

	if err := a.seal(); err != nil {
		return err
	}

	// An NDJSON list may be empty; its handler has set Type. Any other success except 204 has a body.
	if a.Len() == 0 && a.Type == "" && a.Status != http.StatusNoContent && a.Status != http.StatusNotModified {
		return errors.New("the handler rendered no response")
	}
	if err := a.tagBody(); err != nil {
		return err
	}

	h := w.Header()
	if a.Location != "" {
		h.Set("Location", a.Location)
	}

	if a.ETag != "" {
		h.Set("ETag", a.ETag)
	}

	if a.CacheTag != "" {
		h.Set("Cache-Tag", a.CacheTag)
	}

	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", a.cacheControl())
	}

	if a.Status == http.StatusNotModified {
		h.Add("Vary", "Accept-Encoding") // a 304 has the headers of the 200
		w.WriteHeader(a.Status)
		return nil
	}

	if a.Type != "" {
		h.Set("Content-Type", a.Type)
	}

	if a.Len() == 0 {
		w.WriteHeader(a.Status)
		return nil
	}

	if a.Type == "" {
		h.Set("Content-Type", "application/json")
	}

	h.Add("Vary", "Accept-Encoding")
	if a.isPacked {
		return a.sendPacked(w)
	}
	encoding := encodingFor(a.request.Header.Get("Accept-Encoding"), a.Len())
	if a.file != nil {
		return a.sendFile(w, encoding)
	}

	if encoding != "" {
		if err := a.request.server.compress(a.Buffer, encoding); err != nil {
			return err
		}
		h.Set("Content-Encoding", encoding)
	}

	h.Set("Content-Length", strconv.Itoa(len(a.B)))
	w.WriteHeader(a.Status)

	if _, err := w.Write(a.B); err != nil {
		// The status was sent. Only closing the connection shows the client that the body is incomplete.
		panic(http.ErrAbortHandler)
	}

	return nil
}

// compress replaces the bytes of a buffer in memory by the compressed ones. So the encoder, and the memory of the
// original, are not in use while the client reads.
func (s *Server) compress(b *Buffer, encoding string) error {
	var scratch bytes.Buffer
	if mem, ok := b.pool.Get().(*[]byte); ok {
		scratch = *bytes.NewBuffer((*mem)[:0])
	}

	e, err := s.encoders.writer(&scratch, encoding)
	if err == nil {
		_, err = e.Write(b.B)
	}

	if err == nil {
		err = e.Close()
	}

	if err != nil {
		return err
	}

	b.recycle()
	b.B = scratch.Bytes()
	compressed := bytes.Clone(b.B)
	b.recycle()
	b.B = compressed
	b.memory.Shrink(int64(cap(compressed)))

	return nil
}

// sendFile sends a response that was spilled to a file. The encoder is in use until the client has read the response,
// so there is none if its memory does not fit into the budget.
func (a *Response) sendFile(w http.ResponseWriter, encoding string) error {
	a.recycle()
	a.memory.Release()

	if encoding != "" && a.memory.Grow(encoderMemory) != nil {
		encoding = ""
	}

	body, err := a.request.server.encoders.writer(w, encoding)
	if err != nil {
		return err
	}

	h := w.Header()
	if encoding == "" {
		h.Set("Content-Length", strconv.FormatInt(a.Len(), 10))
	} else {
		h.Set("Content-Encoding", encoding)
	}

	w.WriteHeader(a.Status)
	if _, err = io.Copy(body, a.Reader()); err == nil {
		err = body.Close()
	}

	if err != nil {
		panic(http.ErrAbortHandler) // as in send
	}

	return nil
}
