// Package pushclient sends a file to a store's exchange gate, as an accounting system would: in requests of a sensible size or in one that
// streams, in memory that does not grow with the file, again where that makes sense, and on from where a former push was cut. It speaks
// HTTP to the gate and knows nothing else of the server; what it reads are JSON, NDJSON and CSV. It neither prints nor reads settings.
package pushclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"vitrine/internal/kit/fault"
)

const (
	// DefaultItems and DefaultBytes are how many items, and bytes of them before packing, a request takes unless the Job says.
	DefaultItems = 5_000
	DefaultBytes = 8 << 20
	// DefaultRetries is how often a request is sent again: with the waits between, for about two and a half minutes.
	DefaultRetries = 8
	// Stdin is the name of a file that means standard input.
	Stdin = "-"
)

// Job is one file to be pushed.
type Job struct {
	Client *http.Client
	Gate   Gate
	Entity string
	// File is a path, or Stdin for what Input gives.
	File   string
	Input  io.Reader
	Format Format

	// Items and Bytes bound a request.
	Items int
	Bytes int64
	// Retries is how often a request is sent again that could not be sent, was turned away for now, or was answered 2xx
	// without a result.
	Retries int

	DryRun bool
	// Atomic and ArchiveMissing are judged over a whole push, so either makes the file one request, which streams.
	Atomic         bool
	ArchiveMissing bool
	// MaxArchiveShare is the gate's own if it is nil.
	MaxArchiveShare *float64
	// Async has each request spooled by the server and waits for its run.
	Async bool

	// Restart forgets how far an earlier push of the file came.
	Restart bool
	// Rejects is the file that takes what was not applied, as NDJSON; none if it is empty. It is written anew by the first of them.
	Rejects string

	// Progress is told how far the push is; Say is told, in a sentence, what a person should know at once. Neither is called by two
	// goroutines at a time.
	Progress func(Progress)
	Notify   func(string)
}

// Progress is how far a push is.
type Progress struct {
	// Bytes of Size were read from the file, packed if it is; Size is -1 if it is not known.
	Bytes, Size int64
	// Items were sent.
	Items int64
	// Done of Items are done, as the run that is waited for says; only with Job.Async.
	Done int64
}

// singleRequest reports whether the file goes in one request.
func (j *Job) singleRequest() bool { return j.Atomic || j.ArchiveMissing }

// StateFile is where a push of a file notes how far it is.
func StateFile(file string) string { return file + ".push-state" }

// RejectsFile is where what was not applied of a file goes, unless another is named.
func RejectsFile(file string) string { return file + ".rejects.ndjson" }

// Push sends the file and returns the sum of what the gate reported. With an error the Report says what was done before it. Items that
// failed are no error: Report.Failed counts them. A push that is cut is gone on with by the next Push of the same Job, unless it is one
// request, a dry run, or from standard input.
func Push(ctx context.Context, job Job) (Report, error) {
	var mu sync.Mutex
	progress, notify := job.Progress, job.Notify
	job.Progress = func(now Progress) {
		mu.Lock()
		defer mu.Unlock()
		progress(now)
	}
	job.Notify = func(text string) {
		mu.Lock()
		defer mu.Unlock()
		notify(text)
	}
	p := &pusher{
		Job:       job,
		client:    &client{http: job.Client, gate: job.Gate, retries: job.Retries, notify: job.Notify},
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
	p.report.setDuration(p.earlierDuration + time.Since(p.startedAt))
	return p.report, interruptedError(ctx, p, err)
}

// pusher is a Job under way.
type pusher struct {
	Job
	client          *client
	report          Report
	rejects         rejectsWriter
	startedAt       time.Time
	earlierDuration time.Duration // by earlier pushes that this one goes on with
	entriesDone     int64         // how many items and unreadable lines are settled
	itemsSent       int64         // how many items of them were sent
}

// interruptedError says what a signal leaves behind.
func interruptedError(ctx context.Context, p *pusher, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	message := fmt.Sprintf("Interrupted after %d items.", p.itemsSent)
	if p.resumable() {
		message += " The same command goes on there."
	}
	return fault.New(fault.Unavailable, "interrupted", "%s", message)
}

// resumable reports whether it is noted how far the push is.
func (p *pusher) resumable() bool { return p.File != Stdin && !p.singleRequest() && !p.DryRun }

// open opens the file at its beginning.
func (p *pusher) open() (*source, itemReader, error) {
	var src *source
	var err error
	if p.File == Stdin {
		src, err = newSource(p.Input, -1, nil)
	} else {
		src, err = openSource(p.File)
	}
	if err != nil {
		return nil, nil, err
	}
	items, err := newItemReader(src, p.Format, p.Entity)
	if err != nil {
		return nil, nil, errors.Join(err, src.Close())
	}
	return src, items, nil
}

func openSource(path string) (*source, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fault.New(fault.NotFound, "no_file", "The file cannot be opened.").Because(err)
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("it is a folder")
	}
	if err != nil {
		return nil, errors.Join(fault.New(fault.NotFound, "no_file", "%s cannot be read.", path).Because(err), f.Close())
	}
	size := info.Size()
	if !info.Mode().IsRegular() {
		size = -1
	}
	return newSource(f, size, f)
}

// recordRun takes a run into the report, and what it did not apply into the file of rejects.
func (p *pusher) recordRun(ctx context.Context, run Run, lines itemLines) error {
	p.report.addRun(run, p.itemsSent, lines)
	if run.Failed == 0 || p.rejects.path == "" || run.ID == "" {
		return nil
	}
	err := p.client.fetchRejects(ctx, run.ID, &p.rejects)
	if err == nil || ctx.Err() != nil {
		return err
	}
	p.Notify(fmt.Sprintf("The items of run %s that failed could not be fetched: %v", run.ID, err))
	return nil
}

// recordUnreadable takes what could not be read into the report and into the file of rejects.
func (p *pusher) recordUnreadable(unreadable []unreadableEntry) error {
	for _, u := range unreadable {
		p.report.addUnreadable(u.issue)
		if err := p.rejects.addLine(u.reject); err != nil {
			return err
		}
	}
	return nil
}
