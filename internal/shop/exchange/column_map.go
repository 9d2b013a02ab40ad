package exchange

import (
	"bufio"
	"bytes"
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/exchange/item/table"
	"vitrine/internal/shop/store"
)

const (
	// columnsUnknown is the code of the problem of an uploaded table of which nobody has said what its columns are.
	columnsUnknown = "columns_unknown"
	// maxColumnMaps limits what is remembered of a store; the oldest are forgotten first.
	maxColumnMaps = 500
	// maxMappedColumns limits the columns of a table that a person is asked about.
	maxMappedColumns = 200
	// columnValues is how many values of a column are shown.
	columnValues = 5
)

// AwaitsColumns reports whether the file of the run is not read before somebody says what its columns are.
func (r *Run) AwaitsColumns() bool { return r.Problem != nil && r.Problem.Code == columnsUnknown }

// Mappable reports whether MapUpload would read the file of the run again.
func (r *Run) Mappable(now time.Time) bool {
	isTable := r.Format == item.CSV || r.Format == item.XLSX
	isKept := r.KeptUntil != nil && now.Before(*r.KeptUntil) && !r.KeptUntil.Equal(appliedFile())
	return isTable && isKept && r.DryRun && r.FinishedAt != nil && r.Undoes == 0 &&
		(r.AwaitsColumns() || r.Status == Completed)
}

// matchesSKUs reports whether the items of the run name variants by their SKUs.
func (r *Run) matchesSKUs() bool { return r.Mapping != nil && r.Mapping.MatchSKUs }

// findMapping sets the remembered mapping of a table that begins with head. If there is none, and the columns have not
// our names, it sets params.columns, so that a person is asked. What cannot be read is left to the dry run.
func (s *Pushes) findMapping(ctx context.Context, storeID store.ID, params *Params, head []byte) error {
	sampled, err := sampleColumns(head, params.Format, table.DetectHeader)
	if err == nil && sampled.Detected > 0 {
		first, wrong := sampleColumns(head, params.Format, 0)
		if wrong == nil && table.CheckColumns(params.Entity, columnNames(first.Columns)) == nil {
			sampled = first
		}
	}
	if err != nil || len(sampled.Columns) > maxMappedColumns {
		return nil //nolint:nilerr // the dry run says what is wrong
	}

	names := columnNames(sampled.Columns)
	remembered, err := database.Read(ctx, s.DB, func(q querier) (*table.Mapping, error) {
		return selectColumnMap(ctx, store.In(q, storeID), params.Entity, table.ColumnsDigest(names))
	})
	if err != nil {
		return err
	}

	switch {
	case remembered != nil && s.recall(remembered, head, params, sampled):
		params.Mapping = remembered
	case sampled.Skip > 0 || table.CheckColumns(params.Entity, names) != nil:
		params.columns = names
	}
	return nil
}

// recall makes a remembered mapping that of a table whose headings stand on another line, and reports whether the table
// can be read with it.
func (s *Pushes) recall(m *table.Mapping, head []byte, params *Params, sampled table.Sampled) bool {
	m.Skip = sampled.Skip + m.Shift
	if m.Shift != 0 {
		var err error
		if sampled, err = sampleColumns(head, params.Format, m.Skip); err != nil {
			return false
		}
	}
	return m.Check(params.Entity, columnNames(sampled.Columns)) == nil
}

// sampleColumns returns the columns of a table that begins with head. skip is that of table.Sample.
func sampleColumns(head []byte, format item.Format, skip int) (table.Sampled, error) {
	head = bytes.TrimPrefix(head, []byte("\ufeff"))
	in := bufio.NewReaderSize(bytes.NewReader(head), formatHeadBytes)
	return table.Sample(in, format == item.XLSX, columnValues, skip)
}

func columnNames(columns []table.SampleColumn) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return names
}

// awaitColumns ends a run whose columns are not known, before anything of it is read.
func (s *Pushes) awaitColumns(run *Run) {
	run.Status = Failed
	run.FinishedAt = new(s.now())
	run.Problem = &RunProblem{Code: columnsUnknown, Message: "Choose what the columns of the file are."}
}

// UploadColumns are the columns of an uploaded table.
type UploadColumns struct {
	Run Run
	table.Sampled
	// detected are the columns if the headings stand on the detected line.
	detected []string
}

