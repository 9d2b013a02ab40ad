package backup_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/blobtest"
)

// Backups to a bucket, and of images in a bucket, restore with all images, wherever these are then kept.
func TestBackup_toAndFromBuckets(t *testing.T) {
	t.Parallel()
	bucket := blobtest.NewS3(t)
	blobs := []string{"--blob", bucket.URL("live")}
	inst := apitest.NewInstallation(t, database.SQLite)
	p, shop := inst.FirstRun(blobs...)

	for shade := range 3 {
		shop.OK(201, "POST", "/v2/images", apitest.PNG(shade), apitest.Header("Content-Type", "image/png"))
	}

	images := shop.Get("/v2/images").Texts("data", "url")
	key, err := os.ReadFile(filepath.Join(inst.Data, "secret.key"))
	if err != nil {
		t.Fatal(err)
	}

	target := bucket.URL("backups/today")
	out := inst.Run(append([]string{"backup", target}, blobs...)...)
	if strings.Contains(out, blobtest.SecretKey) || !strings.Contains(out, "s3://"+blobtest.Bucket+"/backups/today") {
		t.Errorf("backup prints %s", out)
	}

	inst.WantFailure(1, []string{"exists already"}, append([]string{"backup", target}, blobs...)...)
	folder := filepath.Join(t.TempDir(), "backup")
	inst.Run(append([]string{"backup", folder}, blobs...)...)
	plain := filepath.Join(t.TempDir(), "plain")
	inst.Run(append([]string{"backup", "--no-images", plain}, blobs...)...)
	if _, err := os.Stat(filepath.Join(plain, "images")); !os.IsNotExist(err) {
		t.Errorf("with --no-images there is a folder of images: %v", err)
	}

	p.Signal(syscall.SIGTERM)
	p.Wait()

	for source, restoredBlobs := range map[string][]string{
		target: nil, folder: {"--blob", bucket.URL("restored")},
	} {
		fresh := apitest.NewInstallation(t, database.SQLite)
		apitest.WritePrivateFile(t, filepath.Join(fresh.Data, "secret.key"), key)
		out := fresh.Run(append([]string{"restore", source}, restoredBlobs...)...)
		if !strings.Contains(out, "checksums") || !strings.Contains(out, "--no-background") {
			t.Errorf("restore prints %s", out)
		}

		server := fresh.Serve(restoredBlobs...)
		for _, url := range images {
			r, err := http.Get(server.URL + url[strings.Index(url, "/images/"):])
			if err != nil || r.StatusCode != http.StatusOK {
				t.Fatalf("the image %s after a restore: %v, %v", url, r, err)
			}
			r.Body.Close()
		}

		server.Signal(syscall.SIGTERM)
		server.Wait()
	}
}

// A backup whose upload failed has no manifest: restore refuses it, and the next backup replaces it.
func TestBackup_inBucketIsCompleteWithItsManifest(t *testing.T) {
	t.Parallel()
	bucket := blobtest.NewS3(t)
	inst := apitest.NewInstallation(t, database.SQLite)
	p, _ := inst.FirstRun()
	p.Signal(syscall.SIGTERM)
	p.Wait()
	target := bucket.URL("b")
	bucket.Refuse(func(r *http.Request) bool {
		return strings.HasSuffix(r.URL.Path, "manifest.ndjson") && r.Method == http.MethodPut ||
			r.Method == http.MethodDelete
	})
	inst.WantFailure(1, []string{"storage of files cannot be reached"}, "backup", target)
	bucket.Refuse(nil)

	want := []string{"b/backup/unfinished/begun", "b/backup/vitrine.db"}
	if keys := bucket.Keys(); !slices.Equal(slices.Sorted(slices.Values(keys)), want) {
		t.Fatalf("the bucket has %q, want %q", keys, want)
	}

	inst.WantFailure(1, []string{"not a backup"}, "restore", "--force", target)
	inst.Run("backup", target)
	inst.Run("restore", "--force", target)
	complete := bucket.Keys()
	inst.WantFailure(1, []string{"exists already"}, "backup", target)
	if keys := bucket.Keys(); len(keys) != len(complete) {
		t.Errorf("the refused backup left %q of %q", keys, complete)
	}
}

// The manifest describes the backup, and restore compares each file with it.
func TestRestore_comparesFilesWithTheManifest(t *testing.T) {
	t.Parallel()
	inst := apitest.NewInstallation(t, database.SQLite)
	p, shop := inst.FirstRun()
	shop.OK(201, "POST", "/v2/images", apitest.PNG(1), apitest.Header("Content-Type", "image/png"))
	target := filepath.Join(t.TempDir(), "backup")
	inst.Run("backup", target)
	p.Signal(syscall.SIGTERM)
	p.Wait()

	manifest, err := os.ReadFile(filepath.Join(target, "manifest.ndjson"))
	if err != nil {
		t.Fatal(err)
	}

	lines := strings.Split(strings.TrimSpace(string(manifest)), "\n")
	var summary struct {
		Format, Schema, Files int
		Program               string
		DatabaseID            string `json:"database_id"`
		Rows                  map[string]int
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &summary); err != nil {
		t.Fatal(err)
	}

	if summary.Format != 1 || summary.Schema < 1 || summary.Files != len(lines)-1 || summary.Program == "" ||
		len(summary.DatabaseID) != 32 || summary.Rows["stores"] != 1 || summary.Rows["images"] != 1 {
		t.Errorf("the manifest ends with %s", lines[len(lines)-1])
	}

	inst.Run("restore", "--force", target)

	var image string
	for path := range apitest.FileModes(t, filepath.Join(target, "images")) {
		image = path
	}

	content, err := os.ReadFile(image)
	if err != nil {
		t.Fatal(err)
	}

	change := func(path string, content []byte) {
		t.Helper()
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	damaged := bytes.Clone(content)
	damaged[len(damaged)/2] ^= 1
	change(image, damaged)
	inst.WantFailure(1, []string{"is damaged"}, "restore", "--force", target)

	if err := os.Remove(image); err != nil {
		t.Fatal(err)
	}

	inst.WantFailure(1, []string{"is missing"}, "restore", "--force", target)
	change(image, content)
	change(filepath.Join(target, "manifest.ndjson"), []byte(strings.Join(lines[:len(lines)-1], "\n")))
	inst.WantFailure(1, []string{"cut off"}, "restore", "--force", target)
	change(filepath.Join(target, "manifest.ndjson"), []byte(strings.Join(lines[1:], "\n")))
	inst.WantFailure(1, []string{"not a backup"}, "restore", "--force", target)

	if got := inst.Serve().Server(shop.Keys).Get("/v2/images").Len("data"); got != 1 {
		t.Errorf("after refused restores there are %d images", got)
	}
}
