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
func (r *Request) send(w http.ResponseWriter, out *Response) error {
	if r.leaveSlot != nil {
		r.leaveSlot()
	}

	if err := out.seal(); err != nil {
		return err
	}

	// An NDJSON list may be empty; its handler has set Type. Any other success except 204 has a body.
	if out.Len() == 0 && out.Type == "" && out.Status != http.StatusNoContent && out.Status != http.StatusNotModified {
		return errors.New("the handler rendered no response")
	}
	if err := r.tagBody(out); err != nil {
		return err
	}

	h := w.Header()
	if out.Location != "" {
		h.Set("Location", out.Location)
	}

	if out.ETag != "" {
		h.Set("ETag", out.ETag)
	}

	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", r.cacheControl())
	}

	if out.Status == http.StatusNotModified {
		h.Add("Vary", "Accept-Encoding") // a 304 has the headers of the 200
		w.WriteHeader(out.Status)
		return nil
	}

	if out.Type != "" {
		h.Set("Content-Type", out.Type)
	}

	if out.Len() == 0 {
		w.WriteHeader(out.Status)
		return nil
	}

	if out.Type == "" {
		h.Set("Content-Type", "application/json")
	}

	h.Add("Vary", "Accept-Encoding")
	encoding := encodingFor(r.Header.Get("Accept-Encoding"), out.Len())
	if out.file != nil {
		return r.sendFile(w, out, encoding)
	}

	if encoding != "" {
		if err := r.server.compress(out.Buffer, encoding); err != nil {
			return err
		}
		h.Set("Content-Encoding", encoding)
	}

	h.Set("Content-Length", strconv.Itoa(len(out.B)))
	w.WriteHeader(out.Status)

	if _, err := w.Write(out.B); err != nil {
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
func (r *Request) sendFile(w http.ResponseWriter, out *Response, encoding string) error {
	out.recycle()
	out.memory.Release()

	if encoding != "" && out.memory.Grow(encoderMemory) != nil {
		encoding = ""
	}

	body, err := r.server.encoders.writer(w, encoding)
	if err != nil {
		return err
	}

	h := w.Header()
	if encoding == "" {
		h.Set("Content-Length", strconv.FormatInt(out.Len(), 10))
	} else {
		h.Set("Content-Encoding", encoding)
	}

	w.WriteHeader(out.Status)
	if _, err = io.Copy(body, out.Reader()); err == nil {
		err = body.Close()
	}

	if err != nil {
		panic(http.ErrAbortHandler) // as in send
	}

	return nil
}
