package app_test

import (
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"vitrine/internal/kit/blob"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/blobtest"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/promise"
	"vitrine/internal/testkit/storetest"
)

// serveFreePorts are the arguments of a server that is expected to refuse to start.
var serveFreePorts = []string{"serve", "--api-addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0"}

// stopServer stops a server as a signal does.
func stopServer(p *apitest.Process) {
	p.Signal(syscall.SIGTERM)
	p.Wait()
}

// uploadTestImage uploads an image and returns the path of its file.
func uploadTestImage(shop *apitest.Server, n int) string {
	url := shop.OK(201, "POST", "/v2/images", apitest.PNG(n),
		apitest.Header("Content-Type", "image/png")).Text("data.url")
	return url[strings.Index(url, "/images/"):]
}

// wantImage checks that the server has the file of an image.
func wantImage(t *testing.T, p *apitest.Process, path string) {
	t.Helper()
	r, err := http.Get(p.URL + path)
	if err != nil {
		t.Error(err)
		return
	}
	r.Body.Close()
	if r.StatusCode != http.StatusOK {
		t.Errorf("the image %s: %s", path, r.Status)
	}
}

// imageFiles returns the number of files in a folder of images, the marker included.
func imageFiles(t *testing.T, folder string) (n int) {
	t.Helper()
	err := filepath.WalkDir(folder, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			n++
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return n
}

// With the default --blob, two nodes of one PostgreSQL each had a folder of their own, and images of one were missing
// on the other. The first node to start decides, before there is any image. The second one refuses to start, says why,
// and writes nothing.
func TestP10_refusesAFolderThatNodesDoNotShare(t *testing.T) {
	promise.OnlyThorough(t)
	t.Parallel()
	eachEngine(t, func(t *testing.T, inst *installation) {
		first, shop := inst.FirstRun()
		folder := filepath.Join(t.TempDir(), "own")
		words := []string{"--blob", folder, "another place", "s3://", "vitrine blob accept"}
		args := []string{"--blob", folder}

		if inst.Engine == database.Postgres { // SQLite has one server at a time
			inst.WantFailure(1, words, append(serveFreePorts, args...)...)
		}

		image := uploadTestImage(shop, 1)
		if inst.Engine == database.SQLite {
			stopServer(first)
		}

		inst.WantFailure(1, words, append(serveFreePorts, args...)...)
		inst.WantFailure(1, words, append([]string{"demo", "--products", "1"}, args...)...)

		if n := imageFiles(t, folder); n != 0 {
			t.Errorf("the refused node wrote %d files", n)
		}

		shared := inst.Serve("--blob", filepath.Join(inst.Data, "blobs"))
		wantImage(t, shared, image)
	})
}

// A shop of a version without markers is upgraded: the first start marks its folder, and its images are there.
func TestP10_upgradeMarksTheFolderInUse(t *testing.T) {
	t.Parallel()
	sampledEngine(t, func(t *testing.T, inst *installation) {
		p, shop := inst.FirstRun()
		image := uploadTestImage(shop, 1)
		stopServer(p)
		inst.WriteDB(func(q database.Querier) error {
			return database.Exec(t.Context(), q, "DELETE FROM meta WHERE name = 'image_storage'")
		})

		marker := markerOf(t, filepath.Join(inst.Data, "blobs"))
		if err := os.Remove(marker); err != nil {
			t.Fatal(err)
		}

		p = inst.Serve()
		wantImage(t, p, image)
		stopServer(p)

		if now := markerOf(t, filepath.Join(inst.Data, "blobs")); now != marker {
			t.Errorf("the marker is %s, and was %s", now, marker)
		}

		inst.Run("check")
	})
}

// markerOf returns the path of the marker in a folder of images.
func markerOf(t *testing.T, folder string) (path string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, "*", "vitrine", "storage.json"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s has the markers %q: %v", folder, found, err)
	}
	return found[0]
}

// Two databases cannot share a folder. accept --force takes it over from one that is gone.
func TestP10_refusesAFolderOfAnotherDatabase(t *testing.T) {
	t.Parallel()
	sampledEngine(t, func(t *testing.T, inst *installation) {
		p, shop := inst.FirstRun()
		uploadTestImage(shop, 1)
		stopServer(p)
		other := newInstallation(t, inst.Engine)
		args := []string{"--blob", filepath.Join(inst.Data, "blobs")}
		other.Run("migrate")
		words := []string{"--blob", args[1], "another database", "accept --force"}
		other.WantFailure(1, words, append(serveFreePorts, args...)...)
		other.WantFailure(1, words, append([]string{"blob", "accept"}, args...)...)
		inst.Serve()
		other.Run(append([]string{"blob", "accept", "--force"}, args...)...)
		other.Serve(append(args, "--no-first-store")...)
	})
}

