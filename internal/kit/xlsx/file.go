package xlsx

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strings"
	"sync/atomic"

	"vitrine/internal/kit/fault"
)

// Sheet is a sheet of a file.
type Sheet struct {
	Name   string
	Hidden bool
	part   string
}

// File is an XLSX file that is open for reading.
type File struct {
	Sheets []Sheet
	parts  map[string]*zip.File // by their names in lower case: some programs write other cases than they refer to
	shared sharedStrings
	// sharedLimit is maxSharedText, except in tests.
	sharedLimit int
	styles      []cellStyle
	is1904      bool
	strings     string // the name of the part of the shared strings
}

// Open reads the parts of a file that its sheets need. The sheets themselves are read by Rows, as long as r can be
// read. Open returns fault.Invalid for what is no XLSX file, and fault.TooLarge if a bound is exceeded.
func Open(r io.ReaderAt, size int64) (*File, error) {
	if size > MaxFileBytes {
		return nil, FileTooLong()
	}
	if err := checkKind(r, size); err != nil {
		return nil, err
	}

	bounded := &boundedReaderAt{r: r}
	bounded.left.Store(maxDirectoryBytes)
	archive, err := zip.NewReader(bounded, size)
	if errors.Is(err, errDirectory) {
		return nil, tooLarge("it has too many parts")
	}
	if err != nil {
		return nil, brokenFile(err)
	}
	bounded.left.Store(-1)

	f := &File{parts: map[string]*zip.File{}, sharedLimit: maxSharedText}
	for _, part := range archive.File {
		f.parts[partKey(part.Name)] = part
	}
	if err := f.readWorkbook(); err != nil {
		return nil, err
	}
	return f, nil
}

// checkKind returns a fault that tells what a file is that is no ZIP archive.
func checkKind(r io.ReaderAt, size int64) error {
	head := make([]byte, min(size, 64<<10))
	if _, err := r.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return nil
	case !bytes.HasPrefix(head, compoundMagic):
		return fault.New(fault.Invalid, "no_workbook", "The file is no XLSX file.")
	}

	encrypted, err := contains(r, size, encryptedMark)
	if err != nil {
		return err
	}
	if encrypted {
		return fault.New(fault.Invalid, "encrypted_workbook",
			"The file has a password. Save it without one, and choose it once more.")
	}
	return fault.New(fault.Invalid, "old_workbook",
		"The file is in the format of Excel before 2007 (.xls). Save it as XLSX or CSV, and choose it once more.")
}

// contains reports whether a file has the mark.
func contains(r io.ReaderAt, size int64, mark []byte) (bool, error) {
	const step = 1 << 20
	piece := make([]byte, step+len(mark))
	for at := int64(0); at < size; at += step {
		n, err := r.ReadAt(piece, at)
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		if bytes.Contains(piece[:n], mark) {
			return true, nil
		}
	}
	return false, nil
}

// boundedReaderAt returns errDirectory after the given number of bytes; a negative number means no bound.
type boundedReaderAt struct {
	r    io.ReaderAt
	left atomic.Int64
}

var errDirectory = errors.New("the directory of the archive is too long")

func (b *boundedReaderAt) ReadAt(p []byte, at int64) (int, error) {
	if left := b.left.Load(); left >= 0 {
		if int64(len(p)) > left {
			return 0, errDirectory
		}
		b.left.Store(left - int64(len(p)))
	}
	return b.r.ReadAt(p, at)
}

// partKey returns the key of a part: some programs write backslashes, a slash in front, or capital letters.
func partKey(name string) string {
	return strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "/"))
}

// readWorkbook reads the list of sheets, the styles and the shared strings.
func (f *File) readWorkbook() error {
	workbook := "xl/workbook.xml"
	if err := f.eachRelation("", "_rels/.rels", func(kind, target, _ string) {
		if kind == "officeDocument" {
			workbook = target
		}
	}); err != nil {
		return err
	}
	if f.parts[partKey(workbook)] == nil {
		return fault.New(fault.Invalid, "no_workbook",
			"The file is a ZIP archive, but no XLSX file. Unpack it, or save the table as XLSX.")
	}

	styles := ""
	targets := map[string]string{} // of sheets, by the ids of relations
	dir, name := path.Split(workbook)
	err := f.eachRelation(dir, dir+"_rels/"+name+".rels", func(kind, target, id string) {
		switch kind {
		case "worksheet":
			targets[id] = target
		case "styles":
			styles = target
		case "sharedStrings":
			f.strings = target
		}
	})
	if err != nil {
		return err
	}

	if err := f.readSheets(workbook, targets); err != nil {
		return err
	}
	if styles == "" {
		return nil
	}
	return f.readStyles(styles)
}

// readSheets reads the list of sheets. Sheets that only have a chart have no part among targets.
func (f *File) readSheets(workbook string, targets map[string]string) error {
	err := f.eachToken(workbook, maxPartBytes, func(token xml.Token) error {
		start, ok := token.(xml.StartElement)
		switch {
		case ok && start.Name.Local == "workbookPr":
			f.is1904 = isTrue(attribute(start, "date1904"))
		case ok && start.Name.Local == "sheet" && len(f.Sheets) < maxSheets:
			s := Sheet{Name: attribute(start, "name"), part: targets[relationID(start)]}
			state := attribute(start, "state")
			s.Hidden = state != "" && state != "visible"
			if s.part != "" {
				f.Sheets = append(f.Sheets, s)
			}
		}
		return nil
	})

	if err == nil && len(f.Sheets) == 0 {
		err = fault.New(fault.Invalid, "no_sheet", "The XLSX file has no sheet with a table.")
	}
	return err
}

// eachRelation calls fn with the relations of a part: the last step of its type, its target and its id. A part without
// relations has none.
func (f *File) eachRelation(dir, part string, fn func(kind, target, id string)) error {
	if f.parts[partKey(part)] == nil {
		return nil
	}
	return f.eachToken(part, maxPartBytes, func(token xml.Token) error {
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "Relationship" || attribute(start, "TargetMode") == "External" {
			return nil
		}
		target := strings.ReplaceAll(attribute(start, "Target"), `\`, "/")
		if !strings.HasPrefix(target, "/") {
			target = path.Join(dir, target)
		}
		fn(path.Base(attribute(start, "Type")), target, attribute(start, "Id"))
		return nil
	})
}

// Sheet returns the sheet with the name, or the first visible one if the name is empty. It returns fault.Invalid if
// there is none with the name.
func (f *File) Sheet(name string) (Sheet, error) {
	for _, s := range f.Sheets {
		isNamed := strings.EqualFold(strings.TrimSpace(s.Name), strings.TrimSpace(name))
		if name == "" && !s.Hidden || name != "" && isNamed {
			return s, nil
		}
	}
	if name == "" {
		return f.Sheets[0], nil
	}

	names := make([]string, len(f.Sheets))
	for i, s := range f.Sheets {
		names[i] = s.Name
	}
	return Sheet{}, fault.New(fault.Invalid, "unknown_sheet", "The XLSX file has no sheet %s; it has %s.", name,
		strings.Join(names, ", "))
}
