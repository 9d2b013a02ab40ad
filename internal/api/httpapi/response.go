package httpapi

import (
	"net/http"

	"vitrine/internal/kit/wire"
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
	// CacheTag has the tags of the catalogue that the response shows, with a comma between them, for caches.
	CacheTag string

	request *Request
	// digest is the digest of the body, if it is known. tagged says that ETag contains it.
	digest string
	tagged bool
	// isPacked says that the body is compressed with gzip.
	isPacked bool
}

// newResponse returns an empty response to r. The caller closes it.
func newResponse(r *Request) *Response {
	b := newBuffer(r, r.server.Memory.Responses, &r.server.buffers, maxInMemory)
	b.isResponse = true
	return &Response{Buffer: b, request: r, Status: http.StatusOK}
}

// Reset empties the response for another attempt.
func (a *Response) Reset() error {
	a.isPacked = false
	return a.Buffer.Reset()
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
func (a *Response) Created(path string) {
	a.Status = http.StatusCreated
	a.Location = path
}

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
