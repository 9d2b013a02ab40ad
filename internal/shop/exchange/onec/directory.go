package onec

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash/maphash"
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"vitrine/internal/kit/memory"
)

const (
	// maxPackageEntries and maxDirectoryBytes limit the entries of all archives of a session together, and the bytes of
	// their directories.
	maxPackageEntries = 200_000
	maxDirectoryBytes = 48 << 20
	// entryBytes is what an entry takes in a directory at most: its position, its names, and as much while they are
	// sorted.
	entryBytes = 40
	// recordBytes is the size of the record of an entry without its name, its extra field and its comment.
	recordBytes = 46
)

// directory finds the entries of the archives of a session by their names. It keeps only the hashes of the names and
// the positions of the records; an entry that is looked up is read from its archive. It is not changed once it is
// built.
type directory struct {
	archives []archive
	records  []uint32 // the position of each record in the directory of its archive, archive by archive
	// names has, in ascending order, a number for each name of an entry: the hash of the name, a bit that is set for a
	// short name, and the rank of the entry. Of several entries with one name, the one with the least rank is taken.
	names []uint64
	seed  maphash.Seed
	// problem is the fault of archives that cannot be read.
	problem error
	grant   *memory.Grant
}

// archive is an archive of a session. Its directory has size bytes from start on. Its records are those from first on.
type archive struct {
	file           sessionFile
	start, size    int64
	records        uint64 // as the archive says, of which only the lower 16 bits may be right
	first, entries int
	// folder is the folder that all entries are in, in lower case, or "".
	folder string
}

// archiveEntry is a file inside an archive. number identifies it within the directory.
type archiveEntry struct {
	archive *archive
	number  int
	name    string // as it is in the archive
}

const (
	hashShift = 32
	shortBit  = 1 << 31
)

// key returns the number of directory.names for a name and a rank.
func (d *directory) key(name string, short uint64, rank int) uint64 {
	return maphash.String(d.seed, name)>>hashShift<<hashShift | short | uint64(rank)
}

func newDirectory(files []sessionFile) *directory {
	d := &directory{seed: maphash.MakeSeed()}
	for _, file := range files {
		d.archives = append(d.archives, archive{file: file})
	}
	return d
}

// refuse makes the directory one of archives that cannot be read.
func (d *directory) refuse(problem error) {
	d.problem = problem
	d.records = nil
	d.names = nil
	d.grant.Release()
}

// readDirectory reads the directories of the archives. It returns fault.Malformed or fault.Invalid if they have too
// many entries, or if one is broken. It calls grow before it takes memory, and returns its error.
func (p *sessionPackage) readDirectory(d *directory, grow func(bytes int64) error) error {
	size := int64(0)
	for i := range d.archives {
		a := &d.archives[i]
		var err error
		if a.start, a.size, a.records, err = findDirectory(p.plain(a.file)); err != nil {
			return err
		}
		if size += a.size; size > maxDirectoryBytes {
			return badArchive("The archives of this exchange have too many files.")
		}
	}

	most := min(size/recordBytes, maxPackageEntries)
	if limit := p.s.importSizes().directory; most*entryBytes > limit {
		return badArchive("The archives of this exchange have more files than the server has memory for: their "+
			"directories have %d KiB, and may have %d. Send them in several exchanges, or start the server with more "+
			"--memory.",
			size>>10, limit/entryBytes*recordBytes>>10)
	}

	if err := grow(most * entryBytes); err != nil {
		return err
	}

	d.records = make([]uint32, 0, most)
	d.names = make([]uint64, 0, 3*most)

	for i := range d.archives {
		if err := p.addEntries(d, &d.archives[i]); err != nil {
			return err
		}
	}

	slices.Sort(d.names)
	return nil
}

// addEntries adds the entries of an archive to the directory.
func (p *sessionPackage) addEntries(d *directory, a *archive) error {
	a.first = len(d.records)
	namesBefore := len(d.names)
	inFolder := true
	var below []uint64 // the names below the folder, with the places of the entries as ranks

	err := p.eachRecord(a, func(position int64, name string) error {
		if len(d.records) == maxPackageEntries {
			return badArchive("The archives of this exchange have more than %d files.", maxPackageEntries)
		}

		number := len(d.records)
		d.records = append(d.records, uint32(position))
		name = strings.ToLower(name)
		d.names = append(d.names, d.key(name, 0, number))
		if base := path.Base(name); base != name {
			d.names = append(d.names, d.key(base, shortBit, number))
		}

		folder, rest, nested := strings.Cut(name, "/")
		if number == a.first {
			a.folder = folder
		}

		if inFolder = inFolder && nested && folder == a.folder; !inFolder {
			below = nil
		} else if strings.Contains(rest, "/") { // else it is the base name
			below = append(below, d.key(rest, shortBit, number))
		}

		return nil
	})
	if err != nil {
		return err
	}

	a.entries = len(d.records) - a.first
	if !inFolder || a.entries == 0 {
		a.folder = ""
	}

	d.names = append(d.names, below...)
	for i, key := range d.names[namesBefore:] {
		if key&shortBit == 0 { // of entries with the same name, the last one counts
			number := int(key & (shortBit - 1))
			d.names[namesBefore+i] = key>>hashShift<<hashShift | uint64(a.reverse(number))
		}
	}

	return nil
}

