package onec

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"

	"vitrine/internal/kit/fault"
)

// maxOfKind limits the files of one kind that an archive has.
const maxOfKind = 1000

// ofKind returns the names of the other documents of an archive that are of the same kind as one. The entry is the one
// that was found by the name; if it is in a folder that the name does not have, neither do the names of the others.
func (p *sessionPackage) ofKind(e archiveEntry, name string) (names []string, err error) {
	folder, _ := strings.CutSuffix(strings.ToLower(e.name), strings.ToLower(name))
	prefix := folder + fileKind(name)
	seen := map[string]bool{strings.ToLower(e.name): true}

	err = p.eachRecord(e.archive, func(_ int64, other string) error {
		lower := strings.ToLower(other)
		isOther := !strings.HasPrefix(lower, prefix) || !strings.HasSuffix(lower, ".xml")
		if len(names) == maxOfKind || seen[lower] || isOther {
			return nil
		}

		seen[lower] = true
		if len(lower) != len(other) {
			other = lower // its folder has another length
		}

		names = append(names, other[len(folder):])
		return nil
	})

	return names, err
}

func badArchive(format string, args ...any) error {
	return fault.New(fault.Malformed, "malformed_archive", format, args...)
}

// The records at the end of an archive.
const (
	endBytes, endCountAt, endSizeAt, endOffsetAt, maxComment = 22, 10, 12, 16, 1<<16 - 1
	locatorBytes, recordOfLocatorAt                          = 20, 8 // of zip64
	largeBytes, largeCountAt, largeSizeAt, largeOffsetAt     = 56, 32, 40, 48
)

// findDirectory returns where the directory of an archive is, and how many records the archive says that it has. It
// refuses one that would take too much memory. Its size stands in the record at the end of the archive, before a
// comment of at most 64 KiB.
func findDirectory(content *io.SectionReader) (start, length int64, records uint64, err error) {
	broken := func() (int64, int64, uint64, error) {
		return 0, 0, 0, badArchive("The archive is broken; send all of its parts.")
	}
	tail := make([]byte, min(content.Size(), endBytes+maxComment))
	if _, err := content.ReadAt(tail, content.Size()-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return 0, 0, 0, err
	}

	at := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if at < 0 || len(tail)-at < endBytes {
		return broken()
	}

	end := content.Size() - int64(len(tail)-at)
	records = uint64(binary.LittleEndian.Uint16(tail[at+endCountAt:]))
	size := uint64(binary.LittleEndian.Uint32(tail[at+endSizeAt:]))
	offset := uint64(binary.LittleEndian.Uint32(tail[at+endOffsetAt:]))

	if at >= locatorBytes && bytes.HasPrefix(tail[at-locatorBytes:], []byte("PK\x06\x07")) {
		position := binary.LittleEndian.Uint64(tail[at-locatorBytes+recordOfLocatorAt:])
		record := make([]byte, largeBytes)
		if position > uint64(end) {
			return broken()
		}
		if _, err := content.ReadAt(record, int64(position)); err != nil && !errors.Is(err, io.EOF) {
			return 0, 0, 0, err
		}

		end = int64(position)
		records = binary.LittleEndian.Uint64(record[largeCountAt:])
		size = binary.LittleEndian.Uint64(record[largeSizeAt:])
		offset = binary.LittleEndian.Uint64(record[largeOffsetAt:])
	}

	switch {
	case size > maxDirectoryBytes:
		return 0, 0, 0, badArchive("The archive has too many files.")
	case offset > uint64(end) || offset+size != uint64(end):
		// archive/zip would look for the directory elsewhere, whatever its size is.
		return broken()
	}

	return int64(offset), int64(size), records, nil
}

// openEntry opens an entry of an archive and bounds what it unpacks to.
func (p *sessionPackage) openEntry(d *directory, e archiveEntry) (io.ReadCloser, error) {
	f, err := p.zipFile(d, e)
	if err != nil {
		return nil, err
	}
	r, err := f.Open()
	if err != nil {
		return nil, badArchive("The file %.100s of the archive cannot be unpacked.", f.Name)
	}
	limit := max(freeUnpackBytes, int64(min(f.CompressedSize64, 1<<40))*maxUnpackRatio)
	return &unpacked{r, limit, f.Name}, nil
}

// zipFile returns an entry for archive/zip. This package reads the whole directory of an archive, so it gets an archive
// with the same entries and a directory of one record.
func (p *sessionPackage) zipFile(d *directory, e archiveEntry) (*zip.File, error) {
	a := e.archive
	record, err := p.readRecord(a, int64(d.records[e.number]), true)
	if err != nil {
		return nil, err
	}

	tail := appendEnd(record, a.start, int64(len(record)))
	content := &spliced{content: p.plain(a.file), start: a.start, tail: tail}
	r, err := zip.NewReader(content, a.start+int64(len(tail)))
	switch {
	case errors.Is(err, zip.ErrFormat), errors.Is(err, zip.ErrChecksum), errors.Is(err, zip.ErrAlgorithm),
		errors.Is(err, io.ErrUnexpectedEOF), err == nil && len(r.File) != 1:
		return nil, brokenArchive(a.file)
	case err != nil && !errors.Is(err, zip.ErrInsecurePath):
		return nil, err
	}

	return r.File[0], nil
}

// appendEnd appends the records at the end of an archive whose directory is one record of size bytes from start on.
func appendEnd(b []byte, start, size int64) []byte {
	le := binary.LittleEndian
	b = append(b, "PK\x06\x06"...)
	b = le.AppendUint64(b, largeBytes-12) // the bytes that follow
	b = append(b, 45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	b = le.AppendUint64(b, 1)
	b = le.AppendUint64(b, 1)
	b = le.AppendUint64(b, uint64(size))
	b = le.AppendUint64(b, uint64(start))

	b = append(b, "PK\x06\x07\x00\x00\x00\x00"...)
	b = le.AppendUint64(b, uint64(start+size))
	b = le.AppendUint32(b, 1)

	b = append(b, "PK\x05\x06\x00\x00\x00\x00"...)
	b = append(b, bytes.Repeat([]byte{0xff}, 12)...) // the numbers are in the record of zip64
	return append(b, 0, 0)
}

// spliced is content up to start, followed by tail. It implements io.ReaderAt.
type spliced struct {
	content io.ReaderAt
	start   int64
	tail    []byte
}

func (s *spliced) ReadAt(b []byte, position int64) (n int, err error) {
	if position < s.start {
		n, err = s.content.ReadAt(b[:min(int64(len(b)), s.start-position)], position)
		if err != nil || n == len(b) {
			return n, err
		}
	}
	at := position + int64(n) - s.start
	if at >= int64(len(s.tail)) {
		return n, io.EOF
	}
	copied := copy(b[n:], s.tail[at:])
	if n += copied; n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// unpacked reads an entry of an archive up to a limit.
type unpacked struct {
	io.ReadCloser
	left int64
	name string
}

func (u *unpacked) Read(b []byte) (int, error) {
	n, err := u.ReadCloser.Read(b)
	if u.left -= int64(n); u.left < 0 {
		return 0, fault.New(fault.TooLarge, "archive_bomb",
			"The file %.100s unpacks to more than %d times its size.", u.name, maxUnpackRatio)
	}
	if errors.Is(err, zip.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = badArchive("The file %.100s of the archive is broken; send all of its parts.", u.name)
	}
	return n, err
}
