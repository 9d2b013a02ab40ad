package blob_test

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vitrine/internal/kit/blob"
	"vitrine/internal/kit/fault"
	"vitrine/internal/testkit/blobtest"
)

// wantUnavailable fails the test unless err is a fault.Unavailable with the given code and a RetryAfter.
func wantUnavailable(t *testing.T, err error, code string) {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != fault.Unavailable || f.Code != code || f.RetryAfter <= 0 {
		t.Errorf("got %v, want %s", err, code)
	}
}

func TestS3_isUnavailableWhileTheServerFails(t *testing.T) {
	s3 := blobtest.NewS3(t)
	s := openStore(t, blob.Config{URL: s3.URL("")})
	putBlob(t, s, "a/b/c", "x")
	s3.Refuse(func(*http.Request) bool { return true })
	wantUnavailable(t, s.Put(t.Context(), "a/b/d", []byte("y")), "file_storage_unavailable")
	_, err := s.Open(t.Context(), "a/b/c")
	wantUnavailable(t, err, "file_storage_unavailable")
	wantUnavailable(t, s.Remove(t.Context(), "a/b"), "file_storage_unavailable")
	s3.Refuse(nil)
	if got := readBlob(t, s, "a/b/d"); got != "-" {
		t.Errorf("the refused blob exists: %q", got)
	}
	if got := readBlob(t, s, "a/b/c"); got != "x" {
		t.Errorf("the earlier blob is %q", got)
	}
}

// A request that the server refuses once is sent again.
func TestS3_retriesAFailedRequest(t *testing.T) {
	s3 := blobtest.NewS3(t)
	s := openStore(t, blob.Config{URL: s3.URL("")})
	refused := 0
	s3.Refuse(func(*http.Request) bool { refused++; return refused == 1 })
	putBlob(t, s, "a/b/c", "x")
	if refused != 2 {
		t.Errorf("the server got %d requests, want 2", refused)
	}
}

// A limit on the file size (RLIMIT_FSIZE) stands in for a full disk.
func TestDisk_isUnavailableWhileTheDiskIsFull(t *testing.T) {
	folder := t.TempDir()
	s := openStore(t, blob.Config{URL: folder})
	signal.Ignore(syscall.SIGXFSZ) // a write beyond the limit raises this signal, which would end the process
	defer signal.Reset(syscall.SIGXFSZ)

	limit := func(bytes uint64) uint64 {
		var l syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &l); err != nil {
			t.Fatal(err)
		}

		before := l.Cur
		l.Cur = bytes

		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &l); err != nil {
			t.Fatal(err)
		}

		return before
	}

	before := limit(1 << 20)
	err := s.Put(t.Context(), "a/b/c", make([]byte, 2<<20))
	limit(before)
	wantUnavailable(t, err, "disk_full")

	if got := readBlob(t, s, "a/b/c"); got != "-" {
		t.Errorf("a partial file exists: %d bytes", len(got))
	}
	if left := listFiles(t, folder); len(left) > 0 {
		t.Errorf("files remain: %q", left)
	}

	putBlob(t, s, "a/b/c", strings.Repeat("x", 2<<20)) // must succeed, since the limit is restored
}

func TestDisk_isUnavailableWhenTheTempFolderIsMissing(t *testing.T) {
	folder := t.TempDir()
	s := openStore(t, blob.Config{URL: folder})
	if err := os.RemoveAll(filepath.Join(folder, "tmp")); err != nil {
		t.Fatal(err)
	}
	wantUnavailable(t, s.Put(t.Context(), "a/b/c", []byte("x")), "file_storage_unavailable")
}

// Folders are distributed over shards, so that a million images do not share one directory.
func TestDisk_shardsFolders(t *testing.T) {
	folder := t.TempDir()
	s := openStore(t, blob.Config{URL: folder})
	for i := range 100 {
		putBlob(t, s, "shop/"+string(rune('a'+i%26))+strings.Repeat("x", i)+"/c", "x")
	}
	entries, err := os.ReadDir(filepath.Join(folder, "shop"))
	if err != nil || len(entries) < 90 {
		t.Errorf("100 folders are in %d shards: %v", len(entries), err)
	}
	if got := len(listFiles(t, folder)); got != 100 {
		t.Errorf("there are %d files, want 100", got)
	}
}

// Opening a store removes old temporary files and keeps new ones, which another process may be writing.
func TestDisk_removesTempFilesOfCrashedWriters(t *testing.T) {
	folder := t.TempDir()
	openStore(t, blob.Config{URL: folder})
	for name, age := range map[string]time.Duration{"old": 2 * time.Hour, "new": time.Minute} {
		file := filepath.Join(folder, "tmp", name)
		if err := errors.Join(os.WriteFile(file, []byte("x"), 0o600),
			os.Chtimes(file, time.Time{}, time.Now().Add(-age))); err != nil {
			t.Fatal(err)
		}
	}
	openStore(t, blob.Config{URL: folder})
	if got := listFiles(t, folder); len(got) != 1 || !strings.HasSuffix(got[0], "tmp/new") {
		t.Errorf("files remain: %q", got)
	}
}

// listFiles returns the paths of all files below a folder.
func listFiles(t *testing.T, folder string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