// reverse returns the rank of an entry by its full name, and the number of an entry by this rank.
func (a *archive) reverse(number int) int { return 2*a.first + a.entries - 1 - number }

// archiveOf returns the archive of an entry.
func (d *directory) archiveOf(number int) *archive {
	i, found := slices.BinarySearchFunc(d.archives, number, func(a archive, n int) int {
		switch {
		case n < a.first:
			return 1
		case n >= a.first+a.entries:
			return -1
		}
		return 0
	})
	if !found {
		return nil
	}
	return &d.archives[i]
}

// findEntry returns the entry with a name, or errNoEntry. The name may be in another case, and may lack the folder.
func (p *sessionPackage) findEntry(d *directory, name string) (archiveEntry, error) {
	name = strings.ToLower(name)
	hash := d.key(name, 0, 0)
	at, _ := slices.BinarySearch(d.names, hash)
	for _, key := range d.names[at:] {
		if key>>hashShift != hash>>hashShift {
			break
		}

		number := int(key & (shortBit - 1))
		short := key&shortBit != 0
		a := d.archiveOf(number)
		if !short {
			number = a.reverse(number)
		}

		record, err := p.readRecord(a, int64(d.records[number]), false)
		if err != nil {
			return archiveEntry{}, err
		}
		given, err := recordName(record)
		if err != nil {
			return archiveEntry{}, err
		}

		lower := strings.ToLower(given)
		if !short && lower == name ||
			short && (path.Base(lower) == name || a.folder != "" && strings.TrimPrefix(lower, a.folder+"/") == name) {
			return archiveEntry{archive: a, number: number, name: given}, nil
		}
	}

	return archiveEntry{}, errNoEntry
}

// eachRecord calls fn with the position and the name of each file of an archive, in order.
func (p *sessionPackage) eachRecord(a *archive, fn func(position int64, name string) error) error {
	content := io.NewSectionReader(p.plain(a.file), a.start, a.size)
	buffered := bufio.NewReader(content)
	count := uint64(0)
	for position := int64(0); ; count++ {
		head, err := buffered.Peek(recordBytes)
		if errors.Is(err, io.EOF) || err == nil && !isRecord(head) {
			break // archive/zip passes over what follows the records, too
		}
		if err != nil {
			return err
		}

		name, rest := recordLengths(head)
		record := make([]byte, recordBytes+name)
		if _, err := io.ReadFull(buffered, record); err != nil {
			return brokenIfShort(err, a)
		}
		if _, err := buffered.Discard(rest); err != nil {
			return brokenIfShort(err, a)
		}

		text, err := recordName(record)
		if err != nil {
			return err
		}

		folder := strings.HasSuffix(text, "/") && CheckFileName(strings.TrimSuffix(text, "/")) == nil
		if !folder {
			if err := CheckFileName(text); err != nil {
				return err
			}
			if err := fn(position, text); err != nil {
				return err
			}
		}

		position += int64(len(record) + rest)
	}

	if uint16(count) != uint16(a.records) {
		return brokenArchive(a.file)
	}

	return nil
}

func isRecord(head []byte) bool { return string(head[:4]) == "PK\x01\x02" }

// recordLengths returns the length of the name of a record, and the length of what follows the name.
func recordLengths(head []byte) (name, rest int) {
	length := func(at int) int { return int(binary.LittleEndian.Uint16(head[at:])) }
	return length(28), length(30) + length(32)
}

// recordName returns the name of a record. If an archive does not say that its names are UTF-8, they have the code page
// of DOS. Some archivers of Windows separate folders by backslashes.
func recordName(record []byte) (string, error) {
	const utf8Flag = 0x800
	length, _ := recordLengths(record)
	name := string(record[recordBytes : recordBytes+length])
	if binary.LittleEndian.Uint16(record[8:])&utf8Flag != 0 && utf8.ValidString(name) {
		return strings.ReplaceAll(name, `\`, "/"), nil
	}

	name, err := charmap.CodePage866.NewDecoder().String(name)
	if err != nil {
		return "", badArchive("A file of the archive has a name that cannot be read.")
	}

	return strings.ReplaceAll(name, `\`, "/"), nil
}

// readRecord reads the record at a position of a directory: all of it, or only up to its name.
func (p *sessionPackage) readRecord(a *archive, position int64, whole bool) ([]byte, error) {
	content := p.plain(a.file)
	record := make([]byte, recordBytes, 2*recordBytes)
	if _, err := content.ReadAt(record, a.start+position); err != nil {
		return nil, brokenIfShort(err, a)
	}
	name, rest := recordLengths(record)
	if whole {
		name += rest
	}
	record = append(record, make([]byte, name)...)
	if _, err := content.ReadAt(record[recordBytes:], a.start+position+recordBytes); err != nil {
		return nil, brokenIfShort(err, a)
	}
	return record, nil
}

// brokenIfShort maps the end of an archive inside a record to the fault of a broken archive.
func brokenIfShort(err error, a *archive) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return brokenArchive(a.file)
	}
	return err
}

func brokenArchive(file sessionFile) error {
	return badArchive("The archive %.100s is broken; send all of its parts.", file.name)
}
