package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/fault"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/store"
)

// stageLen is more than two batches of Stage.
const stageLen = 2*LongList + 5

// manyValues returns an edit with stageLen values, which have external ids, and then more.
func manyValues(name string, more ...ValueEdit) AttributeEdit {
	values := make([]ValueEdit, stageLen, stageLen+len(more))
	for i := range values {
		externalID := fmt.Sprint(i)
		values[i] = ValueEdit{Name: fmt.Sprint("v", i), ExternalID: &externalID}
	}
	externalID := "long"
	return AttributeEdit{Name: &name, ExternalID: &externalID, Values: ListOf(append(values, more...)...),
		ExternalValues: true}
}

func (s *catalogFixture) stage(kind Kind, e AttributeEdit) *Staged {
	s.Helper()
	staged, err := s.Attributes.Stage(s.Context(), s.DB, s.Store.ID, kind, e)
	if err != nil {
		s.Fatal(err)
	}
	return staged
}

// wantListed checks how many options or features the store has.
func (s *catalogFixture) wantListed(kind Kind, want int64) {
	s.Helper()
	s.Read(func(tx store.Tx) error {
		list, total, err := s.Attributes.List(s.Context(), tx, kind, "", 10, 0)
		if int64(len(list)) != want || total != want {
			s.Errorf("%d %ss are listed and %d counted, want %d", len(list), kind.Noun(), total, want)
		}
		return err
	})
}

// faultText returns an error with its fields, without its context.
func faultText(err error) string {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return fmt.Sprint(err)
	}
	return fmt.Sprint(f.Kind, f.Code, f.Message, f.Fields)
}

// The values of a staged attribute are written in several transactions. Nobody sees it before CreateStaged.
func TestM2_stagedAttributeIsInvisibleUntilItIsCreated(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		for _, kind := range []Kind{Option, Feature} {
			e := manyValues("Long")
			staged := s.stage(kind, e)
			if n := s.Count("attribute_values WHERE attribute_key = $1", staged.Attribute().Key); n != stageLen {
				s.Errorf("%d values are staged, want %d", n, stageLen)
			}

			s.Read(func(tx store.Tx) error {
				_, err := s.Attributes.Find(s.Context(), tx, kind, staged.Attribute().ID)
				if fault.KindOf(err) != fault.NotFound {
					s.Errorf("Find returned %v", err)
				}
				return nil
			})
			s.wantListed(kind, 0)
			a, err := inTx(s, func(tx store.Tx) (Attribute, error) {
				return s.Attributes.CreateStaged(s.Context(), tx, staged, e)
			})
			if err != nil || a.ValueCount != stageLen || *a.ExternalID != "long" {
				s.Fatalf("CreateStaged returned %+v, %v", a, err)
			}

			staged.Discard(s.Context())

			s.Read(func(tx store.Tx) error {
				found, err := s.Attributes.Find(s.Context(), tx, kind, a.ID)
				if err != nil {
					return err
				}
				if found.ValueCount != stageLen || found.Kind != kind || found.Version != 1 {
					s.Errorf("the stored attribute is %+v", found)
				}

				i := 0
				err = s.Attributes.EachValue(s.Context(), tx, found, func(v Value) error {
					if want := fmt.Sprint("v", i); v.Name != want || *v.ExternalID != fmt.Sprint(i) {
						return fmt.Errorf("value %d is %s", i, v.Name)
					}
					i++
					return nil
				})
				if i != stageLen {
					s.Errorf("%d values, want %d", i, stageLen)
				}

				return err
			})

			s.wantListed(kind, 1)
		}
	})
}

