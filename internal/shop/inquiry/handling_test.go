package inquiry

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/storetest"
)

// fixture is a store with the service under test.
type fixture struct {
	*storetest.Fixture
	*Service
}

func eachEngine(t *testing.T, fn func(s *fixture)) {
	t.Helper()
	storetest.Each(t, func(f *storetest.Fixture) {
		fn(&fixture{f, New(Deps{Events: event.New(event.Deps{Now: f.Clock.Now}), Now: f.Clock.Now})})
	})
}

// create creates a callback request and feedback for each name, alternating, a second apart.
func (s *fixture) create(names ...string) (ids []ID) {
	s.Helper()
	for i, name := range names {
		s.Clock.Advance(time.Second)

		s.Write(func(tx store.Tx) error {
			if i%2 == 0 {
				c, err := s.SubmitCallback(s.Context(), tx, s.Store,
					Callback{Name: name, Phone: "+79123456789", Comment: "Sizes?"})
				ids = append(ids[:i], ID(c.ID))
				return err
			}

			f, err := s.SubmitFeedback(s.Context(), tx, s.Store,
				Feedback{Name: name, Email: name + "@example.com", Message: "Thanks", Extra: `"rating":5`})
			ids = append(ids[:i], ID(f.ID))
			return err
		})
	}

	return ids
}

// list returns the names of the inquiries of a part, and the part.
func (s *fixture) list(f HandlingFilter, at *Position, limit int) (names string, p Part) {
	s.Helper()
	s.Read(func(tx store.Tx) (err error) {
		p, err = s.List(s.Context(), tx, f, at, limit)
		return err
	})
	var words []string
	for i := range p.Inquiries {
		words = append(words, p.Inquiries[i].Name)
	}
	return strings.Join(words, " "), p
}

func TestList_mergesTheKindsInBothDirections(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.create("a", "b", "c", "d", "e")

		// At the same time, the kind and the key decide.
		s.Exec("UPDATE callbacks SET created_at = 1000000 WHERE name IN ('c', 'e')")
		s.Exec("UPDATE feedback SET created_at = 1000000 WHERE name = 'd'")
		var seen []string
		names, part := s.list(HandlingFilter{}, nil, 2)

		for {
			seen = append(seen, names)
			if part.Older == nil {
				break
			}
			names, part = s.list(HandlingFilter{}, part.Older, 2)
		}

		if got := strings.Join(seen, ", "); got != "b a, d e, c" {
			s.Errorf("the parts are %q", got)
		}
		if names, part = s.list(HandlingFilter{}, part.Newer, 2); names != "d e" || part.Older == nil {
			s.Errorf("before the last part is %q", names)
		}
		if names, part = s.list(HandlingFilter{}, part.Newer, 2); names != "b a" || part.Newer != nil {
			s.Errorf("the first part is %q", names)
		}

		for q, want := range map[string]string{"sizes": "a e c", "thanks": "b d", "b@example.com": "b", "zzz": ""} {
			if names, _ := s.list(HandlingFilter{Search: q, State: StateNew}, nil, 10); names != want {
				s.Errorf("%q finds %q, want %q", q, names, want)
			}
		}
	})
}

// An inquiry whose text begins with the digits does not hide those whose phone numbers end in them.
func TestList_findsTheEndsOfPhoneNumbers(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.Write(func(tx store.Tx) error {
			for _, c := range []Callback{{Name: "Anna", Phone: "+49300000001", Comment: "Order 6789"},
				{Name: "Boris", Phone: "+49300006789"}, {Name: "Clara", Phone: "+49300030678"}} {
				if _, err := s.SubmitCallback(s.Context(), tx, s.Store, c); err != nil {
					return err
				}
			}
			_, err := s.SubmitFeedback(s.Context(), tx, s.Store, Feedback{Name: "Dora", Phone: "+49301116789",
				Message: "Hello"})
			return err
		})

		for q, want := range map[string]string{"6789": "Dora Boris Anna", "0678": "Clara", "1678": ""} {
			names, _ := s.list(HandlingFilter{Search: q, Tolerant: true}, nil, 10)
			got, wanted := strings.Fields(names), strings.Fields(want)
			if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(wanted))) {
				s.Errorf("%s finds %q, want %q", q, names, want)
			}
		}
	})
}

