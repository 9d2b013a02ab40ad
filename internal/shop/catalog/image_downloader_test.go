package catalog_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/picture"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/blobtest"
)

func TestPushedImages_areAddedAfterThoseOfTheProduct(t *testing.T) {
	eachDownloadFixture(t, func(s *downloadFixture) {
		s.serveImage("a", 11)
		s.serveImage("b", 12)
		s.serveImage("c", 13)
		uploaded := s.upload() // 4 pixels wide
		first := s.productPush("1", AddImages, s.imageAt("a"), ImagePush{ID: uploaded.ID.String()}, s.imageAt("b"),
			s.imageAt("a"))
		p := s.pushOne("created", first)
		s.wantImages(p.ID, 4)
		s.runJobs()

		after := s.wantImages(p.ID, 11, 4, 12)
		if after.Version <= p.Version || !after.UpdatedAt.Equal(p.UpdatedAt) {
			s.Errorf("the product has version %d of %s, had version %d of %s", after.Version, after.UpdatedAt,
				p.Version, p.UpdatedAt)
		}

		s.wantOutcomes("unchanged", first)
		if s.runJobs(); s.requests("a") != 1 || s.requests("b") != 1 {
			s.Errorf("%d and %d requests, want one each", s.requests("a"), s.requests("b"))
		}

		// If the product already has the image of a pushed URL, the image keeps its position, and the URL is requested
		// again. The other images are added at the end.
		s.pushOne("updated", s.productPush("1", AddImages, s.imageAt("c"), s.imageAt("b")))
		s.runJobs()
		again := s.wantImages(p.ID, 11, 4, 12, 13)
		if !slices.Equal(shownIDs(again)[:3], shownIDs(after)) || s.requests("b") != 2 || s.requests("a") != 1 {
			s.Errorf("the images are %v, were %v; b was requested %d times, want 2", shownIDs(again), shownIDs(after),
				s.requests("b"))
		}

		// Another product gets an image of its own from the same URL.
		other := s.pushOne("created", s.productPush("2", AddImages, s.imageAt("a")))
		s.runJobs()
		if shownIDs(s.wantImages(other.ID, 11))[0] == shownIDs(again)[0] {
			s.Error("two products share an image")
		}

		s.pushOne("updated", s.productPush("1", RemoveImages, s.imageAt("a")))
		s.runJobs()
		s.wantImages(p.ID)
		s.wantImages(other.ID, 11)
		s.wantReports()
		s.wantNoLeftovers()
	})
}

func TestPushedImages_areRequestedAgainConditionally(t *testing.T) {
	eachDownloadFixture(t, func(s *downloadFixture) {
		mark := `"1"`
		width := 11
		s.serve("a", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", mark)
			if r.Header.Get("If-None-Match") == mark {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			_, _ = w.Write(blobtest.EncodePNG(width, 4, 1))
		})
		s.serveImage("b", 12)

		ask := func(conditions ...string) fullProduct {
			s.Helper()
			p := s.pushOne("updated", s.productPush("1", AddImages, s.imageAt("a"), s.imageAt("b")))
			before := shownIDs(p)
			s.runJobs()
			if after := s.load(p.ID); !slices.Equal(shownIDs(after), before) || after.Version != p.Version {
				s.Errorf("%v: the images are %v in version %d, were %v in version %d", conditions, shownIDs(after),
					after.Version, before, p.Version)
			}

			return p
		}

		p := s.pushOne("created", s.productPush("1", AddImages, s.imageAt("a"), s.imageAt("b")))
		s.runJobs()
		old := shownIDs(s.wantImages(p.ID, 11, 12))
		ask("not modified")
		mark = `"2"`
		ask("the same bytes with another ETag")

		if s.requests("a") != 3 {
			s.Errorf("a was requested %d times, want 3", s.requests("a"))
		}

		mark = `"3"`
		width = 21
		s.pushOne("updated", s.productPush("1", AddImages, s.imageAt("a"), s.imageAt("b")))
		s.runJobs()

		now := shownIDs(s.wantImages(p.ID, 21, 12))
		if now[0] == old[0] || now[1] != old[1] {
			s.Errorf("the images are %v, were %v", now, old)
		}

		ask("not modified after a change")

		// Through the API, the image of a is detached and the image of b is deleted. Both are downloaded again. The
		// request for a has no If-None-Match, or the host would not send the bytes.
		s.mustEdit(p.ID, ProductEdit{Images: &[]ImageID{now[1]}})
		s.must(s.deleteImage(now[1]))
		s.pushOne("updated", s.productPush("1", AddImages, s.imageAt("a"), s.imageAt("b")))
		s.runJobs()
		s.wantImages(p.ID, 21, 12)
		s.wantReports()
		s.wantNoLeftovers()
	})
}

