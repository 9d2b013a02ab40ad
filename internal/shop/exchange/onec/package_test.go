package onec

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"testing"

	"vitrine/internal/kit/fault"
)

// The directory of an archive is held in memory, so its size is checked before it is read, whatever the archive says of
// it.
func TestFindDirectory_refusesWhatArchiveZipWouldLookForElsewhere(t *testing.T) {
	check := func(content []byte) error {
		_, _, _, err := findDirectory(io.NewSectionReader(bytes.NewReader(content), 0, int64(len(content))))
		return err
	}

	archive := func(files int) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for i := range files {
			// Stored: a compressor for each of 70,000 empty files would take minutes.
			if _, err := z.CreateHeader(&zip.FileHeader{Name: fmt.Sprint(i), Method: zip.Store}); err != nil {
				t.Fatal(err)
			}
		}

		if err := z.Close(); err != nil {
			t.Fatal(err)
		}

		return b.Bytes()
	}
	for _, files := range []int{0, 1, 1000, 70_000} { // the last one is zip64
		if err := check(archive(files)); err != nil {
			t.Errorf("an archive of %d files: %v", files, err)
		}
	}

	sizeAt := func(content []byte) []byte { return content[len(content)-22+12:] }
	for name, lie := range map[string]func([]byte) []byte{
		"a smaller size": func(b []byte) []byte { binary.LittleEndian.PutUint32(sizeAt(b), 10); return b },
		"a larger size": func(b []byte) []byte {
			binary.LittleEndian.PutUint32(sizeAt(b), maxDirectoryBytes+1)
			return b
		},
		"another place":   func(b []byte) []byte { binary.LittleEndian.PutUint32(sizeAt(b)[4:], 1<<30); return b },
		"something first": func(b []byte) []byte { return append([]byte("prefix"), b...) },
		"no end":          func(b []byte) []byte { return b[:len(b)-22] },
	} {
		if err := check(lie(archive(100))); fault.KindOf(err) != fault.Malformed {
			t.Errorf("%s: %v", name, err)
		}
	}

	large := archive(70_000)
	at := bytes.LastIndex(large, []byte("PK\x06\x06"))
	binary.LittleEndian.PutUint64(large[at+40:], 10)
	if err := check(large); fault.KindOf(err) != fault.Malformed {
		t.Errorf("a smaller size in zip64: %v", err)
	}
}
