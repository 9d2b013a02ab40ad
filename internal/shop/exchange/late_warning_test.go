package exchange

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/blob"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

func TestPush_warnsOfFailedImageDownload(t *testing.T) {
	host := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(host.Close)
	eachEngine(t, func(s *fixture) {
		s.startDownloader()
		run := s.wantCounts("2: +2 ~0 =0 !0 ?1", Products, payload(
			`{"id": 1, "name": "Lamp", "single_variant": true, "variant_price": 1, "images": [{"id": "unknown"}]}`,
			`{"id": 2, "name": "Shade", "single_variant": true, "variant_price": 1, "images": ["`+host.URL+
				`/a.jpg?key=secret"]}`))
		s.Eventually("the run counts the failed download", func() bool { return s.find(run).Warnings == 2 })
		s.wantNotes(run, "0 1 images[0]:unknown_image; 1 2 images[0]:image_failed")
	})
}

// startDownloader runs an image downloader until the test ends. It may download from the loopback network.
func (s *fixture) startDownloader() {
	s.Helper()
	s.Start(s.addDownloader().Run)
}

// addDownloader makes the service queue the downloads of images, and returns the queue, which is not running.
func (s *fixture) addDownloader() *queue.Queue {
	s.Helper()
	blobs, err := blob.Open(s.Context(), blob.Config{URL: s.TempDir()})
	if err != nil {
		s.Fatal(err)
	}

	loopback := netip.MustParsePrefix("127.0.0.0/8")
	guard := outbound.New(outbound.Config{AllowNets: []netip.Prefix{loopback}, AllowHTTP: true})
	jobs := queue.New(queue.Deps{DB: s.DB, Now: time.Now, Log: s.Service.Log})
	deps := s.Deps
	deps.Catalog = catalog.New(catalog.Deps{Now: time.Now, Guard: guard, Queue: jobs})
	s.Service = New(deps)
	downloader := catalog.NewDownloader(catalog.DownloaderDeps{
		DB: s.DB, Catalog: s.Catalog, Report: s.Runs.WarnLate,
		Files: imagefile.New(imagefile.Deps{DB: s.DB, Blobs: blobs, Now: time.Now, Log: s.Service.Log}),
	})
	jobs.Register(downloader.Kind())
	s.Cleanup(func() {
		guard.CloseIdleConnections()
		_ = blobs.Close()
	})

	return jobs
}

func (s *fixture) find(run Run) (found Run) {
	s.Helper()
	s.Read(func(tx store.Tx) (err error) {
		found, err = s.Runs.Find(s.Context(), tx, s.credential, run.ID)
		return err
	})
	return found
}

// A download can fail while the push that requested it is still being read.
func TestWarnLate_duringRunningPush(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		warnLate := func(runKey int64) {
			s.Helper()
			s.Write(func(tx store.Tx) error {
				return s.Runs.WarnLate(s.Context(), tx, catalog.Origin{RunKey: runKey, Item: 3}, new("x"),
					fault.Field{Field: "images[0]", Code: "image_failed", Message: "gone"})
			})
		}
		run := s.push(Products, payload())
		p := s.Pushes.newPushRun(s.Store.ID, &run)
		const lamp = `, "name": "Lamp", "categories": [1], "single_variant": true, "variant_price": 1}`
		body := payload(`{"id": 1`+lamp, `{"id": 2`+lamp)
		stream := io.NopCloser(strings.NewReader(body))
		for b, err := range p.handler.stream(s.Context(), item.JSON, stream, batchItems, &p.ignored) {
			if err != nil {
				s.Fatal(err)
			}

			for i := range b.items() {
				if err := p.pushBatch(s.Context(), b.slice(i, i+1)); err != nil {
					s.Fatal(err)
				}
				warnLate(run.Key)
			}
		}

		warnLate(run.Key + 1000) // a run that does not exist
		if err := p.finish(s.Context(), nil); err != nil {
			s.Fatal(err)
		}
		if got := s.find(run); got.Warnings != 4 {
			s.Errorf("the run counts %d warnings, want 4", got.Warnings)
		}

		s.wantNotes(run, "0 1 categories[0]:unknown_category; 1 2 categories[0]:unknown_category; "+
			"3 x images[0]:image_failed; 3 x images[0]:image_failed")
	})
}
