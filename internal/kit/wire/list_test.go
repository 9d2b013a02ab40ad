package wire_test

import (
	"errors"
	"strings"
	"testing"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
)

// wideElement is longer in memory than {} in JSON.
type wideElement [128]byte

func readWide(r *wire.Reader) (e wideElement) {
	r.Object(func(string) {})
	return e
}

func TestList_isCountedBeforeItTakesMemory(t *testing.T) {
	r := wire.NewReader(strings.NewReader("[" + strings.Repeat("{},", 1000) + "{}]"))
	var counted int64
	r.SetRoom(func(total int64) error {
		counted = total
		return nil
	})

	list := wire.List(r, readWide)
	if err := r.End(); err != nil || len(*list) != 1001 || counted < 1001*128 {
		t.Errorf("%d elements are counted with %d bytes, %v", len(*list), counted, err)
	}

	full := errors.New("no room")
	r = wire.NewReader(strings.NewReader("[" + strings.Repeat("{},", 1000) + "{}]"))
	r.SetRoom(func(int64) error { return full })
	if wire.List(r, readWide); !errors.Is(r.End(), full) {
		t.Errorf("without room: %v", r.Err())
	}
}

func TestList_isBounded(t *testing.T) {
	r := wire.NewReader(strings.NewReader("[" + strings.Repeat("{},", 300_000) +
		"{}]")) // 77 MB with what append leaves
	wire.List(r, readWide)
	if f, ok := errors.AsType[*fault.Error](r.End()); !ok || f.Kind != fault.TooLarge || f.Code != "too_many_elements" {
		t.Errorf("%v, want too_many_elements", r.Err())
	}
}

func TestList_endsAtBrokenRule(t *testing.T) {
	r := wire.NewReader(strings.NewReader(`[{}, 1` + strings.Repeat(",{}", 500_000) + "]"))
	list := wire.List(r, readWide)
	if err := r.End(); fault.KindOf(err) != fault.Invalid || len(*list) != 1 {
		t.Errorf("%d elements, %v; want those before the broken one", len(*list), err)
	}
}

func TestListUpTo_refusesLongerList(t *testing.T) {
	for n, refused := range map[int]bool{2: false, 3: true} {
		r := wire.NewReader(strings.NewReader("[" + strings.Repeat("{},", n-1) + "{}]"))
		list := wire.ListUpTo(r, 2, readWide)
		if err := r.End(); len(*list) != 2 || refused != (err != nil && fault.KindOf(err) == fault.Invalid) {
			t.Errorf("%d elements: %d are kept, %v", n, len(*list), err)
		}
	}
}