func TestPushedImages_withTheSameBytesAreOneImage(t *testing.T) {
	eachDownloadFixture(t, func(s *downloadFixture) {
		s.serveImage("a", 4)
		s.serveImage("b", 4)
		free, err := s.create(s.store(blobtest.EncodePNG(4, 4, 1)), ImageEdit{ExternalID: new("ours")})
		if err != nil {
			s.Fatal(err)
		}

		p := s.pushOne("created", s.productPush("1", AddImages, ImagePush{ID: "ours"}, s.imageAt("a"), s.imageAt("b")))
		s.runJobs()
		if got := shownIDs(s.wantImages(p.ID, 4)); got[0] != free.ID {
			s.Errorf("the images are %v", got)
		}

		replace := func(widths ...int64) {
			s.Helper()
			s.pushOne("updated", s.productPush("1", ReplaceImages, s.imageAt("a"), s.imageAt("b")))
			s.runJobs()
			s.wantImages(p.ID, widths...)
		}

		// The image was pushed by its id, so it stays when the URL returns other bytes.
		s.serveImage("a", 11)
		s.pushOne("updated", s.productPush("1", AddImages, s.imageAt("a")))
		s.runJobs()
		s.wantImages(p.ID, 4, 11)

		// An image that is listed only by its URLs is deleted when the last of them returns other bytes.
		replace(11, 4)
		s.serveImage("b", 12)
		replace(11, 12)

		// Both URLs return the same bytes, and then different ones again.
		s.serveImage("b", 11)
		replace(11)
		s.serveImage("a", 13)
		replace(13, 11)
		s.serveImage("b", 14)
		replace(13, 14)
		s.wantNoLeftovers()
	})
}