// Stage finds the same errors as Create, and leaves nothing behind.
func TestM2_stageReportsWhatCreateReports(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		first := "0"
		fieldType := Range
		taken := manyValues("Long", ValueEdit{Name: "twice", ExternalID: &first})
		noNumber := manyValues("Long", ValueEdit{Name: "last"})
		noNumber.FieldType = &fieldType
		for name, e := range map[string]AttributeEdit{"taken": taken, "no number": noNumber,
			"no name": {Values: taken.Values}} {
			_, want := inTx(s, func(tx store.Tx) (Attribute, error) {
				return s.Attributes.Create(s.Context(), tx, Feature, e)
			})
			_, err := s.Attributes.Stage(s.Context(), s.DB, s.Store.ID, Feature, e)
			if want == nil || faultText(err) != faultText(want) {
				s.Errorf("%s: Stage returned %.300v, Create returned %.300v", name, err, want)
			}
		}

		if err := s.Attributes.Purge(s.Context(), s.DB); err != nil {
			s.Error(err)
		}
		if values, attributes := s.Count("attribute_values"), s.Count("attributes"); values+attributes != 0 {
			s.Errorf("%d values and %d attributes are left", values, attributes)
		}
	})
}

// A process that was killed leaves a staged attribute behind. It is deleted when it is so old that no request can still
// be working on it.
func TestM2_staleStagedAttributesAreDeleted(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		purge := func() {
			if err := s.Attributes.Purge(s.Context(), s.DB); err != nil {
				s.Error(err)
			}
		}
		e := manyValues("Long")
		old := s.stage(Option, e)
		s.Clock.Advance(StagedLifetime / 2)
		recent := s.stage(Option, e)
		s.Clock.Advance(StagedLifetime/2 + time.Second)
		purge()

		if n := s.Count("attributes"); n != 1 {
			s.Errorf("%d attributes are left, want the recent one", n)
		}

		_, err := inTx(s, func(tx store.Tx) (Attribute, error) {
			return s.Attributes.CreateStaged(s.Context(), tx, old, e)
		})
		if err == nil {
			s.Error("an attribute without its values was created")
		}

		_, err = inTx(s, func(tx store.Tx) (Attribute, error) {
			return s.Attributes.CreateStaged(s.Context(), tx, recent, e)
		})
		if err != nil {
			s.Error(err)
		}

		s.Clock.Advance(2 * StagedLifetime)
		purge()

		if n := s.Count("attribute_values"); n != stageLen {
			s.Errorf("the created attribute has %d values, want %d", n, stageLen)
		}
	})
}

// The values of a deleted attribute are deleted in short transactions afterwards. The attribute itself is gone at once.
func TestM2_longAttributesAreDeletedInParts(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		e := manyValues("Long")
		staged := s.stage(Option, e)
		create := func(tx store.Tx) (Attribute, error) {
			return s.Attributes.CreateStaged(s.Context(), tx, staged, e)
		}
		a, err := inTx(s, create)
		if err != nil {
			s.Fatal(err)
		}

		s.Write(func(tx store.Tx) error { return s.Attributes.Delete(s.Context(), tx, Option, a.ID, nil) })
		s.wantListed(Option, 0)

		if n := s.Count("attribute_values"); n != stageLen {
			s.Errorf("the transaction has left %d values, want all %d", n, stageLen)
		}

		// Products cannot refer to it.
		_, err = inTx(s, func(tx store.Tx) (Product, error) {
			name := "Shirt"
			return s.Products.Create(s.Context(), tx, ProductEdit{Name: &name,
				Features: &[]ValueRef{{a.ID, ValueID{}}}})
		})
		if got := faultText(err); !strings.Contains(got, "There is no feature with this id") {
			s.Errorf("a product that refers to it: %s", got)
		}

		// Its external id is free.
		staged = s.stage(Option, e)
		if _, err := inTx(s, create); err != nil {
			s.Error(err)
		}

		stop := s.Start(func(ctx context.Context) error {
			return s.Attributes.Run(ctx, s.DB, slog.New(slog.DiscardHandler))
		})
		s.Eventually("the values are deleted", func() bool { return s.Count("attributes") == 1 })
		stop()

		if n := s.Count("attribute_values"); n != stageLen {
			s.Errorf("%d values are left, want those of the second option", n)
		}
	})
}