// Images move from a folder to a bucket: copied while the server runs, once more when it is stopped, and accepted.
func TestBlob_movesImagesToABucket(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, inst *installation) {
		bucket := blobtest.NewS3(t)
		target := bucket.URL("moved")
		p, shop := inst.FirstRun()
		images := []string{uploadTestImage(shop, 1), uploadTestImage(shop, 2)}
		apitest.WritePrivateFile(t, filepath.Join(inst.Data, "blobs", "abc", "notes", "mine.txt"),
			[]byte("of the operator"))
		inst.WantFailure(1, []string{"same place"}, "blob", "copy", filepath.Join(inst.Data, "blobs", "inside"))

		out := inst.Run("blob", "copy", target)
		if !strings.Contains(out, "; 0 were there already") || !strings.Contains(out, "vitrine blob accept") ||
			strings.Contains(out, blobtest.SecretKey) {
			t.Errorf("copy prints %s", out)
		}

		images = append(images, uploadTestImage(shop, 3))
		if inst.Engine == database.SQLite {
			inst.WantFailure(1, []string{"in use by another server"}, "blob", "accept", "--blob", target)
		}

		stopServer(p)
		inst.Run("blob", "copy", target)

		if out := inst.Run("blob", "copy", target); !strings.HasPrefix(out, "Copied 0 files") {
			t.Errorf("copying once more prints %s", out)
		}

		inst.WantFailure(1, []string{"another place"}, append(serveFreePorts, "--blob", target)...)
		inst.Run("blob", "accept", "--blob", target)
		inst.WantFailure(1, []string{"the database says that its images are in another place"}, serveFreePorts...)
		p = inst.Serve("--blob", target)

		for _, path := range images {
			wantImage(t, p, path)
		}

		inst.Run("check", "--blob", target)

		for _, key := range bucket.Keys() {
			if strings.Contains(key, "mine.txt") {
				t.Errorf("copy copied %s, which is not of an image", key)
			}
		}
	})
}

// restore needs to know nothing of markers: the images may go to a new folder, to the former one, to a bucket, or be
// left out. It refuses a folder of a database that it does not replace, before it changes anything.
func TestRestore_bindsTheDatabaseToItsImages(t *testing.T) {
	promise.OnlyThorough(t)
	t.Parallel()
	inst := newInstallation(t, database.SQLite)
	p, shop := inst.FirstRun()
	image := uploadTestImage(shop, 1)
	target := filepath.Join(t.TempDir(), "backup")
	inst.Run("backup", target)
	stopServer(p)
	inst.Run("restore", "--force", target)
	p = inst.Serve()
	wantImage(t, p, image)
	stopServer(p)

	// With --no-images the next start decides.
	inst.Run("restore", "--force", "--no-images", target)
	p = inst.Serve()
	wantImage(t, p, image)
	stopServer(p)
	inst.Run("restore", "--force", "--no-images", target)
	stopServer(inst.Serve("--blob", filepath.Join(t.TempDir(), "empty")))

	// Over another shop: its folder is taken over with its database, and no other folder is.
	other := newInstallation(t, database.SQLite)
	p, _ = other.FirstRun()
	stopServer(p)

	key, err := os.ReadFile(filepath.Join(inst.Data, "secret.key"))
	if err != nil {
		t.Fatal(err)
	}

	apitest.WritePrivateFile(t, filepath.Join(other.Data, "secret.key"), key)
	third := newInstallation(t, database.SQLite)
	p, shop = third.FirstRun()
	uploadTestImage(shop, 3)
	stopServer(p)
	before := imageFiles(t, filepath.Join(third.Data, "blobs"))
	other.WantFailure(1, []string{"another database", "--no-images"}, "restore", "--force", target, "--blob",
		filepath.Join(third.Data, "blobs"))
	if now := imageFiles(t, filepath.Join(third.Data, "blobs")); now != before {
		t.Errorf("the refused restore changed the number of files from %d to %d", before, now)
	}

	third.Serve()
	other.Run("restore", "--force", target)
	wantImage(t, other.Serve(), image)
}

// A backup with a wrong --blob would have no images.
func TestBackup_refusesTheImagesOfAnotherPlace(t *testing.T) {
	t.Parallel()
	inst := newInstallation(t, database.SQLite)
	p, shop := inst.FirstRun()
	uploadTestImage(shop, 1)
	stopServer(p)
	target := filepath.Join(t.TempDir(), "backup")
	empty := filepath.Join(t.TempDir(), "empty")
	inst.WantFailure(1, []string{"another place", empty}, "backup", "--blob", empty, target)
	if _, err := os.Stat(target); !os.IsNotExist(err) {
		t.Errorf("the refused backup left %s: %v", target, err)
	}

	inst.Run("backup", "--no-images", "--blob", empty, target)
	out := apitest.Launch(t, inst.Command("check", "--blob", empty))
	if code := out.Wait(); code != 1 || !strings.Contains(out.Stdout.String(), "PROBLEM  image_storage") {
		t.Errorf("check exits with %d: %s", code, out.Stdout)
	}
}

