package catalog_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/kit/queue"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/blobtest"
)

// downloadFixture is an imageFixture whose products get images from an HTTP server on the loopback interface. Downloads
// run only during runJobs.
type downloadFixture struct {
	*imageFixture
	*imageHost
	downloader *Downloader
	guard      *outbound.Guard
	queue      *queue.Queue
	mu         sync.Mutex
	reports    map[string]bool // "product: run/item field code message"; a set, as a transaction may be repeated
	n          int
}

func eachDownloadFixture(t *testing.T, fn func(s *downloadFixture)) {
	t.Helper()
	eachImageFixture(t, func(p *imageFixture) {
		s := &downloadFixture{imageFixture: p, imageHost: newImageHost(p), reports: map[string]bool{}}
		s.guard = outbound.New(outbound.Config{AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
			AllowHTTP: true})
		p.Cleanup(s.guard.CloseIdleConnections)
		s.downloader = NewDownloader(DownloaderDeps{DB: p.DB, Catalog: p.Service, Files: p.files, Report: s.report})
		s.downloader.SetBusyDelay(time.Millisecond)
		s.newQueue()
		fn(s)
	})
}

// newQueue replaces the queue, which can be run only once, by a new one that retries at once.
func (s *downloadFixture) newQueue() {
	kind := s.downloader.Kind()
	for i := range kind.Retries {
		kind.Retries[i] = time.Millisecond
	}
	s.queue = queue.New(queue.Deps{DB: s.DB, Now: time.Now}, kind)
	s.SetDownloads(s.guard, s.queue)
}

func (s *downloadFixture) report(_ context.Context, tx store.Tx, from Origin, externalID *string, f fault.Field) error {
	if tx.StoreID() != s.Store.ID || externalID == nil {
		return fmt.Errorf("report about product %v of store %s", externalID, tx.StoreID())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reports[fmt.Sprintf("%s: %d/%d %s %s %s", *externalID, from.RunKey, from.Item, f.Field, f.Code, f.Message)] = true
	return nil
}

// wantReports checks the failures that were reported since the last call of wantReports, in sorted order.
func (s *downloadFixture) wantReports(want ...string) {
	s.Helper()
	if got := slices.Sorted(maps.Keys(s.reports)); !slices.Equal(got, want) {
		s.Errorf("reports:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	clear(s.reports)
}

// runJobs runs the queue until no job is left.
func (s *downloadFixture) runJobs() {
	s.Helper()
	s.runJobsUntil(func() bool { return s.Count("jobs") == 0 })
}

func (s *downloadFixture) runJobsUntil(done func() bool) {
	s.Helper()
	stop := s.Start(s.queue.Run)
	s.Eventually("the downloads end", done)
	stop()
	s.newQueue()
}

// imageAt returns an image with the URL of a file on the host.
func (s *downloadFixture) imageAt(name string) ImagePush {
	return ImagePush{URL: s.server.URL + "/" + name}
}

// productPush returns a push of a product with a new name, so that it never equals an earlier push. It is item s.n of
// run 7.
func (s *downloadFixture) productPush(externalID string, mode ImagesMode, images ...ImagePush) ProductPush {
	s.n++
	return ProductPush{ID: externalID, Name: new(fmt.Sprintf("Lamp %d", s.n)), Images: &ImagesPush{mode, images},
		Origin: Origin{RunKey: 7, Item: int64(s.n)}}
}

// pushOne pushes one product, checks its outcome, and returns the product.
func (s *downloadFixture) pushOne(want string, p ProductPush) fullProduct {
	s.Helper()
	out := s.push(p)
	if got := strings.Join(outcomes(out), "; "); got != want {
		s.Errorf("the outcome of the push is %q, want %q", got, want)
	}
	return s.productByKey(out[0].Key)
}

func (s *downloadFixture) productByKey(key int64) (p fullProduct) {
	s.Helper()
	s.Read(func(tx store.Tx) (err error) {
		p, err = s.readFull(tx, key, Live)
		return err
	})
	return p
}

// shownIDs returns the ids of a product's images in display order.
func shownIDs(p fullProduct) []ImageID { return idsOf(p.Images...) }

// wantImages checks the images of a product by their widths, in display order. Tests give different images different
// widths.
func (s *downloadFixture) wantImages(productID ProductID, widths ...int64) fullProduct {
	s.Helper()
	p := s.load(productID)
	got := make([]int64, len(p.Images))
	for i, im := range p.Images {
		got[i] = im.Width
	}
	if !slices.Equal(got, widths) {
		s.Errorf("the images have the widths %v, want %v", got, widths)
	}
	return p
}

// wantNoLeftovers checks that there are as many stored files as images, and that there is no orphan, no image that is
// still to be removed, and no source whose image is missing.
func (s *downloadFixture) wantNoLeftovers() {
	s.Helper()
	s.removeOrphans(2 * time.Hour)
	if files, images := int64(len(s.blobs.Files())), s.Count("images"); files != images {
		s.Errorf("%d files are stored for %d images", files, images)
	}
	for what, table := range map[string]string{
		"orphan rows": "image_leftovers", "images to be removed": "images WHERE leaving",
		"sources without their image": `image_sources s WHERE image_key IS NOT NULL
			AND (SELECT COUNT(*) FROM images i WHERE i.key = s.image_key) = 0`,
	} {
		if n := s.Count(table); n != 0 {
			s.Errorf("%d %s are left", n, what)
		}
	}
}

// imageHost is an HTTP server of image files that counts the requests for each file.
type imageHost struct {
	server        *httptest.Server
	mu            sync.Mutex
	handlers      map[string]http.HandlerFunc
	requestCounts map[string]int
}

func newImageHost(t testing.TB) *imageHost {
	h := &imageHost{handlers: map[string]http.HandlerFunc{}, requestCounts: map[string]int{}}
	h.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		name := strings.TrimPrefix(r.URL.Path, "/")
		h.requestCounts[name]++
		file := h.handlers[name]
		h.mu.Unlock()
		if file == nil {
			http.NotFound(w, r)
			return
		}
		file(w, r)
	}))
	t.Cleanup(h.server.Close)
	return h
}

// serve registers the handler of a file and resets its count.
func (h *imageHost) serve(name string, fn http.HandlerFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.handlers[name] = fn
	delete(h.requestCounts, name)
}

// serveImage serves an image of this width as a file.
func (h *imageHost) serveImage(name string, width int) {
	content := blobtest.EncodePNG(width, 4, 1)
	h.serve(name, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content) })
}

// requests returns the number of requests for a file since it was registered.
func (h *imageHost) requests(name string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.requestCounts[name]
}
