package onec

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/memory"
	"vitrine/internal/shop/exchange"
)

// zipOf returns an archive with these files, which are names and contents.
func zipOf(tb testing.TB, files ...string) string {
	tb.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		// Stored: a compressor for each of many empty files would take minutes.
		w, err := z.CreateHeader(&zip.FileHeader{Name: files[i], Method: zip.Store})
		if err == nil {
			_, err = io.WriteString(w, files[i+1])
		}
		if err != nil {
			tb.Fatal(err)
		}
	}

	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}

	return b.String()
}

func (s *fixture) sendFile(name, content string) {
	s.Helper()
	if err := s.ReceivePart(s.Context(), s.login("one"), name, strings.NewReader(content)); err != nil {
		s.Fatal(err)
	}
}

// sessionFiles returns the package of the session of a login.
func (s *fixture) sessionFiles() *sessionPackage {
	s.Helper()
	session, err := s.currentSession(s.Context(), s.login("one"), sessionRequest{})
	if err != nil {
		s.Fatal(err)
	}
	p := &sessionPackage{ctx: s.Context(), s: s.Service, storeID: s.Store.ID, session: session.Key}
	s.Cleanup(p.close)
	return p
}

// text returns the content of a file of the package, or the error.
func (p *sessionPackage) text(name string) string {
	content, err := p.openNamed(name)
	if err != nil {
		return err.Error()
	}
	defer content.Close() // it was only read
	b, err := io.ReadAll(content)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func TestPackage_findsFilesByAllTheirNames(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.sendFile("old.zip", zipOf(s.Fixture, "import.xml", "old", "only_old.xml", "kept", "a/x.jpg", "old x"))
		s.sendFile("new.zip", zipOf(s.Fixture, "webdata/", "", "webdata/Import.xml", "first", "webdata/pictures/y.jpg",
			"y",
			"webdata/Import.xml", "second", "webdata/import0_1.xml", "of the same kind", "webdata/Import1_1.XML",
			"too"))
		s.sendFile("alone.xml", "alone")
		p := s.sessionFiles()

		for name, want := range map[string]string{
			"alone.xml":          "alone",
			"import.xml":         "old", // a full name comes before a short one
			"webdata/import.xml": "second",
			"WEBDATA/IMPORT.XML": "second",
			"pictures/y.jpg":     "y",
			"Y.jpg":              "y",
			"webdata":            errNoEntry.Error(),
			"x.jpg":              "old x",
			"a/x.jpg":            "old x",
			"b/x.jpg":            errNoEntry.Error(),
			"only_old.xml":       "kept",
			"none.xml":           errNoEntry.Error(),
		} {
			if got := p.text(name); got != want {
				s.Errorf("%s is %q, want %q", name, got, want)
			}
		}

		e, err := p.findInArchives("webdata/import.xml")
		if err != nil {
			s.Fatal(err)
		}

		names, err := p.ofKind(e, "import.xml")
		if got := strings.Join(names, " "); err != nil || got != "import0_1.xml Import1_1.XML" {
			s.Errorf("files of the same kind are %q, %v", got, err)
		}
	})
}

// A request for an unknown name opened all archives of the session: hundreds of MB, uncounted, as often as it came.
func TestS_H3_directoriesOfArchivesAreBoundedCountedAndReadOnce(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.ImportShare = memory.NewShare("imports", "files of 1C", 64<<20)
		var files []string
		for i := range 2000 {
			files = append(files, fmt.Sprintf("folder/%d.jpg", i), "")
		}

		for i := range 10 {
			s.sendFile(fmt.Sprintf("%d.zip", i), zipOf(s.Fixture,
				append(files, fmt.Sprintf("import%d.xml", i), "x")...))
		}

		var mu sync.Mutex
		admitted := 0
		held := int64(0)

		ask := func(name string) error {
			by := s.login("one")

			by.Slots.Heavy = func(context.Context) (func(), error) {
				mu.Lock()
				defer mu.Unlock()
				admitted++
				return func() {
					mu.Lock()
					defer mu.Unlock()
					held = max(held, s.ImportShare.Used())
				}, nil
			}

			_, err := s.Import(s.Context(), by, ImportFile{Name: name, Entities: exchange.Entities()})
			return err
		}

		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if err := ask("none.xml"); fault.KindOf(err) != fault.NotFound {
					s.Errorf("an unknown name: %v", err)
				}
			})
		}

		all.Wait()
		const entries = 20_010
		if admitted != 4 || held < entries*12 || held > 4*s.importSizes().source+5*entries*entryBytes {
			s.Errorf("%d requests were admitted, %d bytes held", admitted, held)
		}
		if n := len(s.directories.list); n != 1 {
			s.Errorf("%d directories are kept, want 1", n)
		}
		if used := s.ImportShare.Used(); used > 5*entries*entryBytes {
			s.Errorf("%d bytes are held when all requests are answered", used)
		}

		// Another archive makes it another directory; the old one is given up when there is no room.
		s.sendFile("last.zip", zipOf(s.Fixture, "last.xml", "x"))
		if err := ask("none.xml"); fault.KindOf(err) != fault.NotFound {
			s.Error(err)
		}

		s.ImportShare = memory.NewShare("imports", "files of 1C", 1<<20)
		if err := ask("none.xml"); fault.KindOf(err) != fault.TooMany {
			s.Errorf("without room: %v, want fault.TooMany", err)
		}
	})
}

func TestS_H3_allArchivesTogetherHaveALimit(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		var files []string
		for i := range 70_000 {
			files = append(files, fmt.Sprint(i), "")
		}

		archive := zipOf(s.Fixture, files...)
		for i, want := range []string{"no such file", "no such file", "more than 200000 files"} {
			s.sendFile(fmt.Sprintf("%d.zip", i), archive)
			p := s.sessionFiles()
			if got := p.text("none.xml"); !strings.Contains(got, want) {
				s.Errorf("%d archives of 70,000 files: %q, want %q", i+1, got, want)
			}
			if i == 0 && p.text("69999") != "" {
				s.Error("the last file was not found")
			}
			if used := len(p.dir.records)*4 + len(p.dir.names)*8; used > maxPackageEntries*entryBytes {
				s.Errorf("the directory takes %d bytes", used)
			}
		}
	})
}