// UploadColumns returns the columns of the file of a run with their first values. The headings stand below the first
// skip lines; table.DetectHeader stands for the line that was chosen before, or else for the detected one. It returns
// fault.NotFound, fault.Invalid for a line that cannot have the headings, or fault.Conflict if MapUpload would not read
// the file again.
func (s *Pushes) UploadColumns(
	ctx context.Context, storeID store.ID, runID RunID, skip int,
) (_ UploadColumns, err error) {
	defer fault.AddContext(&err, "read the columns of run %s", runID)

	run, err := database.Read(ctx, s.DB, func(q querier) (Run, error) {
		return selectAnyRun(ctx, store.In(q, storeID), runID)
	})
	if err != nil {
		return UploadColumns{}, err
	}
	if !run.Mappable(s.now()) {
		return UploadColumns{}, errNoMappableFile()
	}
	if skip == table.DetectHeader && run.Mapping != nil {
		skip = run.Mapping.Skip
	}

	body := &spooledBody{ctx: ctx, s: s.bodies, storeID: storeID, runKey: run.bodyKey()}
	defer body.release()
	head, err := bufio.NewReaderSize(body, formatHeadBytes).Peek(formatHeadBytes)
	if len(head) == 0 {
		return UploadColumns{}, err
	}

	file := UploadColumns{Run: run}
	if file.Sampled, err = sampleColumns(head, run.Format, skip); err != nil {
		return file, err
	}
	if len(file.Columns) > maxMappedColumns {
		return file, fault.New(fault.Conflict, "too_many_columns", "The table has %d columns; at most %d are allowed.",
			len(file.Columns), maxMappedColumns)
	}
	detected, err := sampleColumns(head, run.Format, file.Detected)
	file.detected = columnNames(detected.Columns)
	return file, err
}

func errNoMappableFile() error {
	return fault.New(fault.Conflict, "no_file", "This run has no file whose columns can be chosen.")
}

// MapUpload says what the columns of the file of a run are, and starts its dry run, in the caller's transaction. The
// choice is remembered for tables of the same columns. If the file was read before, the dry run is a new run. It
// returns the run, fault.NotFound, fault.Conflict if the file is not kept any more, and fault.Invalid if the entity
// cannot have the columns.
func (s *Pushes) MapUpload(
	ctx context.Context, tx store.Tx, file UploadColumns, mapping table.Mapping, by access.OperatorID,
) (run Run, err error) {
	defer fault.AddContext(&err, "choose the columns of run %s", file.Run.ID)

	mapping.Skip, mapping.Shift = file.Skip, file.Skip-file.Detected
	if err := mapping.Check(file.Run.Entity, columnNames(file.Columns)); err != nil {
		return Run{}, err
	}

	was, err := lockRun(ctx, tx, file.Run.ID)
	if err != nil {
		return Run{}, err
	}
	if !was.Mappable(s.now()) {
		return Run{}, errNoMappableFile()
	}

	params := was.Params
	params.Mapping = &mapping
	params.Operator = by
	run = Run{ID: id.New[Run](), Params: params, Status: Queued, CreatedAt: s.now(), Background: true,
		KeptUntil: was.KeptUntil}
	if was.AwaitsColumns() {
		run.Key, run.ID, run.CreatedAt = was.Key, was.ID, was.CreatedAt
		err = restartRun(ctx, tx, &run, s.now())
	} else {
		err = s.moveBody(ctx, tx, was, &run)
	}
	if err != nil {
		return Run{}, err
	}

	if err := upsertColumnMap(ctx, tx, run.Entity, table.ColumnsDigest(file.detected), mapping, s.now()); err != nil {
		return Run{}, err
	}
	if err := s.runs.Enqueue(ctx, tx, run); err != nil {
		return Run{}, err
	}

	return run, audit.Record(ctx, tx, run.Entry(audit.RunColumnsChosen))
}

// moveBody inserts a run that has the file of another one.
func (s *Pushes) moveBody(ctx context.Context, tx store.Tx, from Run, run *Run) error {
	if err := insertRun(ctx, tx, run); err != nil {
		return err
	}
	if err := moveBodyChunks(ctx, tx, from.Key, run.Key); err != nil {
		return err
	}
	return setKeptUntil(ctx, tx, from.Key, nil)
}