// A storage that fails while the server starts does not keep it from starting, as before. Its images are refused until
// it could be compared with the database; it is then used if it is the right one, and never if it is not.
func TestP10_comparesAStorageThatWasAwayLater(t *testing.T) {
	t.Parallel()
	for _, engine := range databasetest.SampledEngines(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			bucket := blobtest.NewS3(t)
			use := func(prefix string) apitest.Option {
				return apitest.WithConfig(func(c *config.Serve) { c.Blob = bucket.URL(prefix) })
			}
			refuse := func() {
				bucket.Refuse(func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "storage.json") })
			}
			refuse()
			s := apitest.StartServer(t, engine, use("own"))
			upload := func(s *apitest.Server) string {
				r := s.Do("POST", "/v2/images", apitest.PNG(1), apitest.Header("Content-Type", "image/png"))
				if r.Status == http.StatusCreated {
					return "created"
				}
				return r.Problem()
			}
			if got := upload(s); got != "503 file_storage_unavailable" {
				t.Errorf("an upload before the comparison: %s", got)
			}

			storetest.Eventually(t, "the server is not ready to write", func() bool {
				return s.DoAdmin("GET", "/readyz/write", nil).Status == http.StatusServiceUnavailable
			})
			bucket.Refuse(nil)
			storetest.Eventually(t, "the storage is compared", func() bool { return upload(s) == "created" })
			storetest.Eventually(t, "the server is ready to write", func() bool {
				return s.DoAdmin("GET", "/readyz/write", nil).Status == http.StatusOK
			})

			refuse()
			wrong := s.StartNode(use("wrong"))
			bucket.Refuse(nil)
			storetest.Eventually(t, "the log names the wrong storage", func() bool {
				return strings.Contains(wrong.Log.String(), "the images of this database are in another place")
			})
			if got := upload(wrong); got != "503 file_storage_unavailable" {
				t.Errorf("an upload to the wrong storage: %s", got)
			}

			wrong.Get("/v2/store")

			for _, key := range bucket.Keys() {
				if strings.HasPrefix(key, "wrong/") {
					t.Errorf("the wrong storage has the file %s", key)
				}
			}
		})
	}
}

// With wrong settings, a new database would be created and get the images.
func TestBlob_createsNoDatabase(t *testing.T) {
	t.Parallel()
	inst := newInstallation(t, database.SQLite)
	folder := t.TempDir()
	words := []string{"there is no shop at", "--data"}
	inst.WantFailure(1, words, "blob", "copy", folder)
	inst.WantFailure(1, words, "blob", "accept", "--blob", folder)
	if n := imageFiles(t, folder); n != 0 {
		t.Errorf("the folder has %d files", n)
	}
}

// A backup in the image storage would be deleted with it, and one in the same prefix of a bucket was listed as images.
func TestBackup_refusesATargetInTheImageStorage(t *testing.T) {
	t.Parallel()
	bucket := blobtest.NewS3(t)
	inst := newInstallation(t, database.SQLite)
	p, shop := inst.FirstRun("--blob", bucket.URL("shop/images"))
	uploadTestImage(shop, 1)
	stopServer(p)
	before := bucket.Keys()
	words := []string{"--blob", "another prefix"}

	for _, prefix := range []string{"shop/images", "shop/images/backup", "shop", ""} {
		inst.WantFailure(1, words, "backup", "--blob", bucket.URL("shop/images"), bucket.URL(prefix))
	}

	if after := bucket.Keys(); !slices.Equal(after, before) {
		t.Errorf("refused backups changed the bucket from %q to %q", before, after)
	}

	folder := filepath.Join(t.TempDir(), "images")
	inst.Run("blob", "copy", "--blob", bucket.URL("shop/images"), folder)
	inst.Run("blob", "accept", "--blob", folder)
	for _, target := range []string{folder + "/backup", "file://" + folder} {
		inst.WantFailure(1, words, "backup", "--blob", folder, target)
	}

	inst.WantFailure(1, words, "backup", "--no-images", "--blob", folder, folder+"/backup")

	// Only files of images are copied. The name of the other one is that of a file of the storage.
	apitest.WritePrivateFile(t, filepath.Join(folder, filepath.FromSlash(blob.DiskPath("backup/vitrine.db"))),
		[]byte("mine"))
	target := folder + "-backup"
	inst.Run("backup", "--blob", folder, target)
	if _, err := os.Stat(filepath.Join(target, "images", "backup")); !os.IsNotExist(err) {
		t.Errorf("the backup has a file that is not of an image: %v", err)
	}
	if n := imageFiles(t, filepath.Join(target, "images")); n == 0 {
		t.Error("the backup has no images")
	}
}