func TestPushedImages_replaceOthersAfterTheDownloads(t *testing.T) {
	eachDownloadFixture(t, func(s *downloadFixture) {
		for i, name := range []string{"a", "b", "c"} {
			s.serveImage(name, 11+i)
			s.serveImage("moved/"+name, 11+i)
		}

		p := s.pushOne("created", s.productPush("1", ReplaceImages, s.imageAt("a"), s.imageAt("b"), s.imageAt("c")))
		s.runJobs()
		old := shownIDs(s.wantImages(p.ID, 11, 12, 13))

		// The host has moved its files. The images keep their ids and get the new order; until the downloads end, all
		// old images are shown.
		s.pushOne("updated", s.productPush("1", ReplaceImages, s.imageAt("moved/c"), s.imageAt("moved/a")))
		s.wantImages(p.ID, 11, 12, 13)
		s.runJobs()

		if now := shownIDs(s.wantImages(p.ID, 13, 11)); !slices.Equal(now, []ImageID{old[2], old[0]}) {
			s.Errorf("the images are %v, were %v", now, old)
		}

		// Images that the product has are reordered at once, and others are removed at once.
		s.pushOne("updated", s.productPush("1", ReplaceImages, s.imageAt("moved/a"), s.imageAt("moved/c")))
		s.wantImages(p.ID, 11, 13)
		s.pushOne("updated", s.productPush("1", ReplaceImages, s.imageAt("moved/c")))
		s.wantImages(p.ID, 13)
		s.runJobs()

		// A failed download does not stop the removal of other images.
		s.pushOne("updated", s.productPush("1", ReplaceImages, s.imageAt("b"), s.imageAt("none")))
		s.wantImages(p.ID, 13)
		s.runJobs()
		s.wantImages(p.ID, 12)
		s.wantReports("1: 7/5 images[1] image_failed The image at " + s.server.URL +
			"/none was not taken: The server answered 404.")

		// A second push replaces the list before anything was downloaded.
		s.pushOne("updated", s.productPush("1", ReplaceImages, s.imageAt("a")))
		s.wantImages(p.ID, 12)
		s.pushOne("updated", s.productPush("1", ReplaceImages, s.imageAt("c"), s.imageAt("b")))
		s.runJobs()
		s.wantImages(p.ID, 13, 12)

		if s.requests("a") != 1 {
			s.Errorf("a was requested %d times, want 1", s.requests("a"))
		}

		// If an edit through the API lists images that were to be removed, they stay.
		s.pushOne("updated", s.productPush("1", ReplaceImages, s.imageAt("a")))
		s.mustEdit(p.ID, ProductEdit{Images: new(shownIDs(s.load(p.ID)))})
		s.runJobs()
		s.wantImages(p.ID, 13, 11, 12)
		s.pushOne("updated", s.productPush("1", ReplaceImages))
		s.wantImages(p.ID)
		s.wantNoLeftovers()
	})
}

func TestPushedImages_byIDMustHaveNoOwner(t *testing.T) {
	eachDownloadFixture(t, func(s *downloadFixture) {
		byID, err := s.create(s.store(blobtest.EncodePNG(11, 4, 1)), ImageEdit{})
		if err != nil {
			s.Fatal(err)
		}

		byExternal, err := s.create(s.store(blobtest.EncodePNG(12, 4, 1)),
			ImageEdit{ExternalID: new("0198f3a0-0000-7000-8000-000000000001")})
		s.must(err)
		taken := s.mustCreate(withImages(s.upload())).Images[0]
		other := s.otherStore()
		foreign := &imageFixture{catalogFixture: other, files: s.files, blobs: s.blobs}
		elsewhere := foreign.upload()
		list := []ImagePush{
			{ID: taken.ID.String()}, {ID: elsewhere.ID.String()}, {ID: "nobody's"},
			{ID: strings.ToUpper(byID.ID.String())}, {ID: *byExternal.ExternalID},
		}
		out := outcomes(s.push(s.productPush("1", AddImages, list...),
			s.productPush("2", AddImages, ImagePush{ID: byID.ID.String()})))

		want := []string{
			"created ~images[0]:image_taken ~images[1]:unknown_image ~images[2]:unknown_image",
			"created ~images[0]:image_taken",
		}
		if !slices.Equal(out, want) {
			s.Errorf("outcomes are %q, want %q", out, want)
		}

		var keys map[string]int64
		s.Read(func(tx store.Tx) (err error) {
			keys, err = s.Products.KeysByExternalID(s.Context(), tx, []string{"1", "2"})
			return err
		})
		p := s.productByKey(keys["1"])
		if !slices.Equal(shownIDs(p), []ImageID{byID.ID, byExternal.ID}) || s.image(byID.ID).Version != byID.Version+1 {
			s.Errorf("the images are %v", shownIDs(p))
		}

		s.pushOne("updated", s.productPush("1", ReplaceImages, ImagePush{ID: byExternal.ID.String()},
			ImagePush{ID: byID.ID.String()}, ImagePush{ID: byID.ID.String()}))
		s.wantImages(p.ID, 12, 11)

		if im := s.image(taken.ID); im.ProductID == nil {
			s.Error("the image of another product lost its owner")
		}

		foreign.image(elsewhere.ID)
	})
}

