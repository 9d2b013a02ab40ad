package exchange

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"path"
	"strings"

	"golang.org/x/text/encoding/charmap"

	"vitrine/internal/kit/fault"
)

// archive is an opened archive of a session. Names are in lower case. byBase has the first file of each name without
// its folder.
type archive struct {
	key    int64
	names  []string
	byName map[string]*zip.File
	byBase map[string]*zip.File
}

// maxOfKind limits the files of one kind that an archive has.
const maxOfKind = 1000

// ofKind returns the names of the other documents of an archive that are of the same kind as one. The file entry is the
// one that was found by the name; if it is in a folder that the name does not have, neither do the names of the others.
func (p *sessionPackage) ofKind(archiveKey int64, entry *zip.File, name string) (names []string) {
	folder, _ := strings.CutSuffix(strings.ToLower(entry.Name), strings.ToLower(name))
	for _, a := range p.archives {
		for _, other := range a.names {
			f := a.byName[other]
			if a.key != archiveKey || f == entry || !strings.HasPrefix(other, folder+fileKind(name)) ||
				!strings.HasSuffix(other, ".xml") || len(names) >= maxOfKind {
				continue
			}
			if strings.ToLower(f.Name) == other {
				other = f.Name
			}
			names = append(names, other[len(folder):])
		}
	}
	return names
}

func (p *sessionPackage) openArchive(file sessionFile) (*archive, error) {
	content := p.plain(file)
	if err := checkDirectory(content); err != nil {
		return nil, err
	}
	r, err := zip.NewReader(content, file.bytes)
	switch {
	case errors.Is(err, zip.ErrFormat), errors.Is(err, zip.ErrChecksum), errors.Is(err, zip.ErrAlgorithm),
		errors.Is(err, io.ErrUnexpectedEOF):
		return nil, badArchive("The archive %.100s is broken; send all of its parts.", file.name)
	case err != nil && !errors.Is(err, zip.ErrInsecurePath):
		return nil, err
	case len(r.File) > maxArchiveEntries:
		return nil, badArchive("The archive %.100s has more than %d files.", file.name, maxArchiveEntries)
	}
	a := &archive{key: file.key, byName: make(map[string]*zip.File, len(r.File)), byBase: map[string]*zip.File{}}
	for _, f := range r.File {
		name := f.Name
		if f.NonUTF8 {
			if name, err = charmap.CodePage866.NewDecoder().String(name); err != nil {
				return nil, badArchive("A file of the archive has a name that cannot be read.")
			}
		}
		if strings.HasSuffix(name, "/") && CheckFileName(strings.TrimSuffix(name, "/")) == nil {
			continue
		}
		if err := CheckFileName(name); err != nil {
			return nil, err
		}
		name = strings.ToLower(name)
		if a.byName[name] == nil {
			a.names = append(a.names, name)
		}
		a.byName[name] = f
	}
	a.addShortNames()
	return a, nil
}

// addShortNames lets files be found without their folder, and below a folder that all files of the archive are in.
func (a *archive) addShortNames() {
	folder := ""
	for i, name := range a.names {
		first, _, nested := strings.Cut(name, "/")
		if !nested || i > 0 && first != folder {
			folder = ""
			break
		}
		folder = first
	}
	for _, name := range a.names {
		f := a.byName[name]
		short := []string{path.Base(name)}
		if folder != "" {
			short = append(short, strings.TrimPrefix(name, folder+"/"))
		}
		for _, s := range short {
			if a.byBase[s] == nil {
				a.byBase[s] = f
			}
		}
	}
}

func badArchive(format string, args ...any) error {
	return fault.New(fault.Malformed, "malformed_archive", format, args...)
}

// checkDirectory refuses an archive whose directory would take too much memory. Its size stands in the record at the
// end of the archive, before a comment of at most 64 KiB.
func checkDirectory(content *io.SectionReader) error {
	const (
		recordBytes, sizeAt, offsetAt, maxComment = 22, 12, 16, 1<<16 - 1
		locatorBytes, recordOfLocatorAt           = 20, 8 // of zip64
		largeBytes, largeSizeAt, largeOffsetAt    = 56, 40, 48
	)
	tail := make([]byte, min(content.Size(), recordBytes+maxComment))
	if _, err := content.ReadAt(tail, content.Size()-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	at := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if at < 0 || len(tail)-at < recordBytes {
		return badArchive("The archive is broken; send all of its parts.")
	}
	end := content.Size() - int64(len(tail)-at)
	size, offset := uint64(binary.LittleEndian.Uint32(tail[at+sizeAt:])), uint64(binary.LittleEndian.Uint32(tail[at+offsetAt:]))
	if at >= locatorBytes && bytes.HasPrefix(tail[at-locatorBytes:], []byte("PK\x06\x07")) {
		position := binary.LittleEndian.Uint64(tail[at-locatorBytes+recordOfLocatorAt:])
		record := make([]byte, largeBytes)
		if position > uint64(end) {
			return badArchive("The archive is broken; send all of its parts.")
		}
		if _, err := content.ReadAt(record, int64(position)); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		end = int64(position)
		size, offset = binary.LittleEndian.Uint64(record[largeSizeAt:]), binary.LittleEndian.Uint64(record[largeOffsetAt:])
	}
	switch {
	case size > maxDirectoryBytes:
		return badArchive("The archive has too many files.")
	case offset > uint64(end) || offset+size != uint64(end):
		// archive/zip would look for the directory elsewhere, whatever its size is.
		return badArchive("The archive is broken; send all of its parts.")
	}
	return nil
}

// openEntry opens an entry of an archive and bounds what it unpacks to.
func openEntry(f *zip.File) (io.ReadCloser, error) {
	r, err := f.Open()
	if err != nil {
		return nil, badArchive("The file %.100s of the archive cannot be unpacked.", f.Name)
	}
	limit := max(freeUnpackBytes, int64(min(f.CompressedSize64, 1<<40))*maxUnpackRatio)
	return &unpacked{r, limit, f.Name}, nil
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
