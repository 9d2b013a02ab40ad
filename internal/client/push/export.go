package push

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"vitrine/internal/client/request"
	"vitrine/internal/kit/fault"
)

// ExportJob describes an export of one entity of a store.
type ExportJob struct {
	Client *http.Client
	Gate   Gate
	Entity string
	// ChangedSince is the Cursor of an earlier export, or empty for all items.
	ChangedSince string
	// AssignIDs gives what would be left out an external id.
	AssignIDs bool
	Retries   int
	// Progress is called with the number of items so far and of all items, Notify with messages for the user.
	Progress func(done, total int64)
	Notify   func(string)
}

// Exported is the outcome of an export.
type Exported struct {
	Entity  string `json:"entity"`
	From    string `json:"from"`
	Items   int64  `json:"items"`
	LeftOut int64  `json:"left_out"`
	Cursor  string `json:"cursor"`
}

// Export writes the items of an entity to out, as NDJSON. A request is repeated only as long as nothing was written.
func Export(ctx context.Context, job ExportJob, out io.Writer) (Exported, error) {
	var mu sync.Mutex
	client := &gateClient{http: job.Client, gate: job.Gate, retries: job.Retries,
		notify: request.Serialized(&mu, job.Notify)}
	query := url.Values{}
	if job.ChangedSince != "" {
		query.Set("changed_since", job.ChangedSince)
	}

	if job.AssignIDs {
		query.Set("assign_ids", "true")
	}

	done := Exported{Entity: job.Entity, From: job.Gate.String()}
	w := &exportWriter{out: out, job: job}

	err := client.retry(ctx, func() error {
		err := client.do(ctx, http.MethodGet, job.Gate.url(query, job.Entity), nil, nil,
			func(resp *http.Response) error {
				if err := readExportHeaders(resp, &done, w); err != nil {
					return err
				}

				_, err := io.Copy(w, resp.Body)
				if err == nil && w.items != w.total {
					err = io.ErrUnexpectedEOF
				}

				if err != nil && w.failed == nil {
					err = request.IncompleteResponse(err)
				}

				return err
			})
		if transient, ok := errors.AsType[*request.Transient](err); ok && w.written {
			return transient.Err
		}

		return err
	})

	done.Items = w.items
	return done, err
}

// readExportHeaders reads the headers of an export.
func readExportHeaders(resp *http.Response, done *Exported, w *exportWriter) (err error) {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	w.total, err = strconv.ParseInt(resp.Header.Get("X-Export-Total"), 10, 64)
	if err != nil || kind != "application/x-ndjson" {
		return fault.New(fault.Unavailable, "no_export", "The server sent no export. It may be of an older version.")
	}
	done.LeftOut, _ = strconv.ParseInt(resp.Header.Get("X-Export-Left-Out"), 10, 64)
	done.Cursor = resp.Header.Get("X-Export-Cursor")
	return nil
}

// exportWriter counts the lines that are written to out.
type exportWriter struct {
	out          io.Writer
	job          ExportJob
	items, total int64
	written      bool
	failed       error // of out
}

func (w *exportWriter) Write(p []byte) (int, error) {
	w.written = true
	n, err := w.out.Write(p)
	w.failed = err
	w.items += int64(bytes.Count(p[:n], []byte("\n")))
	w.job.Progress(w.items, w.total)
	return n, err
}

// CopyOrder returns the entities in the order in which a copy pushes them: what products refer to comes before them.
// Prices and remainders are in the products.
func CopyOrder() []string {
	return []string{"stocks", "price-lists", "variant-options", "features", "categories", "products"}
}

// Copy exports an entity and pushes it to another gate while it arrives. The job of the push needs neither File nor
// Input nor Rejects. Things that have exchanged their slugs fail if they are far apart in the export, so it pushes such
// items again.
func Copy(ctx context.Context, from ExportJob, to Job) (_ Exported, _ Report, err error) {
	dir, err := os.MkdirTemp("", "vitrine-copy-")
	if err != nil {
		return Exported{}, Report{}, fmt.Errorf("make a directory for items that fail: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	to.Entity = from.Entity
	to.Rejects = filepath.Join(dir, "rejects.ndjson")
	done, report, err := copyOnce(ctx, from, to)
	if err == nil && !to.DryRun {
		report, err = pushAgain(ctx, to, report)
	}
	report.Rejects = ""
	return done, report, err
}

// maxPushesAgain is how often pushAgain pushes the failed items of a copy.
const maxPushesAgain = 5

// pushAgain pushes the failed items again as long as fewer of them fail because others have their slugs. The counts of
// the returned Report are those of all pushes, with each item once.
func pushAgain(ctx context.Context, to Job, report Report) (Report, error) {
	to.Input = nil
	to.Format = NDJSON
	for n := range maxPushesAgain {
		isTaken := slices.ContainsFunc(report.ErrorCodes, func(c CodeCount) bool { return c.Code == "slug_taken" })
		if !isTaken || report.Rejects == "" {
			break
		}

		to.File = report.Rejects
		to.Rejects = fmt.Sprintf("%s.%d", report.Rejects, n)
		again, err := Push(ctx, to)
		if err != nil {
			return report, err
		}

		before := report.Failed
		report.addAgain(again)
		if report.Failed == before {
			break
		}
	}
	return report, nil
}

// copyOnce exports an entity and pushes it.
func copyOnce(ctx context.Context, from ExportJob, to Job) (Exported, Report, error) {
	reader, writer := io.Pipe()
	var done Exported
	exported := make(chan error, 1)
	go func() {
		var err error
		done, err = Export(ctx, from, writer)
		_ = writer.CloseWithError(err) // nil means the end
		exported <- err
	}()
	to.File = Stdin
	to.Input = reader
	to.Format = NDJSON
	report, err := Push(ctx, to)
	_ = reader.CloseWithError(errors.New("the push has ended"))
	if failed := <-exported; failed != nil && err != nil {
		err = fmt.Errorf("export %s: %w", from.Entity, failed)
	}

	return done, report, err
}
