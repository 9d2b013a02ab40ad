package blob_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/kit/blob"
	"vitrine/internal/kit/fault"
	"vitrine/internal/testkit/blobtest"
)

// eachStore runs fn with a store on a disk and with one in S3. VITRINE_TEST_S3 may name a real bucket to test instead
// of the server of blobtest.
func eachStore(t *testing.T, fn func(t *testing.T, s blob.Store)) {
	t.Helper()
	s3 := os.Getenv("VITRINE_TEST_S3")
	if s3 == "" {
		s3 = blobtest.NewS3(t).URL("some/prefix")
	}
	for name, url := range map[string]string{
		"disk": t.TempDir() + "/made/here", "file": "file://" + t.TempDir(), "s3": s3,
	} {
		t.Run(name, func(t *testing.T) {
			s := openStore(t, blob.Config{URL: url})
			fn(t, s)
		})
	}
}

func openStore(t *testing.T, cfg blob.Config) blob.Store {
	t.Helper()
	s, err := blob.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func putBlob(t *testing.T, s blob.Store, name, content string) {
	t.Helper()
	if err := s.Put(t.Context(), name, []byte(content)); err != nil {
		t.Fatal(err)
	}
}

// readBlob returns the content of a file, or "-" if it does not exist.
func readBlob(t *testing.T, s blob.Store, name string) string {
	t.Helper()
	f, err := s.Open(t.Context(), name)
	if errors.Is(err, blob.ErrNotFound) {
		return "-"
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(b)) != f.Size() {
		t.Errorf("%s reports %d bytes and has %d", name, f.Size(), len(b))
	}

	return string(b)
}

func TestStore_opensTheContentThatWasPutLast(t *testing.T) {
	eachStore(t, func(t *testing.T, s blob.Store) {
		long := string(bytes.Repeat([]byte("0123456789abcdef"), 1<<18))
		for name, content := range map[string]string{
			"a/b/empty": "", "a/b/short.jpg": "short", "a/b/long": long, "c/d/Größe ü+&%.png": "x",
		} {
			if got := readBlob(t, s, name); got != "-" {
				t.Fatalf("%s exists before it was put", name)
			}
			putBlob(t, s, name, "before")
			putBlob(t, s, name, content)
			if got := readBlob(t, s, name); got != content {
				t.Errorf("%s has %d bytes, want %d", name, len(got), len(content))
			}
		}
	})
}

func TestStore_removesOneFolderAndNoOther(t *testing.T) {
	eachStore(t, func(t *testing.T, s blob.Store) {
		for i := range 5 {
			putBlob(t, s, fmt.Sprintf("shop/one/%d", i), "x")
		}

		putBlob(t, s, "shop/one-more/0", "stays")
		putBlob(t, s, "shop2/one/0", "stays")

		for range 2 { // the second call has nothing to remove
			if err := s.Remove(t.Context(), "shop/one"); err != nil {
				t.Fatal(err)
			}
		}

		for name, want := range map[string]string{
			"shop/one/0": "-", "shop/one/4": "-", "shop/one-more/0": "stays", "shop2/one/0": "stays",
		} {
			if got := readBlob(t, s, name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}

		putBlob(t, s, "shop/one/0", "again")
		if got := readBlob(t, s, "shop/one/0"); got != "again" {
			t.Errorf("the removed folder cannot be reused: %q", got)
		}
	})
}

func TestStore_seeksInAFile(t *testing.T) {
	eachStore(t, func(t *testing.T, s blob.Store) {
		putBlob(t, s, "a/b/c", "0123456789")
		f, err := s.Open(t.Context(), "a/b/c")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()

		for _, c := range []struct {
			offset int64
			whence int
			want   string
		}{{0, io.SeekEnd, ""}, {3, io.SeekStart, "3456789"}, {-2, io.SeekEnd, "89"},
			{-10, io.SeekCurrent, "0123456789"}, {20, io.SeekStart, ""}} {
			if _, err := f.Seek(c.offset, c.whence); err != nil {
				t.Fatal(err)
			}
			if b, err := io.ReadAll(f); err != nil || string(b) != c.want {
				t.Errorf("after Seek(%d, %d): read %q, %v; want %q", c.offset, c.whence, b, err, c.want)
			}
		}

		if _, err := f.Seek(-1, io.SeekStart); err == nil {
			t.Error("Seek accepts a negative offset")
		}
	})
}

func TestStore_refusesInvalidNames(t *testing.T) {
	eachStore(t, func(t *testing.T, s blob.Store) {
		for _, name := range []string{"", ".", "a", "../a/b", "a/../../b", "/a/b", "a//b", `a\b/c`, "a/b\x00c"} {
			if err := s.Put(t.Context(), name, nil); err == nil {
				t.Errorf("%q was put", name)
			}
			if f, err := s.Open(t.Context(), name); err == nil {
				f.Close()
				t.Errorf("%q was opened", name)
			}
		}

		for _, folder := range []string{"", ".", "..", "/", "a/.."} {
			if err := s.Remove(t.Context(), folder); err == nil {
				t.Errorf("%q was removed", folder)
			}
		}
	})
}

// Puts and Removes of one folder run concurrently: each Put succeeds, and each read sees a whole file or none.
func TestStore_isSafeForConcurrentUse(t *testing.T) {
	eachStore(t, func(t *testing.T, s blob.Store) {
		contents := []string{"one", "another one"}
		var wait sync.WaitGroup
		for i := range 6 {
			wait.Go(func() {
				for range 20 {
					var err error
					if i < 4 {
						err = s.Put(t.Context(), "a/b/c", []byte(contents[i%2]))
					} else {
						err = s.Remove(t.Context(), "a/b")
					}

					if err != nil {
						t.Error(err)
					}
					if got := readBlob(t, s, "a/b/c"); got != "-" && !slices.Contains(contents, got) {
						t.Errorf("read %q", got)
					}
				}
			})
		}

		wait.Wait()
	})
}

func TestStore_returnsTheErrorOfACancelledContext(t *testing.T) {
	eachStore(t, func(t *testing.T, s blob.Store) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, openErr := s.Open(ctx, "a/b/c")
		for _, err := range []error{s.Put(ctx, "a/b/c", []byte("x")), openErr, s.Remove(ctx, "a/b")} {
			if !errors.Is(err, context.Canceled) || fault.KindOf(err) != fault.Internal {
				t.Errorf("got %v, want context.Canceled", err)
			}
		}
	})
}

func TestOpen_explainsWhatIsWrongWithTheURL(t *testing.T) {
	s3 := blobtest.NewS3(t)
	keys := blob.Config{AccessKey: blobtest.AccessKey, SecretKey: blobtest.SecretKey}
	bucket := "s3://" + blobtest.Bucket + "?endpoint=" + s3.Endpoint()
	for _, c := range []struct{ name, url, accessKey, secretKey, want string }{
		{"another scheme", "gs://bucket", "", "", "not at gs://"},
		{"a relative folder", "file://blobs", "", "", "must be absolute"},
		{"no credentials", bucket, "", "", "VITRINE_BLOB_ACCESS_KEY"},
		{"no secret", "s3://user@b?endpoint=" + s3.Endpoint(), "", "", "needs an access key and a secret key"},
		{"a URL that cannot be parsed", "s3://user:hush/hush@b", "", "", "percent-encoded"},
		{"an unknown setting", bucket + "&zone=1", keys.AccessKey, keys.SecretKey, "not zone"},
		{"an endpoint without scheme", "s3://b?endpoint=localhost", keys.AccessKey, keys.SecretKey,
			"https://host:port"},
		{"a prefix with ..", "s3://b/../x", keys.AccessKey, keys.SecretKey, "plain path"},
		{"no such bucket", "s3://nobodys?endpoint=" + s3.Endpoint(), keys.AccessKey, keys.SecretKey,
			"there is no bucket nobodys"},
		{"a wrong secret", bucket, keys.AccessKey, "hush", "cannot be reached"},
		{"nothing listens", "s3://b?region=x&endpoint=http://127.0.0.1:1", keys.AccessKey, keys.SecretKey,
			"the bucket b at 127.0.0.1:1 cannot be reached"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := blob.Open(t.Context(), blob.Config{URL: c.url, AccessKey: c.accessKey, SecretKey: c.secretKey})
			if err == nil || !bytes.Contains([]byte(err.Error()), []byte(c.want)) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			if bytes.Contains([]byte(err.Error()), []byte("hush")) {
				t.Errorf("the error reveals a secret: %v", err)
			}
		})
	}

	keys.URL = bucket // the URL has no region, so the client requests it from the server
	putBlob(t, openStore(t, keys), "a/b/c", "x")

	if got := s3.Keys(); !slices.Equal(got, []string{"a/b/c"}) {
		t.Errorf("the bucket contains %q", got)
	}
}