func TestList_findsALongWord(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		long := strings.Repeat("long", 1000)
		s.Write(func(tx store.Tx) error {
			_, err := s.SubmitFeedback(s.Context(), tx, s.Store, Feedback{Name: "Eve", Message: "Hello " + long})
			return err
		})
		for q, want := range map[string]string{"helol": "Eve", "helo": "Eve", "hallo longlong": "Eve", "hlel": ""} {
			if names, _ := s.list(HandlingFilter{Search: q, Tolerant: true}, nil, 10); names != want {
				s.Errorf("with a typing error, %q finds %q, want %q", q, names, want)
			}
		}

		for q, want := range map[string]string{long: "Eve", long + "er": "", "hello longlong": "Eve"} {
			if names, _ := s.list(HandlingFilter{Search: q}, nil, 10); names != want {
				s.Errorf("%.20s finds %q, want %q", q, names, want)
			}
		}
	})
}

func TestHandling_goesThroughTheStatesAndBack(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		for _, inquiryID := range s.create("Anna", "Boris") {
			var log []string

			step := func(fn func(tx store.Tx) (before, after Inquiry, err error)) {
				s.Helper()
				var after Inquiry
				err := s.TryWrite(func(tx store.Tx) (err error) {
					_, after, err = fn(tx)
					return err
				})
				if err != nil {
					log = append(log, fmt.Sprint(fault.KindOf(err)))
					return
				}

				s.Read(func(tx store.Tx) error {
					stored, err := s.Find(s.Context(), tx, inquiryID)
					if got, want := fmt.Sprintf("%+v", stored), fmt.Sprintf("%+v", after); len(got) != len(want) {
						s.Errorf("stored is %s, want %s", got, want)
					}
					log = append(log, fmt.Sprintf("%s %s v%d", stored.State, stored.Handler, stored.Version))
					return err
				})
			}

			take := func(who string) func(tx store.Tx) (before, after Inquiry, err error) {
				return func(tx store.Tx) (before, after Inquiry, err error) {
					return s.Take(s.Context(), tx, inquiryID, who, nil)
				}
			}
			finish := func(tx store.Tx) (before, after Inquiry, err error) {
				return s.Finish(s.Context(), tx, inquiryID, "c@x", nil)
			}
			reopen := func(tx store.Tx) (before, after Inquiry, err error) {
				return s.Reopen(s.Context(), tx, inquiryID, nil, nil)
			}
			step(reopen)
			step(finish)
			step(reopen)
			step(take("a@x"))
			step(take("b@x"))
			step(finish)
			step(finish)
			step(take("a@x"))
			step(reopen)
			step(reopen)
			step(func(tx store.Tx) (before, after Inquiry, err error) {
				return s.SetNote(s.Context(), tx, inquiryID, "Call on Monday", func(v int64) bool { return v == 1 })
			})
			want := fmt.Sprint("Conflict, done c@x v2, new  v3, taken a@x v4, taken b@x v5, done b@x v6, Conflict, ",
				"Conflict, taken b@x v7, new  v8, Stale")
			want = strings.NewReplacer("Conflict", fmt.Sprint(fault.Conflict), "Stale",
				fmt.Sprint(fault.Stale)).Replace(want)
			if got := strings.Join(log, ", "); got != want {
				s.Errorf("the steps are\n%s, want\n%s", got, want)
			}
		}
	})
}

func TestSetNote_refusesATooLongOne(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		inquiryID := s.create("Anna")[0]
		for note, want := range map[string]bool{
			strings.Repeat("я", MaxNoteLength): true, strings.Repeat("я", MaxNoteLength+1): false,
		} {
			err := s.TryWrite(func(tx store.Tx) error {
				_, _, err := s.SetNote(s.Context(), tx, inquiryID, note, nil)
				return err
			})
			if (err == nil) != want || err != nil && fault.KindOf(err) != fault.Invalid {
				s.Errorf("a note of %d bytes: %v", len(note), err)
			}
		}
	})
}

func TestCountStates_countsBothKinds(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		ids := s.create("a", "b", "c")
		s.Write(func(tx store.Tx) error {
			_, _, err := s.Take(s.Context(), tx, ids[1], "a@x", nil)
			return err
		})
		s.Read(func(tx store.Tx) error {
			counts, err := s.CountStates(s.Context(), tx)
			if fmt.Sprint(counts) != "map[done:0 new:2 taken:1]" {
				s.Errorf("the counts are %v", counts)
			}
			return err
		})
	})
}

func TestWithContact_findsInquiriesByAddress(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.create("a", "b", "c", "d")

		s.Read(func(tx store.Tx) error {
			list, err := s.WithContact(s.Context(), tx, []string{"b@example.com", "+79123456789", "+79123456789"}, 10)
			names := ""
			for i := range list {
				names += list[i].Name
			}

			if names != "cba" {
				s.Errorf("found %q, want cba", names)
			}

			return err
		})

		s.Read(func(tx store.Tx) error {
			list, err := s.WithContact(s.Context(), tx, nil, 10)
			if len(list) != 0 {
				s.Errorf("nobody has %d inquiries", len(list))
			}
			return err
		})
	})
}
