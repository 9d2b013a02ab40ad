// Package push sends a file to a store's exchange gate, as an accounting system does. It splits the file into requests
// of limited size, or streams it in a single request. Memory use does not depend on the size of the file. It retries
// failed requests and resumes an interrupted push. It reads JSON, NDJSON, CSV and XLSX. It depends on the server only
// through the gate's HTTP API. It neither prints nor reads settings.
package push

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"vitrine/internal/client/request"
	"vitrine/internal/kit/fault"
)

// Stdin is the file name that means standard input.
const Stdin = "-"

// Job describes a push of one file.
type Job struct {
	Client *http.Client
	Gate   Gate
	Entity string
	// File is a path, or Stdin to read from Input.
	File   string
	Input  io.Reader
	Format Format
	// Sheet is the sheet of an XLSX file that is read; "" for the first visible one.
	Sheet string

	// Items and Bytes limit the size of a request.
	Items int
	Bytes int64
	// Retries is the number of retries of a request without a response, or with a 429, 5xx or empty 2xx response.
	Retries int

	DryRun bool
	// Atomic and ArchiveMissing apply to a push as a whole: the file is streamed in a single request.
	Atomic         bool
	ArchiveMissing bool
	// Revertible makes the server keep what the push changes.
	Revertible bool
	// MaxArchiveShare is sent to the gate unless it is nil.
	MaxArchiveShare *float64
	// Async makes the server process each request in the background. Push polls until its run is finished.
	Async bool

	// Restart ignores the saved progress of an earlier push of the file.
	Restart bool
	// Rejects is the path of the file for failed items, as NDJSON; "" for none. The first failed item truncates it.
	Rejects string

	// Progress is called with the progress, Notify with messages for the user. The calls are serialized.
	Progress func(Progress)
	Notify   func(string)
}

// Progress is the progress of a push.
type Progress struct {
	// Bytes is the number of bytes read, before decompression, of the Size bytes of the file; Size is -1 if unknown.
	Bytes, Size int64
	// Items is the number of items sent.
	Items int64
	// Done is the number of items that the unfinished run has processed; only with Job.Async.
	Done int64
}

func (j *Job) singleRequest() bool { return j.Atomic || j.ArchiveMissing }

// StateFile returns the path of the file in which a push saves its progress.
func StateFile(file string) string { return file + ".push-state" }

// RejectsFile returns the default path of the file for the items that failed.
func RejectsFile(file string) string { return file + ".rejects.ndjson" }

// Push sends the file and returns the sum of the gate's reports. With an error, the Report covers what was done before
// it. Failed items are not an error: Report.Failed counts them. The next Push of the same Job resumes an interrupted
// push, unless the push was a single request, was a dry run, or read from standard input.
func Push(ctx context.Context, job Job) (Report, error) {
	var mu sync.Mutex
	job.Progress, job.Notify = request.Serialized(&mu, job.Progress), request.Serialized(&mu, job.Notify)
	p := &pusher{
		Job:       job,
		client:    &gateClient{http: job.Client, gate: job.Gate, retries: job.Retries, notify: job.Notify},
		report:    Report{Entity: job.Entity, To: job.Gate.String(), File: job.File, DryRun: job.DryRun},
		rejects:   rejectsWriter{path: job.Rejects},
		startedAt: time.Now(),
	}
	var err error
	if p.singleRequest() {
		err = p.sendSingleRequest(ctx)
	} else {
		err = p.sendBatches(ctx)
	}

	err = errors.Join(err, p.rejects.close())
	if p.rejects.size > 0 {
		p.report.Rejects = p.rejects.path
	}

	if err == nil {
		p.report.setOutcome()
	}

	p.report.setDuration(p.earlierDuration + time.Since(p.startedAt))
	return p.report, interruptedError(ctx, p, err)
}

type pusher struct {
	Job
	client          *gateClient
	report          Report
	rejects         rejectsWriter
	startedAt       time.Time
	earlierDuration time.Duration // of the earlier pushes that this one resumes
	entriesDone     int64         // items and unreadable entries processed
	itemsSent       int64         // items among entriesDone
}

// interruptedError replaces the error of a cancelled push by one that says how to continue.
func interruptedError(ctx context.Context, p *pusher, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	message := fmt.Sprintf("Interrupted after %d items.", p.itemsSent)
	if p.resumable() {
		message += " Run the same command to resume."
	}
	return fault.New(fault.Unavailable, "interrupted", "%s", message)
}

// resumable reports whether the progress of the push is saved.
func (p *pusher) resumable() bool { return p.File != Stdin && !p.singleRequest() && !p.DryRun }

// open opens the file at its beginning. It reports the columns that are not sent.
func (p *pusher) open() (src *inputSource, err error) {
	if p.File == Stdin {
		src, err = newInputSource(p.Input, -1, nil)
	} else {
		src, err = openInputSource(p.File)
	}
	if err != nil {
		return nil, err
	}
	ignored, err := src.readItems(p.Format, p.Entity, p.Sheet)
	if err != nil {
		return nil, errors.Join(err, src.Close())
	}
	p.report.addIgnoredColumns(ignored)
	return src, nil
}

// reportCharset reports the character set of a table, after it was read.
func (p *pusher) reportCharset(src *inputSource) {
	if src.charset != nil {
		p.report.Charset = string(src.charset())
	}
}

func openInputSource(path string) (*inputSource, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fault.New(fault.NotFound, "no_file", "The file %s cannot be opened.", path).Because(err)
	}

	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("it is a directory")
	}

	if err != nil {
		return nil, errors.Join(
			fault.New(fault.NotFound, "no_file", "%s cannot be read.", path).Because(err), f.Close())
	}

	size := info.Size()
	if !info.Mode().IsRegular() {
		size = -1
	}

	return newInputSource(f, size, f)
}

// recordRun adds a run to the report and fetches its failed items into the rejects file.
func (p *pusher) recordRun(ctx context.Context, run Run, lines itemLines) error {
	p.report.addRun(run, p.itemsSent, lines)
	if run.Failed == 0 || p.rejects.path == "" || run.ID == "" {
		return nil
	}
	err := p.client.fetchRejects(ctx, run.ID, &p.rejects)
	if err == nil || ctx.Err() != nil {
		return err
	}
	p.Notify(fmt.Sprintf("The failed items of run %s could not be fetched: %v", run.ID, err))
	return nil
}

func (p *pusher) recordUnreadable(unreadable []unreadableEntry) error {
	for _, u := range unreadable {
		p.report.Received++
		p.report.Failed++
		p.report.Unreadable++
		p.report.addError(u.issue)
		if err := p.rejects.addLine(u.reject); err != nil {
			return err
		}
	}
	return nil
}
