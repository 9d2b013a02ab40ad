package httpapi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/store"
)

// Response is the status, some headers and the body of a response. A handler fills it completely before the first byte
// is sent. So a slow client holds no database connection, and a handler that fails halfway can still send an error
// status.
type Response struct {
	*Buffer
	Status   int
	Location string
	ETag     string
	Type     string // the Content-Type; application/json if empty
	// digest is that of the body, if it is known. tagged says that ETag contains it.
	digest string
	tagged bool
}

// tx returns q as a transaction on behalf of the principal's store.
func (r *Request) tx(q database.Querier) store.Tx { return store.In(q, r.Principal.Store.ID) }

// Read runs fn with read-only access to the database and sends the response that fn rendered. If snapshot is true, all
// statements of fn see the same state of the database. If fn returns the error of [Request.Heavy], Read calls it again.
func (r *Request) Read(
	w http.ResponseWriter, snapshot bool, fn func(ctx context.Context, tx store.Tx, out *Response) error,
) error {
	return r.readWithin(w, r.server.ReadDeadline, r.readPrimary(snapshot), fn)
}

// ReadCatalog is like Read with a snapshot, for a response that shows only what the versions of the store's catalogue
// cover. It reads from the replica if there is one and it has exactly the versions that the primary had when the
// request was authenticated, and from the primary otherwise. A replica that is ahead, or follows another primary, would
// show what the primary does not have.
func (r *Request) ReadCatalog(
	w http.ResponseWriter, fn func(ctx context.Context, tx store.Tx, out *Response) error,
) error {
	read := r.readPrimary(true)
	if known := r.Principal.Versions; known != nil {
		read = func(ctx context.Context, fn func(database.Querier) error) error {
			isFresh := func(ctx context.Context, q database.Querier) (bool, error) {
				has, err := store.FindVersions(ctx, r.tx(q))
				if errors.Is(err, database.ErrNoRows) {
					return false, nil
				}
				return err == nil && has.SameCatalog(*known), err
			}
			return r.server.DB.ReadReplica(ctx, r.Priority(), true, isFresh, fn)
		}
	}
	return r.readWithin(w, r.server.ReadDeadline, read, fn)
}

// readFunc calls a function with read-only access to the database.
type readFunc func(ctx context.Context, fn func(database.Querier) error) error

// readPrimary returns a readFunc of the primary.
func (r *Request) readPrimary(snapshot bool) readFunc {
	return func(ctx context.Context, fn func(database.Querier) error) error {
		return r.server.DB.ReadWith(ctx, r.Priority(), snapshot, fn)
	}
}

// ReadLong is like Read with a snapshot, for a response that may have very many rows. limit is its deadline.
func (r *Request) ReadLong(
	w http.ResponseWriter, limit time.Duration, fn func(ctx context.Context, tx store.Tx, out *Response) error,
) error {
	return r.readWithin(w, limit, r.readPrimary(true), fn)
}

func (r *Request) readWithin(
	w http.ResponseWriter, limit time.Duration, read readFunc,
	fn func(ctx context.Context, tx store.Tx, out *Response) error,
) error {
	if r.err != nil {
		return r.err
	}
	ctx, cancel := context.WithTimeout(r.Context(), limit)
	defer cancel()
	ctx = database.WithOwner(ctx, r.Principal.Store.ID)
	out := &Response{Buffer: r.newResponseBuffer(), Status: http.StatusOK}
	defer out.Close()
	work := func(q database.Querier) error {
		if err := out.Reset(); err != nil { // of what an attempt before has rendered
			return err
		}
		return fn(ctx, r.tx(q), out)
	}
	err := r.readAs(ctx, r.class, read, work)
	if errors.Is(err, errHeavy) {
		err = r.readAs(ctx, ClassHeavy, read, work)
	}
	if err != nil {
		return err
	}
	return r.send(w, out)
}

// readAs calls read with fn, as work of the class.
func (r *Request) readAs(ctx context.Context, c Class, read readFunc, fn func(database.Querier) error) error {
	release, err := r.Admit(ctx, c)
	if err != nil {
		return err
	}
	defer release()
	before := r.class
	r.class = c // the slot may be one that the handler has taken in another class
	defer func() { r.class = before }()
	return read(ctx, fn)
}

// ReadTx runs fn with read-only access to the database and sends no response. It is for lookups that precede the
// response. An error of fn becomes the error of the request.
func (r *Request) ReadTx(fn func(ctx context.Context, tx store.Tx) error) {
	if r.err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), r.server.ReadDeadline)
	defer cancel()
	r.err = r.readAs(ctx, r.class, r.readPrimary(false), func(q database.Querier) error { return fn(ctx, r.tx(q)) })
}

// Respond sends the response that fn renders without access to the database.
func (r *Request) Respond(w http.ResponseWriter, fn func(out *Response) error) error {
	if r.err != nil {
		return r.err
	}
	out := &Response{Buffer: r.newResponseBuffer(), Status: http.StatusOK}
	defer out.Close()
	if err := fn(out); err != nil {
		return err
	}
	return r.send(w, out)
}

// Compute sends the response that fn renders with work of the request's class but without access to the database. It
// sends nothing if fn returns an error.
func (r *Request) Compute(w http.ResponseWriter, fn func(out *Response) error) error {
	if r.err != nil {
		return r.err
	}
	release, err := r.Admit(r.Context(), r.class)
	if err != nil {
		return err
	}
	defer release()
	return r.Respond(w, fn)
}

