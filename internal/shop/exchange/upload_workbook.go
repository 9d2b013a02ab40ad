package exchange

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"

	"vitrine/internal/kit/memory"
	"vitrine/internal/kit/xlsx"
	"vitrine/internal/shop/exchange/item/table"
	"vitrine/internal/shop/store"
)

// workbookSlots is how many workbooks a node takes apart at a time. Each may have 32 MiB of texts in memory.
const workbookSlots = 2

// uploadWorkbook takes an XLSX file apart and spools the rows of a sheet. The directory of such a file stands at its
// end, so the file is in a temporary file until all rows are spooled.
func (s *Pushes) uploadWorkbook(
	ctx context.Context, storeID store.ID, params Params, sheet string, body io.Reader,
) (Run, error) {
	grant := s.SpoolShare.Open(store.MemoryOwner(storeID))
	defer grant.Release()

	temporary, err := spoolFile(s.SpoolDir, &workbookBody{body: body, grant: grant})
	if err != nil {
		return Run{}, err
	}
	defer temporary.Close() //nolint:errcheck // it is a temporary file that is not written any more

	select {
	case s.workbooks <- struct{}{}:
		defer func() { <-s.workbooks }()
	case <-ctx.Done():
		return Run{}, ctx.Err()
	}

	file, err := openWorkbook(temporary)
	if err != nil {
		return Run{}, err
	}

	if _, err := file.Sheet(sheet); err != nil {
		return Run{}, err
	}

	rows := table.NewSheet(file, sheet)
	defer rows.Close() //nolint:errcheck // it is only read

	lines := bufio.NewReaderSize(rows, formatHeadBytes)
	head, err := lines.Peek(formatHeadBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return Run{}, err
	}
	if err := s.findMapping(ctx, storeID, &params, head); err != nil {
		return Run{}, err
	}

	// Interrupt must not close the rows while they are read.
	return s.Spool(ctx, storeID, params, struct{ io.Reader }{lines})
}

func openWorkbook(file *os.File) (*xlsx.File, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return xlsx.Open(file, info.Size())
}

// workbookBody reads an XLSX file. It returns fault.TooLarge if the file is too long, and acquires the bytes that are
// read.
type workbookBody struct {
	body  io.Reader
	grant *memory.Grant
	read  int64
}

func (b *workbookBody) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	if b.read += int64(n); b.read > xlsx.MaxFileBytes {
		return 0, xlsx.FileTooLong()
	}
	steps := (b.read + wholeBodyStep - 1) / wholeBodyStep
	if refused := b.grant.Grow(steps * wholeBodyStep); refused != nil {
		return 0, refused
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	return n, err
}
