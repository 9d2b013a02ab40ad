package exchange

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"vitrine/internal/access"
	"vitrine/internal/fault"
	"vitrine/internal/id"
)

// stored makes a run by hand, as it is made with these changes.
func (s *gateShop) stored(change func(*Run)) Run {
	s.Helper()
	at := s.now()
	run := Run{ID: id.New[Run](), Params: s.params(Products), Status: Completed, CreatedAt: at, StartedAt: &at, FinishedAt: &at}
	if change != nil {
		change(&run)
	}
	s.inWrite(func(q querier) error { return insertRun(s.Context(), q, s.storeID, &run) })
	return run
}

func (s *gateShop) inWrite(fn func(q querier) error) {
	s.Helper()
	if err := s.DB.Write(s.Context(), fn); err != nil {
		s.Fatal(err)
	}
}

func (s *gateShop) inRead(fn func(q querier) error) {
	s.Helper()
	if err := s.DB.Read(s.Context(), fn); err != nil {
		s.Fatal(err)
	}
}

func sameRun(a, b Run) bool {
	return cmp.Equal(a, b, cmp.AllowUnexported(Run{}), cmpopts.EquateEmpty())
}

func TestRun_keepsWhatIsSaved(t *testing.T) {
	eachGateShop(t, func(s *gateShop) {
		later := s.now().Add(time.Hour)
		for _, change := range []func(*Run){
			nil,
			func(r *Run) { r.Status, r.StartedAt, r.FinishedAt = Queued, nil, nil },
			func(r *Run) {
				r.Params = Params{Entity: Prices, Format: NDJSON, Credential: r.Credential, Atomic: true, DryRun: true, ArchiveMissing: true, MaxArchiveShare: 0.125}
				r.Background = true
			},
			func(r *Run) {
				r.Status, r.FinishedAt = Broken, &later
				r.Counts = Counts{Received: 9, Created: 1, Updated: 2, Unchanged: 3, Failed: 4, Errors: 5, Warnings: 6}
				r.Archived, r.IgnoredFields = 7, []string{"variants[].weigth", "\x00", `"`, "имя"}
				r.Problem = &Problem{Code: "archive_refused", Message: "Too many."}
			},
		} {
			made, saved := s.stored(change), s.stored(nil)
			if got := s.find(made); !sameRun(got, made) {
				s.Errorf("made %+v\nread %+v", made, got)
			}
			if change == nil {
				continue
			}
			was := saved
			change(&saved)
			s.inWrite(func(q querier) error { return saveRun(s.Context(), q, s.storeID, &saved) })
			saved.Params, saved.Background = was.Params, was.Background // what a run was made with stays
			if got := s.find(saved); !sameRun(got, saved) {
				s.Errorf("saved %+v\nread %+v", saved, got)
			}
		}
	})
}

func TestRuns_areThoseOfTheTokenTheNewestFirst(t *testing.T) {
	eachGateShop(t, func(s *gateShop) {
		var mine []RunID
		for i := range 5 {
			mine = append(mine, s.stored(nil).ID)
			if i == 2 {
				s.stored(func(r *Run) { r.Credential = id.New[access.Key]() })
			}
		}
		slices.Reverse(mine)
		theirs := s.stored(func(r *Run) { r.Credential = id.New[access.Key]() })
		storeID, credential := s.storeID, s.credential
		s.another()
		others := s.stored(func(r *Run) { r.Credential = credential })
		s.inRead(func(q querier) error {
			var got []RunID
			for before, more := int64(0), true; more; {
				runs, err := s.Runs(s.Context(), q, storeID, credential, before, 2)
				if err != nil {
					return err
				}
				for _, r := range runs {
					got, before = append(got, r.ID), r.Key
				}
				more = len(runs) == 2
			}
			if !slices.Equal(got, mine) {
				s.Errorf("listed %v, want %v", got, mine)
			}
			for _, runID := range []RunID{theirs.ID, others.ID, id.New[Run]()} {
				if _, err := s.Find(s.Context(), q, storeID, credential, runID); fault.KindOf(err) != fault.NotFound {
					s.Errorf("another's run is found: %v", err)
				}
			}
			return nil
		})
	})
}

func TestNotes_comeByNumberAndRejectsByItem(t *testing.T) {
	eachGateShop(t, func(s *gateShop) {
		run, other := s.stored(nil), s.stored(nil)
		note := func(number int64) Note {
			return Note{Number: number, Index: number * 10, ID: new("x"), Field: "name", Code: "required", Message: "Так нельзя."}
		}
		unnamed := note(3)
		unnamed.ID = nil
		s.inWrite(func(q querier) error {
			for _, severity := range []Severity{Error, Warning} {
				if err := insertNotes(s.Context(), q, s.storeID, run.Key, severity, []Note{note(2), unnamed, note(1)}); err != nil {
					return err
				}
			}
			if err := insertNotes(s.Context(), q, s.storeID, other.Key, Error, []Note{note(1)}); err != nil {
				return err
			}
			if err := insertRejects(s.Context(), q, s.storeID, other.Key, []reject{{0, []byte("other")}}); err != nil {
				return err
			}
			return insertRejects(s.Context(), q, s.storeID, run.Key, []reject{{10, []byte("b")}, {2, []byte("a\x00\xff")}})
		})
		s.inRead(func(q querier) error {
			for _, c := range []struct {
				after, limit int64
				want         []Note
			}{
				{0, 10, []Note{note(1), note(2), unnamed}}, {0, 2, []Note{note(1), note(2)}}, {2, 2, []Note{unnamed}}, {3, 2, nil},
			} {
				got, err := s.Notes(s.Context(), q, s.storeID, run, Warning, c.after, c.limit)
				if err != nil || !cmp.Equal(got, c.want) {
					s.Errorf("after %d come %+v, %v", c.after, got, err)
				}
			}
			return nil
		})
		if got := strings.Join(s.rejected(run), "|"); got != "a\x00\xff|b" {
			s.Errorf("rejects are %q", got)
		}
	})
}
