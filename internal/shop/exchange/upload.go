package exchange

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"regexp"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/xlsx"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/store"
)

const (
	// uploadRetention is how long an uploaded file can be applied. It takes room that pushes in the background share.
	uploadRetention = 6 * time.Hour
	// formatHeadBytes is how much of a file is looked at to detect its format.
	formatHeadBytes = 64 << 10
	// MaxFileName limits the name of an uploaded file, in bytes.
	MaxFileName = 200
)

// Entities returns the entities in the order in which a shop is filled: what products refer to comes before them.
func Entities() []string {
	return []string{Categories, Features, VariantOptions, Stocks, PriceLists, Products, Prices, Remainders}
}

// UploadedFile is a file that an operator uploads.
type UploadedFile struct {
	Entity, Name string
	// Sheet is the sheet of an XLSX file that is read; "" for the first visible one.
	Sheet string
	By    access.OperatorID
	Body  io.Reader
}

// Upload stores the file of an operator and starts its dry run in the background. The file is JSON, NDJSON, CSV or
// XLSX, which its content tells. It is kept for 6 hours, in which QueueUpload applies it. Upload returns the run, and
// the errors of Spool; it returns fault.Invalid for an unknown entity, and the faults of xlsx.Open.
func (s *Pushes) Upload(ctx context.Context, storeID store.ID, file UploadedFile) (Run, error) {
	if s.handlers[file.Entity] == nil {
		return Run{}, fault.OneField("entity", "unknown_entity", "Choose what the file has.")
	}
	buffered := bufio.NewReaderSize(file.Body, formatHeadBytes)
	head, err := buffered.Peek(formatHeadBytes)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return Run{}, err
	case len(bytes.TrimSpace(head)) == 0:
		return Run{}, fault.OneField("file", "required", "Choose a file that is not empty.")
	}

	params := Params{Entity: file.Entity, Format: DetectFormat(head), Operator: file.By,
		FileName: item.Truncate(file.Name, MaxFileName), DryRun: true}
	return s.uploadDetected(ctx, storeID, params, file.Sheet, buffered)
}

func (s *Pushes) uploadDetected(
	ctx context.Context, storeID store.ID, params Params, sheet string, body *bufio.Reader,
) (Run, error) {
	head, err := body.Peek(formatHeadBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return Run{}, err
	}

	if xlsx.LooksLike(head) {
		params.Format = item.XLSX
		return s.uploadWorkbook(ctx, storeID, params, sheet, body)
	}
	if params.Format == item.CSV {
		if err := s.findMapping(ctx, storeID, &params, head); err != nil {
			return Run{}, err
		}
	}
	return s.Spool(ctx, storeID, params, body)
}

// payloadMember matches the member of a document that has the items.
var payloadMember = regexp.MustCompile(`"payload"\s*:\s*\[`)

// DetectFormat returns the format of a file that begins with head. What is not JSON is a table.
func DetectFormat(head []byte) item.Format {
	text := bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff")))
	if len(text) == 0 {
		return item.CSV
	}

	switch text[0] {
	case '[':
		return item.JSON
	case '{':
		line, _, _ := bytes.Cut(text, []byte("\n"))
		complete := jsontext.Value(line).IsValid() || len(line) >= formatHeadBytes/2
		if payloadMember.Match(line) || !complete {
			return item.JSON
		}
		return item.NDJSON
	}

	return item.CSV
}

// QueueUpload queues a run that applies the file of a dry run, in the caller's transaction, and returns it. It returns
// fault.NotFound, or fault.Conflict if the dry run has not ended or failed, or if its file was applied already or is
// not kept any more.
func (s *Pushes) QueueUpload(
	ctx context.Context, tx store.Tx, dryRunID RunID, by access.OperatorID,
) (run Run, err error) {
	defer fault.AddContext(&err, "apply the file of run %s", dryRunID)

	dry, err := lockRun(ctx, tx, dryRunID)
	if err != nil {
		return Run{}, err
	}

	now := s.now()
	switch {
	case dry.KeptUntil == nil || !dry.DryRun || dry.AwaitsColumns():
		return Run{}, fault.New(fault.Conflict, "no_file", "This run has no file that can be applied.")
	case dry.FinishedAt == nil:
		return Run{}, fault.New(fault.Conflict, "run_not_finished", "The file is still being checked.")
	case dry.KeptUntil.Equal(appliedFile()):
		return Run{}, fault.New(fault.Conflict, "already_applied", "This file was applied already.")
	case !now.Before(*dry.KeptUntil):
		return Run{}, fault.New(fault.Conflict, "file_expired",
			"The file is kept for 6 hours, and they are over. Upload it again.")
	}

	if err := setKeptUntil(ctx, tx, dry.Key, new(appliedFile())); err != nil {
		return Run{}, err
	}

	params := dry.Params
	params.DryRun = false
	params.Operator = by

	run = Run{ID: id.New[Run](), Params: params, Status: Queued, CreatedAt: now, Background: true, BodyKey: dry.Key}
	if err := insertRun(ctx, tx, &run); err != nil {
		return Run{}, err
	}
	if err := s.runs.Enqueue(ctx, tx, run); err != nil {
		return Run{}, err
	}

	return run, audit.Record(ctx, tx, run.Entry(audit.RunApplied))
}

