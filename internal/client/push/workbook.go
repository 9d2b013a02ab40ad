package push

import (
	"bufio"
	"errors"
	"io"
	"os"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/xlsx"
	"vitrine/internal/shop/exchange/item/table"
)

// copyWorkbook copies an XLSX file into a temporary one that has no name any more: its directory stands at its end, and
// the input may be a pipe.
func copyWorkbook(in io.Reader) (*os.File, error) {
	file, err := os.CreateTemp("", "vitrine-push-*")
	if err != nil {
		return nil, fault.New(fault.Unavailable, "no_temporary_file", "A temporary file cannot be written.").
			Because(err)
	}
	_ = os.Remove(file.Name())

	n, err := io.Copy(file, io.LimitReader(in, xlsx.MaxFileBytes+1))
	if err == nil && n > xlsx.MaxFileBytes {
		err = xlsx.FileTooLong()
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// readWorkbook sets s.next to read the items of a sheet. ignored lists the columns that are not sent.
func (s *inputSource) readWorkbook(entity, sheet string) (ignored []table.IgnoredColumn, err error) {
	if s.workbook == nil {
		return nil, fault.New(fault.Invalid, "no_workbook", "The file is no XLSX file.")
	}

	info, err := s.workbook.Stat()
	if err != nil {
		return nil, err
	}
	file, err := xlsx.Open(s.workbook, info.Size())
	if err != nil {
		return nil, err
	}

	s.rows = table.NewSheet(file, sheet)
	rows, err := table.NewRowReader(bufio.NewReaderSize(s.rows, headBytes), entity, maxItemBytes)
	if err != nil {
		return nil, err
	}
	s.next = func() (item, error) { return nextTableItem(rows) }
	return rows.Ignored(), nil
}