func TestCheck_leavesNoFileAndFailsWithoutStorage(t *testing.T) {
	folder := t.TempDir()
	disk := openStore(t, blob.Config{URL: folder})
	if err := disk.Check(t.Context()); err != nil {
		t.Error(err)
	}

	entries, err := os.ReadDir(folder + "/" + blob.TempFolder)
	if err != nil || len(entries) > 0 {
		t.Errorf("after the check there are %v, %v", entries, err)
	}
	if err := os.RemoveAll(folder + "/" + blob.TempFolder); err != nil {
		t.Fatal(err)
	}

	server := blobtest.NewS3(t)
	s3 := openStore(t, blob.Config{URL: server.URL("p")})
	if err := s3.Check(t.Context()); err != nil {
		t.Error(err)
	}

	server.Refuse(func(*http.Request) bool { return true })

	for name, s := range map[string]blob.Store{"disk": disk, "s3": s3} {
		if err := s.Check(t.Context()); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("%s: a store that fails: %v", name, err)
		}
	}
}

func TestEach_callsForEachFileAndPutFromStoresLongContent(t *testing.T) {
	eachStore(t, func(t *testing.T, s blob.Store) {
		putBlob(t, s, "store/image/original.jpg", "one")
		putBlob(t, s, "store/image/small.jpg", "four")
		long := strings.Repeat("long", 20<<18) // 20 MiB, which S3 gets in parts
		if err := s.PutFrom(t.Context(), "a/long", strings.NewReader(long), int64(len(long))); err != nil {
			t.Fatal(err)
		}

		found := map[string]int64{}
		err := s.Each(t.Context(), func(name string, size int64) error {
			found[name] = size
			return nil
		})
		want := map[string]int64{"store/image/original.jpg": 3, "store/image/small.jpg": 4, "a/long": int64(len(long))}
		if err != nil || !maps.Equal(found, want) {
			t.Errorf("found %v, %v, want %v", found, err, want)
		}

		if readBlob(t, s, "a/long") != long {
			t.Error("the long file has other content")
		}

		failure := errors.New("enough")
		if err := s.Each(t.Context(), func(string, int64) error { return failure }); !errors.Is(err, failure) {
			t.Errorf("Each returned %v, want the error of the function", err)
		}
		if err := s.PutFrom(t.Context(), "a/short", strings.NewReader("x"), 5); err == nil {
			t.Error("a content that is shorter than its size was stored")
		}
	})
}