func TestPushedImages_thatFailAreReported(t *testing.T) {
	eachDownloadFixture(t, func(s *downloadFixture) {
		s.serve("text", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<svg/>")) })
		s.serve("inside", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://10.0.0.1/secret", http.StatusFound)
		})
		s.serve("large",
			func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, imagefile.MaxBytes+1)) })
		s.serve("busy", func(w http.ResponseWriter, _ *http.Request) {
			if s.requests("busy") < 3 {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			_, _ = w.Write(blobtest.EncodePNG(11, 4, 1))
		})
		s.serve("down", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
		sent := s.productPush("1", AddImages, s.imageAt("none?token=secret"), s.imageAt("busy"), s.imageAt("text"),
			s.imageAt("inside"), s.imageAt("large"), s.imageAt("down"),
			ImagePush{URL: "ftp://shop.example/a.jpg"}, ImagePush{URL: "http://10.0.0.1/a.jpg"})
		p := s.pushOne("created ~images[6]:invalid_url ~images[7]:forbidden_address", sent)
		s.runJobs()
		s.wantImages(p.ID, 11)
		base := "1: 7/1 images[%] image_failed The image at " + s.server.URL + "/"

		s.wantReports(
			strings.Replace(base, "%", "0", 1)+"none was not taken: The server answered 404.",
			strings.Replace(base, "%", "2", 1)+
				"text was not taken: This is no JPEG, PNG, WebP or GIF. Save the image in one of these formats and "+
				"send it again.",
			strings.Replace(base, "%", "3", 1)+"inside was not taken: The address is not allowed.",
			strings.Replace(base, "%", "4", 1)+"large was not taken: The file is longer than 10485760 bytes.",
			strings.Replace(base, "%", "5", 1)+"down was not taken: The server answered 503.",
		)

		if n := s.Count("image_sources WHERE state = 'failed'"); n != 5 || s.requests("down") != 5 ||
			s.requests("text") != 1 {
			s.Errorf("%d sources failed after %d and %d requests, want 5 after 5 and 1", n, s.requests("down"),
				s.requests("text"))
		}

		// The same push requests the failed downloads again.
		s.serveImage("down", 12)
		s.pushOne("updated ~images[6]:invalid_url ~images[7]:forbidden_address", sent)
		s.runJobs()
		s.wantImages(p.ID, 11, 12)

		if len(s.reports) != 4 {
			s.Errorf("reports are %v, want 4", s.reports)
		}

		s.wantNoLeftovers()

		s.SetDownloads(nil, nil)
		s.pushOne("updated ~images[0]:images_unavailable", s.productPush("1", AddImages, s.imageAt("a")))
	})
}

// If the product or the source is deleted during a download, nothing is attached and nothing is left behind.
func TestDownloads_attachNothingAfterADeletion(t *testing.T) {
	cases := map[string]func(s *downloadFixture, p fullProduct){
		"the product is deleted": func(s *downloadFixture, p fullProduct) {
			s.Write(func(tx store.Tx) error {
				return s.Products.Delete(s.Context(), tx, p.ID, nil)
			})
		},
		"the images are removed": func(s *downloadFixture, _ fullProduct) { s.push(s.productPush("1", RemoveImages)) },
		"the list is replaced": func(s *downloadFixture, _ fullProduct) {
			s.push(s.productPush("1", ReplaceImages, s.imageAt("none")))
		},
	}

	eachDownloadFixture(t, func(s *downloadFixture) {
		s.serveImage("known", 4)

		for name, change := range cases {
			p := s.pushOne("created", s.productPush("1", AddImages, s.imageAt("known")))
			s.runJobs()
			s.serve("slow", func(w http.ResponseWriter, _ *http.Request) {
				change(s, p)
				_, _ = w.Write(blobtest.EncodePNG(11, 4, 1))
			})
			s.pushOne("updated", s.productPush("1", AddImages, s.imageAt("slow")))
			s.runJobs()

			if n := s.Count("images WHERE width = 11"); n != 0 || s.requests("slow") != 1 {
				s.Errorf("%s: there are %d images after %d requests", name, n, s.requests("slow"))
			}

			s.wantNoLeftovers()

			if s.Count("products") > 0 {
				s.Write(func(tx store.Tx) error {
					return s.Products.Delete(s.Context(), tx, p.ID, nil)
				})
			}

			if images, sources := s.Count("images"), s.Count("image_sources"); images+sources != 0 {
				s.Errorf("%s: %d images and %d sources are left", name, images, sources)
			}
		}
	})
}

