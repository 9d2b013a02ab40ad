package exchange

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/store"
)

// insertRun inserts a completed run. The function change, if not nil, modifies the run before it is inserted.
func (s *fixture) insertRun(change func(*Run)) Run {
	s.Helper()
	at := s.now()
	run := Run{ID: id.New[Run](), Params: s.params(Products), Status: Completed, CreatedAt: at, StartedAt: &at,
		FinishedAt: &at}
	if change != nil {
		change(&run)
	}
	s.Write(func(tx store.Tx) error { return insertRun(s.Context(), tx, &run) })
	return run
}

func equalRuns(a, b Run) bool {
	return cmp.Equal(a, b, cmp.AllowUnexported(Run{}, Params{}), cmpopts.EquateEmpty())
}

func TestSaveRun_roundTrips(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		later := s.now().Add(time.Hour)
		for _, change := range []func(*Run){
			nil,
			func(r *Run) {
				r.Status = Queued
				r.StartedAt = nil
				r.FinishedAt = nil
			},
			func(r *Run) {
				r.Params = Params{
					Entity: Prices, Format: item.NDJSON, Credential: r.Credential, Atomic: true, DryRun: true,
					ArchiveMissing: true, MaxArchiveShare: 0.125,
				}
				r.Background = true
			},
			func(r *Run) {
				r.Status = Failed
				r.FinishedAt = &later
				r.Counts = Counts{Received: 9, Created: 1, Updated: 2, Unchanged: 3, Failed: 4, Errors: 5, Warnings: 6}
				r.Archived = 7
				r.IgnoredFields = []string{"variants[].weigth", "\x00", `"`, "имя"}
				r.Ignored = []item.IgnoredField{{Field: "\x00", Count: 2, FirstIndex: new(int64(7)),
					DidYouMean: new("имя")}}
				r.Problem = &RunProblem{Code: "archive_refused", Message: "Too many."}
			},
		} {
			made := s.insertRun(change)
			saved := s.insertRun(nil)
			if got := s.find(made); !equalRuns(got, made) {
				s.Errorf("inserted %+v\nread %+v", made, got)
			}
			if change == nil {
				continue
			}

			was := saved
			change(&saved)
			s.Write(func(tx store.Tx) error { return saveRun(s.Context(), tx, &saved) })
			saved.Params, saved.Background = was.Params, was.Background // saveRun does not update these

			if got := s.find(saved); !equalRuns(got, saved) {
				s.Errorf("saved %+v\nread %+v", saved, got)
			}
		}
	})
}

func TestRuns_listByTokenAndByStoreNewestFirst(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		var mine, all []RunID
		byAnother := func() RunID { return s.insertRun(func(r *Run) { r.Credential = id.New[access.Key]() }).ID }
		for i := range 5 {
			mine = append(mine, s.insertRun(nil).ID)
			all = append(all, mine[i])
			if i == 2 {
				all = append(all, byAnother())
			}
		}

		theirs := byAnother()
		all = append(all, theirs)
		slices.Reverse(mine)
		slices.Reverse(all)
		first, credential := s.Fixture, s.credential
		s.createStore()
		others := s.insertRun(func(r *Run) { r.Credential = credential })

		first.Read(func(tx store.Tx) error {
			for _, c := range []struct {
				what string
				want []RunID
				list func(before int64) ([]Run, int64, error)
				find func(RunID) (Run, error)
				not  []RunID
			}{
				{
					"the token", mine, func(before int64) ([]Run, int64, error) {
						return s.Runs.List(s.Context(), tx, credential, before, 2)
					},
					func(runID RunID) (Run, error) {
						return s.Runs.Find(s.Context(), tx, credential, runID)
					},
					[]RunID{theirs, others.ID, id.New[Run]()},
				},
				{
					"the store", all, func(before int64) ([]Run, int64, error) {
						return s.Runs.ListAll(s.Context(), tx, before, 2)
					},
					func(runID RunID) (Run, error) {
						return s.Runs.FindAny(s.Context(), tx, runID)
					},
					[]RunID{others.ID, id.New[Run]()},
				},
			} {
				var got []RunID
				for before, more := int64(0), true; more; {
					runs, next, err := c.list(before)
					if err != nil {
						return err
					}

					for _, r := range runs {
						got = append(got, r.ID)
					}

					before = next
					more = next != 0
				}

				if !slices.Equal(got, c.want) {
					s.Errorf("%s has %v, want %v", c.what, got, c.want)
				}

				for _, runID := range c.want {
					if found, err := c.find(runID); err != nil || found.ID != runID {
						s.Errorf("%s: run %s is not found: %v", c.what, runID, err)
					}
				}

				for _, runID := range c.not {
					if _, err := c.find(runID); fault.KindOf(err) != fault.NotFound {
						s.Errorf("%s: find of a run that it must not see: %v, want NotFound", c.what, err)
					}
				}
			}

			return nil
		})
	})
}

func TestNotes_orderedByNumberAndRejectsByItem(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		run, other := s.insertRun(nil), s.insertRun(nil)
		note := func(number int64) RunNote {
			return RunNote{Number: number, Index: number * 10, ID: new("x"), Field: "name", Code: "required",
				Message: "Так нельзя."}
		}
		unnamed := note(3)
		unnamed.ID = nil

		s.Write(func(tx store.Tx) error {
			for _, severity := range []Severity{Error, Warning} {
				notes := []RunNote{note(2), unnamed, note(1)}
				if err := insertRunNotes(s.Context(), tx, run.Key, severity, notes); err != nil {
					return err
				}
			}

			if err := insertRunNotes(s.Context(), tx, other.Key, Error, []RunNote{note(1)}); err != nil {
				return err
			}

			if err := insertRunRejects(s.Context(), tx, other.Key,
				[]reject{{index: 0, sent: []byte("other")}}); err != nil {
				return err
			}

			return insertRunRejects(s.Context(), tx, run.Key,
				[]reject{{index: 10, sent: []byte("b")}, {index: 2, sent: []byte("a\x00\xff")}})
		})

		s.Read(func(tx store.Tx) error {
			for _, c := range []struct {
				after, limit, next int64
				want               []RunNote
			}{
				{0, 3, 0, []RunNote{note(1), note(2), unnamed}},
				{0, 2, 2, []RunNote{note(1), note(2)}},
				{2, 2, 0, []RunNote{unnamed}},
				{3, 2, 0, nil},
			} {
				got, next, err := s.Runs.Notes(s.Context(), tx, run, Warning, c.after, c.limit)
				if err != nil || next != c.next || !cmp.Equal(got, c.want, cmpopts.EquateEmpty()) {
					s.Errorf("notes after %d: %+v, next is %d, %v", c.after, got, next, err)
				}
			}

			return nil
		})
		if got := strings.Join(s.rejects(run), "|"); got != "a\x00\xff|b" {
			s.Errorf("rejects are %q", got)
		}
	})
}