// Write runs fn in a transaction and sends the response that fn rendered after the commit. The record of the request's
// Idempotency-Key, if it has one, and the entry in the log are written in the same transaction. The parameter long is
// true for work that may be long: it runs as WriteLong does, not in a group commit with other requests. fn may run more
// than once.
func (r *Request) Write(
	w http.ResponseWriter, long bool, fn func(ctx context.Context, tx store.Tx, out *Response) error,
) error {
	if r.err != nil {
		return r.err
	}
	ctx, cancel := context.WithTimeout(r.Context(), r.server.WriteDeadline)
	defer cancel()
	ctx = database.WithOwner(ctx, r.Principal.Store.ID)
	out := &Response{Buffer: r.newResponseBuffer(), Status: http.StatusOK}
	defer out.Close()
	work := func(q database.Querier) error {
		if err := out.Reset(); err != nil {
			return err
		}
		r.entry = nil
		if err := fn(ctx, r.tx(q), out); err != nil {
			return err
		}
		if err := r.recordChange(ctx, r.tx(q), out); err != nil {
			return err
		}
		return out.seal() // after the commit it would be too late to refuse the request
	}
	record, err := r.claimIdempotencyKey()
	if err != nil {
		return err
	}
	if err := r.writeRecord(ctx, long, out, record, work); err != nil {
		return err
	}
	r.releaseIdempotencyKey()
	r.releaseLong()
	if record != nil && record.replayed {
		w.Header().Set("Idempotent-Replayed", "true")
	}
	return r.send(w, out)
}

// writeRecord runs work in a transaction, together with the record of the Idempotency-Key unless it is nil.
func (r *Request) writeRecord(
	ctx context.Context, long bool, out *Response, record *idempotencyRecord, work func(database.Querier) error,
) error {
	write := r.writeShort
	if long {
		write = r.WriteLong
	}
	if record == nil {
		return write(ctx, work)
	}
	err := write(ctx, func(q database.Querier) error { return record.run(ctx, q, out, work) })
	if errors.Is(err, database.ErrUnknownOutcome) {
		err = record.resolveLostCommit(r.Context(), r.Priority(), out, err)
	}
	return err
}

// writeShort runs fn in a transaction that may share a group commit with other requests.
func (r *Request) writeShort(ctx context.Context, fn func(database.Querier) error) error {
	release, err := r.Admit(ctx, ClassWrite)
	if err != nil {
		return err
	}
	defer release()
	return r.server.DB.WriteSoon(ctx, false, fn)
}

// Replay sends the stored response if the request's Idempotency-Key has one, and reports whether it did. Handlers that
// do work before Write call it first: repeating that work could fail. Replay claims the key. From then on a second
// request with the key gets idempotency_in_progress, until this request ends.
func (r *Request) Replay(w http.ResponseWriter) (bool, error) {
	if r.err != nil {
		return false, r.err
	}
	record, err := r.claimIdempotencyKey()
	if record == nil || err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), r.server.ReadDeadline)
	defer cancel()
	out := &Response{Buffer: r.newResponseBuffer()}
	defer out.Close()
	release, err := r.Admit(ctx, ClassShort)
	if err != nil {
		return false, err
	}
	found, err := record.find(ctx, r.Priority(), out)
	release()
	if err != nil || !found {
		return false, err
	}
	r.releaseIdempotencyKey()
	w.Header().Set("Idempotent-Replayed", "true")
	return true, r.send(w, out)
}

// BeginData opens the envelope, up to the value of its member data. EndEnvelope closes it.
func (a *Response) BeginData() { a.B = append(a.B, `{"data":`...) }

// EndEnvelope closes the envelope.
func (a *Response) EndEnvelope() { a.B = append(a.B, '}', '\n') }

// WriteData writes the whole envelope of a single resource.
func (a *Response) WriteData(v any) {
	a.BeginData()
	a.B = wire.AppendJSON(a.B, v)
	a.EndEnvelope()
}

// WriteResource writes the whole envelope of a single resource, with the ETag of its version.
func (a *Response) WriteResource(version int64, v any) {
	a.ETag = ETag(version)
	a.WriteData(v)
}

// Created sets the status 201 and the Location of the new resource.
func (a *Response) Created(path string) { a.Status, a.Location = http.StatusCreated, path }

// PageMeta is the member meta of a list that clients read by page.
type PageMeta struct {
	_ struct{} `doc:"Where in the list this page stands."`

	CurrentPage int64 `json:"current_page" doc:"The number of this page, from 1." minimum:"1" example:"1"`
	PerPage     int64 `json:"per_page" doc:"How many elements a page has at most." minimum:"1" maximum:"250" example:"50"`
	LastPage    int64 `json:"last_page" doc:"The number of the last page; 1 when there is nothing. A page past it is empty." minimum:"1" example:"3"`
	Total       int64 `json:"total" doc:"How many elements the whole list has." minimum:"0" example:"107"`
}

// Meta returns the position of the page in a list of total elements.
func (p Page) Meta(total int64) PageMeta {
	lastPage := max(1, (total+p.PerPage-1)/p.PerPage)
	return PageMeta{CurrentPage: p.Number, PerPage: p.PerPage, LastPage: lastPage, Total: total}
}

// AppendPageMeta appends the member meta of a page of a list with total elements. It is called after the member data.
func (a *Response) AppendPageMeta(p Page, total int64) { a.AppendMeta(p.Meta(total)) }

// AppendMeta appends the member meta. It is called after the member data.
func (a *Response) AppendMeta(meta any) {
	a.B = append(a.B, `,"meta":`...)
	a.B = wire.AppendJSON(a.B, meta)
}

// BeginItem begins element i of a list: it appends the comma before each element except the first.
func (a *Response) BeginItem(i int) {
	if i > 0 {
		a.B = append(a.B, ',')
	}
}

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