func TestDownloads_dropTheResultIfTheImageWasDeleted(t *testing.T) {
	eachDownloadFixture(t, func(s *downloadFixture) {
		s.serveImage("a", 11)
		p := s.pushOne("created", s.productPush("1", AddImages, s.imageAt("a")))
		s.runJobs()
		s.serve("a", func(w http.ResponseWriter, _ *http.Request) {
			if err := s.deleteImage(s.load(p.ID).Images[0].ID); err != nil {
				s.Error(err)
			}

			_, _ = w.Write(blobtest.EncodePNG(12, 4, 1))
		})
		s.pushOne("updated", s.productPush("1", AddImages, s.imageAt("a")))
		s.runJobs()
		s.wantImages(p.ID)
		s.wantReports()
		s.wantNoLeftovers()
	})
}

// A process that stops while it stores the bytes of an image leaves an orphan, which is removed after an hour. The next
// process repeats the download.
func TestH5_downloadsAreNotGivenUpBecauseOfTheLoad(t *testing.T) {
	eachDownloadFixture(t, func(s *downloadFixture) {
		s.serveImage("a", 11)
		busy := 2 * len(s.downloader.Kind().Retries)
		s.blobs.BeforePut = func(name string) error {
			if busy--; busy >= 0 {
				return blobtest.Unavailable(name)
			}
			return nil
		}
		p := s.pushOne("created", s.productPush("1", AddImages, s.imageAt("a")))
		s.runJobs()
		s.wantImages(p.ID, 11)
		s.wantReports()

		slow := fault.OneField("file", picture.TooComplex, "It took too long.")
		if err := s.downloader.StoreRetryError(slow); err != slow { //nolint:errorlint // the error itself, not wrapped
			s.Errorf("after an image that took too long: %v, want a retry", err)
		}
	})
}

func TestDownloads_areRepeatedAfterARestart(t *testing.T) {
	eachDownloadFixture(t, func(s *downloadFixture) {
		s.serveImage("a", 11)
		p := s.pushOne("created", s.productPush("1", AddImages, s.imageAt("a")))
		stored := make(chan struct{})
		ctx, stop := context.WithCancel(s.Context())
		s.blobs.BeforePut = func(string) error {
			stop()
			close(stored)
			return nil
		}
		s.must(s.queue.Run(ctx))
		<-stored
		s.blobs.BeforePut = nil
		s.newQueue()

		if s.Count("images") != 0 || s.Count("image_leftovers") != 1 || s.Count("jobs") != 1 {
			s.Errorf("%d images, %d orphan rows, %d jobs, want 0, 1, 1", s.Count("images"), s.Count("image_leftovers"),
				s.Count("jobs"))
		}

		s.runJobs()
		s.wantImages(p.ID, 11)
		s.removeOrphans(2 * time.Hour)
		s.wantFiles(s.image(s.load(p.ID).Images[0].ID))
	})
}