// DiscardUpload deletes the file of a dry run before its time. It returns fault.NotFound, or fault.Conflict if there is
// no file, or if it is being checked or applied.
func (s *Pushes) DiscardUpload(ctx context.Context, tx store.Tx, dryRunID RunID) (run Run, err error) {
	defer fault.AddContext(&err, "discard the file of run %s", dryRunID)
	run, err = lockRun(ctx, tx, dryRunID)
	if err != nil {
		return Run{}, err
	}
	if !run.Applicable(s.now()) && !run.Mappable(s.now()) {
		return Run{}, fault.New(fault.Conflict, "no_file", "This run has no file that can be removed.")
	}
	run.KeptUntil = nil
	if err := setKeptUntil(ctx, tx, run.Key, nil); err != nil {
		return Run{}, err
	}
	return run, audit.Record(ctx, tx, run.Entry(audit.RunDiscarded))
}

// UploadRuns returns the other runs of an uploaded file: the dry run of a run that applies it, and the run that applies
// the file of a dry run. They are nil if there are none.
func (s *Runs) UploadRuns(ctx context.Context, tx store.Tx, run Run) (dryRun, applied *Run, err error) {
	defer fault.AddContext(&err, "read the runs of the file of run %s", run.ID)
	if run.BodyKey != 0 {
		dryRun, err = optionalRun(selectRunByKey(ctx, tx, run.BodyKey))
	}
	if run.KeptUntil != nil && run.KeptUntil.Equal(appliedFile()) {
		applied, err = optionalRun(selectRunByBody(ctx, tx, run.Key))
	}
	return dryRun, applied, err
}

// optionalRun returns nil instead of fault.NotFound: a run may have been deleted because of its age.
func optionalRun(run Run, err error) (*Run, error) {
	if fault.KindOf(err) == fault.NotFound {
		return nil, nil //nolint:nilnil // UploadRuns documents it
	}
	return &run, err
}

// Applicable reports whether QueueUpload would apply the file of the run.
func (r *Run) Applicable(now time.Time) bool {
	return r.KeptUntil != nil && r.DryRun && r.Status == Completed && now.Before(*r.KeptUntil) &&
		!r.KeptUntil.Equal(appliedFile())
}

// isFile reports whether the run is that of a file of a person.
func (r *Run) isFile() bool {
	return !r.Operator.IsZero() || r.Format == item.CSV || r.Format == item.XLSX
}

// WouldChange reports whether applying the file of the dry run would change something.
func (r *Run) WouldChange() bool { return r.Created+r.Updated > 0 }

// appliedFile is the value of KeptUntil of a file that a run applies. That run ends it.
func appliedFile() time.Time { return time.Date(9999, time.January, 1, 0, 0, 0, 0, time.UTC) }

// bodyKey returns the key of the run that has the body.
func (r *Run) bodyKey() int64 {
	if r.BodyKey != 0 {
		return r.BodyKey
	}
	return r.Key
}

// releaseFile ends the time for which the file of a finished run is kept, unless the run is a dry run that succeeded.
func releaseFile(ctx context.Context, tx store.Tx, run *Run) error {
	if run.BodyKey == 0 && (run.KeptUntil == nil || run.Status == Completed || run.AwaitsColumns()) {
		return nil
	}
	if run.BodyKey == 0 {
		run.KeptUntil = nil
	}
	return setKeptUntil(ctx, tx, run.bodyKey(), nil)
}
