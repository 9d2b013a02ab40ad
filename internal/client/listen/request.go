package listen

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/client/request"
	"vitrine/internal/kit/fault"
)

// maxResponseBytes limits the size of a response of the admin API.
const maxResponseBytes = 1 << 20

const (
	// maxRetries is the number of retries of a request, and minRetryDelay the delay before the first one.
	maxRetries    = 3
	minRetryDelay = 100 * time.Millisecond
)

// retry calls fn until it succeeds, it fails permanently, the retries are used up, or ctx ends. Each retry uses a new
// connection: send leaves no connection open, and retry closes the idle connections of other users of the client,
// because net/http may send even a request with Close set on an idle connection.
func (j *Job) retry(ctx context.Context, fn func() error) error {
	return request.Retries{
		Max: maxRetries, MinDelay: minRetryDelay, MaxDelay: registerTimeout,
		Before: func(error, time.Duration) { j.Client.CloseIdleConnections() },
	}.Do(ctx, fn)
}

// send sends one request to the admin API. check returns an error if a 2xx response does not prove that the request was
// processed. Any other status is an error. The error is a [request.Transient] if the request may be sent again.
func (j *Job) send(
	ctx context.Context, method, address string, header http.Header, body []byte,
	check func(status int, respBody []byte) error,
) error {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return err
	}

	if header != nil {
		req.Header = header.Clone()
	}

	req.Header.Set("Authorization", "Bearer "+j.Admin.key)
	req.Header.Set("User-Agent", "vitrine-listen")
	req.Close = true // requests are rare, so connections are not reused

	resp, err := j.Client.Do(req)
	if err != nil {
		return request.UnreachableServer(j.Admin, err)
	}
	defer resp.Body.Close()

	respBody, err := request.ReadBody(resp, maxResponseBytes)
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return adminResponseError(j.Admin, resp, respBody)
	}

	return check(resp.StatusCode, respBody)
}

// adminResponseError returns the error for a response that is not 2xx. It is transient if a later attempt may succeed.
func adminResponseError(admin Admin, resp *http.Response, body []byte) error {
	f := problemFault(admin, resp, body)
	if f.Kind != fault.Unavailable && f.Code != "idempotency_in_progress" {
		return f
	}
	return &request.Transient{Err: f, RetryAfter: request.RetryAfter(resp, time.Now())}
}

// noReceiverError returns the error for a 2xx response to a registration if the body has no receiver. It proves
// nothing, so the request is sent again, unless the body is HTML or XML, which an admin API never sends.
func noReceiverError(admin Admin, status int, body []byte) error {
	switch body = bytes.TrimSpace(body); {
	case len(body) == 0:
		return &request.Transient{Err: fault.New(fault.Unavailable, "empty_answer",
			"%s answered %s without a receiver: the body is empty. Is this the address of a store's administration?",
			admin, request.StatusText(status))}
	case body[0] == '<':
		return notAdminError(admin, status)
	}
	return &request.Transient{Err: notAdminError(admin, status)}
}

func problemFault(admin Admin, resp *http.Response, body []byte) *fault.Error {
	var p request.Problem
	if json.Unmarshal(body, &p) != nil || p.Code == "" {
		return notAdminError(admin, resp.StatusCode)
	}
	f := p.Fault(resp.StatusCode)
	switch {
	case f.Kind == fault.Unauthenticated:
		f.Message = "The administration rejects this key: it is unknown, expired or revoked."
	case f.Kind == fault.NotFound && resp.Request.Method == http.MethodPost:
		return notAdminError(admin, resp.StatusCode)
	case forbidsLoopback(f):
		f.Message = "The server sends no events to this machine. Start it with --dev, or with --allow-http " +
			"--allow-net 127.0.0.0/8."
	}
	return f
}

// forbidsLoopback reports whether the server rejected the receiver's address. Listen only ever registers http://
// addresses on loopback, so the rejection means that the operator does not allow them.
func forbidsLoopback(f *fault.Error) bool {
	forbids := func(code string) bool { return code == "invalid_url" || code == "forbidden_address" }
	return forbids(f.Code) || slices.ContainsFunc(f.Fields,
		func(field fault.Field) bool { return field.Field == "url" || forbids(field.Code) })
}

func notAdminError(admin Admin, status int) *fault.Error {
	return fault.New(request.KindOf(status), "not_an_administration",
		"The response of %s (%s) is not from a store's administration. Its address differs from that of the API: "+
			"it is http://localhost:8081 by default, and vitrine serve prints it.", admin, request.StatusText(status))
}
