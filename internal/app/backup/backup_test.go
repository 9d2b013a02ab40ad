package backup_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
)

// There was no backup, and a copy of the live file missed what was in the write-ahead log. A backup that is made under
// load restores into a fresh data directory with all that was acknowledged before it, and images with their bytes.
func TestM9_backupUnderLoadRestores(t *testing.T) {
	t.Parallel()
	inst := apitest.NewInstallation(t, database.SQLite)
	p, shop := inst.FirstRun()
	shop.OK(201, "POST", "/v2/images", apitest.PNG(1), apitest.Header("Content-Type", "image/png"))
	image := shop.Get("/v2/images").Text("data.0.url")

	var acknowledged atomic.Int64
	done := make(chan struct{})
	var wait sync.WaitGroup

	wait.Go(func() {
		for n := int64(1); ; n++ {
			select {
			case <-done:
				return
			default:
				body := fmt.Sprintf(`{"name": "stock %06d"}`, n)
				if got := shop.Do("POST", "/v2/stocks", body).Status; got != 201 {
					t.Errorf("POST /v2/stocks returns %d", got)
					return
				}
				acknowledged.Store(n)
			}
		}
	})
	for acknowledged.Load() < 20 && !t.Failed() {
		shop.Get("/v2/store")
	}

	before := acknowledged.Load()
	target := filepath.Join(t.TempDir(), "backup")
	out := inst.Run("backup", target)
	close(done)
	wait.Wait()
	if !strings.Contains(out, filepath.Join(inst.Data, "secret.key")) {
		t.Errorf("backup does not say that the key is not part of it: %s", out)
	}

	key, err := os.ReadFile(filepath.Join(inst.Data, "secret.key"))
	if err != nil {
		t.Fatal(err)
	}

	for path, mode := range apitest.FileModes(t, filepath.Dir(target)) {
		content, err := os.ReadFile(path)
		if err != nil || mode.Perm() != 0o600 || bytes.Contains(content, bytes.TrimSpace(key)) {
			t.Errorf("%s has the mode %v, or contains the secret key; %v", path, mode, err)
		}
	}

	inst.WantFailure(1, []string{"exists already"}, "backup", target)
	p.Signal(syscall.SIGTERM)
	p.Wait()

	fresh := apitest.NewInstallation(t, database.SQLite)
	fresh.WantFailure(1, []string{"secret key is missing", filepath.Join(fresh.Data, "secret.key")}, "restore", target)
	apitest.WritePrivateFile(t, filepath.Join(fresh.Data, "secret.key"), key)
	if out := fresh.Run("restore", target); !strings.Contains(out, "Restored the database") {
		t.Errorf("restore prints %s", out)
	}

	restored := fresh.Serve()
	if _, first := restored.FirstRunKeys(); first {
		t.Error("the restored server creates a store")
	}

	copied := restored.Server(shop.Keys)
	total, err := strconv.ParseInt(copied.Get("/v2/stocks?per_page=1").Text("meta.total"), 10, 64)
	if err != nil || total < before {
		t.Errorf("the backup has %d stocks, but %d were acknowledged before it", total, before)
	}
	if found := copied.Get(fmt.Sprintf("/v2/stocks?q=%06d", total)).Len("data"); found != 1 {
		t.Errorf("the backup has %d stocks, and not the last one of these", total)
	}

	path := image[strings.Index(image, "/images/"):]
	r, err := http.Get(restored.URL + path)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Errorf("the image %s: %v, %v", path, r, err)
	}

	if r != nil {
		r.Body.Close()
	}
}

// writeManifest writes the manifest of a backup with one file.
func writeManifest(t *testing.T, dir, name string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	manifest := fmt.Sprintf("{\"name\":%q,\"size\":%d,\"sha256\":\"%x\"}\n{\"format\":1,\"files\":1}\n", name,
		len(content),
		sha256.Sum256(content))
	apitest.WritePrivateFile(t, filepath.Join(dir, "manifest.ndjson"), []byte(manifest))
}

