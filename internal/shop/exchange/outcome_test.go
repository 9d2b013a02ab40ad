package exchange

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/shop/store"
)

func TestRunOutcome_saysHowAPushEnded(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		want     Outcome
		status   Status
		counts   Counts
		archived int64
	}{
		{"", Queued, Counts{}, 0},
		{"", Running, Counts{Received: 1, Failed: 1}, 0},
		{Clean, Completed, Counts{}, 0},
		{Clean, Completed, Counts{Received: 3, Created: 1, Updated: 1, Unchanged: 1}, 0},
		{WithWarnings, Completed, Counts{Received: 1, Unchanged: 1, Warnings: 1}, 0},
		{WithErrors, Completed, Counts{Received: 2, Unchanged: 1, Failed: 1, Warnings: 1}, 0},
		{WithErrors, Failed, Counts{Received: 2, Created: 2}, 0},
		{WithErrors, Failed, Counts{}, 1},
		{NothingApplied, Completed, Counts{Received: 2, Failed: 2}, 0},
		{NothingApplied, Failed, Counts{Received: 2, Failed: 1, Warnings: 1}, 0},
		{NothingApplied, Failed, Counts{}, 0},
	} {
		run := Run{Status: c.status, Counts: c.counts, Archived: c.archived}
		if c.status == Completed || c.status == Failed {
			run.FinishedAt = &now
		}

		if got := run.Outcome(); got != c.want {
			t.Errorf("%s %+v: the outcome is %q, want %q", c.status, c.counts, got, c.want)
		}
	}
}

// A run says how many of its images are still to be downloaded, in lists too.
func TestRun_countsPendingImages(t *testing.T) {
	host := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(host.Close)

	eachEngine(t, func(s *fixture) {
		jobs := s.addDownloader()
		body := payload(`{"id": 1, "name": "Lamp", "images": ["` + host.URL + `/a.jpg", "` + host.URL + `/b.jpg"]}`)
		planned := s.push(Products, body, dryRun)

		run := s.push(Products, body)
		if run.ImagesPending != 2 || planned.ImagesPending != 0 || s.find(run).ImagesPending != 2 {
			s.Errorf("%d images are pending, %d of the dry run", run.ImagesPending, planned.ImagesPending)
		}

		s.push(Stocks, payload())
		var counts []int64
		s.Read(func(tx store.Tx) error {
			list, _, err := s.Runs.ListAll(s.Context(), tx, 0, 10)
			for _, r := range list {
				counts = append(counts, r.ImagesPending)
			}
			return err
		})
		if !slices.Equal(counts, []int64{0, 2, 0}) {
			s.Errorf("the list of runs counts %v pending images", counts)
		}

		s.Start(jobs.Run)
		s.Eventually("no image is pending", func() bool { return s.find(run).ImagesPending == 0 })
	})
}

// What a push left unread is stored with the run: each member with its count, the first item and what was meant.
func TestRun_keepsIgnoredMembers(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		body := payload(`{"id": 1, "name": "A"}`, `{"id": 2, "name": "B", "nmae": "x"}`,
			`{"id": 3, "name": "C", "nmae": "x"}`)
		for _, option := range []paramOption{func(*Params) {}, atomic, dryRun} {
			run := s.find(s.push(Stocks, body, option))
			if len(run.Ignored) != 1 || !slices.Equal(run.IgnoredFields, []string{"nmae"}) {
				s.Fatalf("ignored %v and %v", run.IgnoredFields, run.Ignored)
			}
			f := run.Ignored[0]
			if f.Field != "nmae" || f.Count != 2 || *f.FirstIndex != 1 || *f.DidYouMean != "name" {
				s.Errorf("ignored %+v", f)
			}
		}
	})
}

// References that wait are listed with the entity that would bring them, and leave the list when it has come.
func TestPending_namesTheEntityThatWouldBringIt(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.push(Products, payload(`{"id": 1, "name": "A", "categories": ["c"], "features": [{"id": "f", "value_id": 7}],
			"single_variant": true, "variant_price": 1, "variant_options": [{"id": "o", "value_id": "x"}]}`))

		pending := func() string {
			var lines []string

			s.Read(func(tx store.Tx) error {
				list, next, err := s.Pushes.Pending(s.Context(), tx, 0, 10)
				if next != 0 {
					s.Errorf("a next page follows at %d", next)
				}

				for _, p := range list {
					line := p.Entity + " " + p.ID
					if p.ValueID != nil {
						line += " " + *p.ValueID
					}
					lines = append(lines, line)
				}

				return err
			})

			slices.Sort(lines)
			return strings.Join(lines, "; ")
		}
		if got := pending(); got != "categories c; features f 7; variant-options o x" {
			s.Errorf("pending are %q", got)
		}

		s.push(Categories, payload(`{"id": "c", "name": "C"}`))
		s.push(Features, payload(`{"id": "f", "name": "F", "values": [{"id": 7, "name": "Seven"}]}`))

		if got := pending(); got != "variant-options o x" {
			s.Errorf("pending are %q", got)
		}
	})
}
