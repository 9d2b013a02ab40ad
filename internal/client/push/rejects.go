package push

import (
	"bufio"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"

	"vitrine/internal/client/request"
	"vitrine/internal/kit/fault"
)

// rejectsWriter writes the rejects file. It creates the file when the first item fails.
type rejectsWriter struct {
	path string // "" if rejects are not written
	file *os.File
	size int64 // of the part written by this push
}

// resume continues the file of an interrupted push and keeps its first size bytes.
func (r *rejectsWriter) resume(size int64) error {
	if size == 0 || r.path == "" {
		return nil
	}
	f, err := os.OpenFile(r.path, os.O_WRONLY, 0)
	if err != nil {
		return fault.New(fault.Conflict, "no_rejects",
			"The rejects file of the interrupted push is missing; --restart starts over.").Because(err)
	}
	r.file, r.size = f, size
	return r.truncate()
}

// ensureOpen creates the file, or truncates the file of an earlier push, unless it is already open.
func (r *rejectsWriter) ensureOpen() error {
	if r.file != nil {
		return nil
	}
	f, err := os.Create(r.path)
	if err != nil {
		return fault.New(fault.Unavailable, "no_rejects", "The rejects file cannot be written.").Because(err)
	}
	r.file = f
	return nil
}

func (r *rejectsWriter) truncate() error {
	err := r.file.Truncate(r.size)
	if err == nil {
		_, err = r.file.Seek(r.size, io.SeekStart)
	}
	return err
}

func (r *rejectsWriter) addLine(line []byte) error {
	if r.path == "" || line == nil {
		return nil
	}
	if err := r.ensureOpen(); err != nil {
		return err
	}
	n, err := r.file.Write(append(line, '\n'))
	r.size += int64(n)
	return err
}

// copyFrom appends lines. On failure it appends none.
func (r *rejectsWriter) copyFrom(in io.Reader) error {
	if err := r.ensureOpen(); err != nil {
		return err
	}
	n, err := io.Copy(r.file, in)
	if err != nil {
		return errors.Join(request.IncompleteResponse(err), r.truncate())
	}
	r.size += n
	return nil
}

func (r *rejectsWriter) close() error {
	if r.file == nil {
		return nil
	}
	return errors.Join(r.file.Sync(), r.file.Close())
}

func (c *gateClient) fetchRejects(ctx context.Context, id string, out *rejectsWriter) error {
	return c.retry(ctx, func() error {
		return c.do(ctx, http.MethodGet, c.gate.url(nil, "runs", id, "rejects"), nil, nil,
			func(resp *http.Response) error {
				lines, err := checkRejects(resp)
				if err != nil {
					return err
				}
				return out.copyFrom(lines)
			})
	})
}

// checkRejects returns the body of a response with rejects. The body must not be empty: the run has failed items.
func checkRejects(resp *http.Response) (io.Reader, error) {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	lines := bufio.NewReader(resp.Body)
	head, err := lines.Peek(1)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, request.IncompleteResponse(err)
	case resp.StatusCode != http.StatusOK || kind != "application/x-ndjson":
		return nil, unexpectedResponse(resp, head, "the failed items", nil)
	case len(head) == 0:
		// The response is complete, so many retries would not help.
		return nil, &request.Transient{Limited: true, Err: fault.New(fault.Unavailable, "no_rejects",
			"The gate returned none of the failed items.")}
	}
	return lines, nil
}