// restore refuses while a server runs, to replace a database without --force, a wrong key, and what is no sound backup.
// After a refusal the old database is unchanged; after --force nothing of it is left, even what was in its log.
func TestM9_restoreReplacesOnlyWhatItMay(t *testing.T) {
	t.Parallel()
	inst := apitest.NewInstallation(t, database.SQLite)
	p, shop := inst.FirstRun()
	shop.OK(201, "POST", "/v2/stocks", `{"name": "saved"}`)
	target := filepath.Join(t.TempDir(), "backup")
	inst.Run("backup", target)
	shop.OK(201, "POST", "/v2/stocks", `{"name": "later"}`)
	inst.WantFailure(1, []string{"in use by another server"}, "restore", "--force", target)
	p.Kill() // leaves a write-ahead log with the second stock

	if _, err := os.Stat(filepath.Join(inst.Data, "vitrine.db-wal")); err != nil {
		t.Fatal(err)
	}

	inst.WantFailure(1, []string{"exists already", "--force"}, "restore", target)
	other := filepath.Join(t.TempDir(), "other.key")
	apitest.WritePrivateFile(t, other, []byte(strings.Repeat("ab", 32)))
	inst.WantFailure(1, []string{"secret key does not belong"}, "restore", "--force", "--secret-key-file", other,
		target)
	inst.WantFailure(1, []string{"not a backup"}, "restore", "--force", t.TempDir())
	inst.WantFailure(1, []string{"not a backup"}, "restore", "--force", other)
	inst.WantFailure(1, []string{"no such file"}, "restore", "--force", target+"-missing")
	damaged := filepath.Join(t.TempDir(), "damaged")

	content, err := os.ReadFile(filepath.Join(target, "vitrine.db"))
	if err != nil {
		t.Fatal(err)
	}

	apitest.WritePrivateFile(t, filepath.Join(damaged, "vitrine.db"), content)
	apitest.DestroyTable(t, filepath.Join(damaged, "vitrine.db"), "feedback")
	inst.WantFailure(1, []string{"not a backup"}, "restore", "--force", damaged)
	writeManifest(t, damaged, "vitrine.db")
	inst.WantFailure(1, []string{"the database of the backup"}, "restore", "--force", damaged)

	p = inst.Serve()
	if got := p.Server(shop.Keys).Get("/v2/stocks").Len("data"); got != 2 {
		t.Errorf("after refused restores there are %d stocks, want 2", got)
	}

	p.Kill()
	columns := filepath.Join(inst.Data, "search", "store.columns")
	apitest.WritePrivateFile(t, columns, []byte("of the old database"))
	inst.Run("restore", "--force", target)
	if _, err := os.Stat(columns); !os.IsNotExist(err) {
		t.Errorf("the search columns of the old database: %v, want none", err)
	}

	if got := inst.Serve().Server(shop.Keys).Get("/v2/stocks").Texts("data", "name"); len(got) != 1 ||
		got[0] != "saved" {
		t.Errorf("after the restore the stocks are %q, want only the saved one", got)
	}

	for path := range apitest.FileModes(t, inst.Data) {
		if strings.Contains(path, ".restore") {
			t.Errorf("restore left %s", path)
		}
	}
}

// PostgreSQL has its own programs: backup and restore print the commands.
func TestM9_backupNamesTheProgramsOfPostgreSQL(t *testing.T) {
	apitest.EachInstallation(t, func(t *testing.T, inst *apitest.Installation) {
		if inst.Engine == database.SQLite {
			inst.WantFailure(1, []string{"there is no shop at", inst.Data}, "backup", filepath.Join(t.TempDir(), "b"))
			return
		}
		words := []string{"pg_dump", "pg_restore", "ANALYZE", "pg_basebackup", filepath.Join(inst.Data, "secret.key")}
		inst.WantFailure(1, words, "backup", filepath.Join(t.TempDir(), "b"))
		inst.WantFailure(1, words, "restore", t.TempDir())
		withPool, err := url.Parse(inst.Database)
		if err != nil {
			t.Fatal(err)
		}

		query := withPool.Query()
		query.Set("pool_max_conns", "5")
		query.Set("default_query_exec_mode", "exec")
		withPool.RawQuery = query.Encode()
		inst.Database = withPool.String()
		inst.WantFailure(1, []string{"only Vitrine knows: default_query_exec_mode, pool_max_conns."}, "backup",
			filepath.Join(t.TempDir(), "b"))
	})
}