func TestPushProducts_numberOfStatementsForImagesIsConstant(t *testing.T) {
	eachDownloadFixture(t, func(s *downloadFixture) {
		push := func(n int) int {
			var items []ProductPush
			for i := range n {
				p := s.productPush(string(rune('a'+i)), ReplaceImages, s.imageAt("a"), ImagePush{ID: "x"},
					s.imageAt(string(rune('b'+i))))
				p.Digest = digestOf(*p.Name)
				items = append(items, p)
			}
			return len(statementsOf(s.catalogFixture, s.Pushes.ApplyProducts, items))
		}

		push(5)
		if one, many := push(1), push(5); one != many {
			s.Errorf("%d statements for one item, %d for five", one, many)
		}
	})
}

func TestDownloads_runAgainIfRequestedWhileRunning(t *testing.T) {
	eachDownloadFixture(t, func(s *downloadFixture) {
		s.serve("a", func(w http.ResponseWriter, _ *http.Request) {
			first := s.requests("a") == 1
			if first {
				// Request the file again while the first response is on its way.
				s.push(s.productPush("1", AddImages, s.imageAt("a")))
			}
			_, _ = w.Write(blobtest.EncodePNG(map[bool]int{true: 11, false: 12}[first], 4, 1))
		})
		p := s.pushOne("created", s.productPush("1", AddImages, s.imageAt("a")))
		s.runJobs()
		s.wantImages(p.ID, 12)
		s.wantNoLeftovers()
	})
}

// Lock order: a push locks its run before the store's row in catalog_versions. The transaction that gives up a download
// must do the same.
func TestDownloads_lockTheRunBeforeTheVersionRow(t *testing.T) {
	eachDownloadFixture(t, func(s *downloadFixture) {
		if s.DB.Engine() != database.Postgres {
			return // SQLite has one writer at a time
		}

		s.serveImage("a", 11)
		p := s.pushOne("created", s.productPush("1", ReplaceImages, s.imageAt("a")))
		s.runJobs()
		free := 0

		s.downloader.Report = func(
			ctx context.Context, tx store.Tx, from Origin, externalID *string, f fault.Field,
		) error {
			s.Write(func(tx store.Tx) error {
				return database.QueryEach(ctx, tx.Unscoped(),
					"SELECT store_id FROM catalog_versions WHERE store_id = $1 FOR UPDATE SKIP LOCKED",
					[]any{tx.StoreID()}, func(database.Rows) error {
						free++
						return nil
					})
			})

			return s.report(ctx, tx, from, externalID, f)
		}

		s.pushOne("updated", s.productPush("1", ReplaceImages, s.imageAt("none")))
		s.runJobs()
		s.wantImages(p.ID, 11) // no new image could be read, so the old one stays

		if free != 1 || len(s.reports) != 1 {
			s.Errorf("catalog_versions was not locked in %d reports, want 1; the reports are %v", free, s.reports)
		}
	})
}

// Concurrent pushes, downloads and deletions of images of one product do not deadlock.
func TestDownloads_doNotDeadlockWithPushesAndDeletions(t *testing.T) {
	eachDownloadFixture(t, func(s *downloadFixture) {
		for i, name := range []string{"a", "b", "c", "d"} {
			s.serveImage(name, 11+i)
		}

		p := s.pushOne("created", s.productPush("1", AddImages, s.imageAt("a")))
		n := 0

		s.runJobsUntil(func() bool {
			if n++; n > 16 {
				return s.Count("jobs") == 0
			}

			mode := []ImagesMode{ReplaceImages, AddImages}[n%2]
			s.push(s.productPush("1", mode, s.imageAt(string(rune('a'+n%4))), s.imageAt(string(rune('a'+n%3)))))

			if shown := s.load(p.ID).Images; n%3 == 0 && len(shown) > 0 {
				if err := s.deleteImage(shown[0].ID); err != nil && fault.KindOf(err) != fault.NotFound {
					s.Error(err)
				}
			}

			return false
		})

		s.pushOne("updated", s.productPush("1", ReplaceImages, s.imageAt("d"), s.imageAt("b")))
		s.runJobs()
		s.wantImages(p.ID, 14, 12)
		s.wantReports()
		s.wantNoLeftovers()
	})
}
