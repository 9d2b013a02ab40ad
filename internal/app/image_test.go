package app_test

import (
	"bytes"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/kit/blob"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/blobtest"
	"vitrine/internal/testkit/promise"
)

// serve refuses an invalid setting at the start, not at the first image, and does not print secrets.
func TestServe_refusesInvalidImageSettings(t *testing.T) {
	t.Parallel()
	inst := newInstallation(t, database.SQLite)
	for value, words := range map[string][]string{
		"--blob=s3://bucket": {"--blob", "VITRINE_BLOB_ACCESS_KEY"},
		"--blob=s3://key:hush@bucket?endpoint=http://127.0.0.1:1&region=x": {"--blob",
			"the bucket bucket at 127.0.0.1:1 cannot be reached"},
		"--blob=ftp://bucket":                      {"--blob", "s3://bucket, file:///folder or a path"},
		"--blob=/dev/null/images":                  {"--blob", "make the folder for files"},
		"--public-url=shop.example":                {"--public-url", "https://api.shop.example"},
		"--public-url=ftp://shop.example":          {"--public-url", "https://api.shop.example"},
		"--public-url=https://a:hush@shop.example": {"--public-url", "https://api.shop.example"},
	} {
		p := apitest.Launch(t, inst.ServeCommand(value))
		if code := p.Wait(); code != 1 {
			t.Errorf("serve %s exits with %d, want 1", value, code)
		}

		for _, word := range words {
			if !strings.Contains(p.Stderr.String(), word) {
				t.Errorf("serve %s does not print %q: %s", value, word, p.Stderr)
			}
		}

		if strings.Contains(p.Stderr.String(), "hush") {
			t.Errorf("serve %s prints a secret: %s", value, p.Stderr)
		}
	}
}

// The keys of a bucket can be set by environment variables, which the list of processes does not show.
func TestServe_storesImagesInS3(t *testing.T) {
	t.Parallel()
	inst := newInstallation(t, database.SQLite)
	s3 := blobtest.NewS3(t)
	cmd := inst.ServeCommand("--blob", "s3://"+blobtest.Bucket+"/images?region="+blobtest.Region+"&endpoint="+
		s3.Endpoint(), "--public-url", "https://api.shop.example/")
	cmd.Env = append(cmd.Env, "VITRINE_BLOB_ACCESS_KEY="+blobtest.AccessKey,
		"VITRINE_BLOB_SECRET_KEY="+blobtest.SecretKey)
	p := apitest.LaunchServer(t, cmd)
	keys, _ := p.FirstRunKeys()
	shop := p.Server(keys.Keys(t))
	r := shop.OK(201, "POST", "/v2/images", apitest.PNG(1), apitest.Header("Content-Type", "image/png"))
	if url := r.Text("data.url"); !strings.HasPrefix(url, "https://api.shop.example/images/") {
		t.Errorf("the URL of the image is %s", url)
	}

	if got := s3.Keys(); len(got) == 0 || !strings.HasPrefix(got[0],
		"images/"+shop.StoreID.String()+"/"+r.Text("data.id")) {
		t.Errorf("the bucket contains %q", got)
	}
}

// No matter how often the program is killed, it serves every acknowledged image and removes the orphaned files of
// images that were not acknowledged.
func TestKill_keepsAcknowledgedImagesAndRemovesOrphans(t *testing.T) {
	t.Parallel()
	sampledEngine(t, func(t *testing.T, inst *installation) {
		p, shop := inst.FirstRun()
		keys := shop.Keys
		const clients, enough = 4, 5
		kills := promise.Sample(1, 3)
		acknowledged := map[string][]byte{} // by the path of the file
		var mu sync.Mutex
		for range kills {
			shop = p.Server(keys)
			before := len(acknowledged)
			enoughSent := make(chan struct{}) // closed after enough acknowledged images
			var wait sync.WaitGroup

			for client := range clients {
				wait.Go(func() {
					for i := 0; ; i++ {
						content := apitest.PNG(i*clients + client)
						r, err := shop.Try("POST", "/v2/images", content, apitest.Header("Content-Type", "image/png"))
						if err != nil {
							return // the server was killed
						}

						if r.Status == 201 {
							mu.Lock()
							acknowledged[strings.TrimPrefix(r.Text("data.url"), shop.URL)] = content
							if len(acknowledged) == before+enough {
								close(enoughSent)
							}
							mu.Unlock()
						}
					}
				})
			}

			select {
			case <-enoughSent:
			case <-time.After(time.Minute):
				t.Error("fewer than 5 images were acknowledged within a minute")
			}

			p.Kill()
			wait.Wait()
			p = inst.Serve()
			shop = p.Server(keys)

			for path, content := range acknowledged {
				if r := shop.Do("GET", path, nil, apitest.As("")); r.Status != 200 || !bytes.Equal(r.Body, content) {
					t.Fatalf("%s: got %d with %d bytes, want the %d bytes that were sent", path, r.Status, len(r.Body),
						len(content))
				}
			}
		}

		p.Kill()
		listed := inst.removeOrphans(2 * time.Hour)
		var stored []string
		err := filepath.WalkDir(filepath.Join(inst.Data, "blobs", keys.StoreID.String()),
			func(path string, e fs.DirEntry, err error) error {
				if err == nil && strings.HasPrefix(e.Name(), "original.") {
					stored = append(stored, filepath.Base(filepath.Dir(path)))
				}
				return err
			})
		slices.Sort(stored)
		if slices.Sort(listed); err != nil || !slices.Equal(stored, listed) {
			t.Errorf("%d images are listed and %d are stored: %v", len(listed), len(stored), err)
		}

		t.Logf("%s: %d images were acknowledged over %d kills, %d exist", inst.Engine, len(acknowledged), kills,
			len(listed))
	})
}

// removeOrphans removes orphaned files as the program would after the given time. It returns the ids of all images.
func (inst *installation) removeOrphans(later time.Duration) (ids []string) {
	inst.T.Helper()
	ctx := inst.T.Context()
	log := slog.New(slog.DiscardHandler)
	core, err := app.Open(ctx, config.Storage{Data: inst.Data, Database: inst.Database}, log)
	if err != nil {
		inst.T.Fatal(err)
	}
	defer core.Close()

	blobs, err := blob.Open(ctx, blob.Config{URL: filepath.Join(inst.Data, "blobs")})
	if err != nil {
		inst.T.Fatal(err)
	}
	defer blobs.Close()

	files := imagefile.New(imagefile.Deps{DB: core.DB, Blobs: blobs,
		Now: func() time.Time { return time.Now().Add(later) }, Log: log})
	if err := files.RemoveOrphans(ctx); err != nil {
		inst.T.Fatal(err)
	}

	stores, err := core.Stores.List(ctx)
	if err != nil {
		inst.T.Fatal(err)
	}

	err = core.DB.Read(ctx, func(q database.Querier) error {
		ids = nil
		list, _, err := catalog.New(catalog.Deps{Now: core.Now}).Images.List(ctx, store.In(q, stores[0].ID), true,
			100_000, 0)
		for _, im := range list {
			ids = append(ids, im.ID.String())
		}
		return err
	})
	if err != nil {
		inst.T.Fatal(err)
	}

	return ids
}
