package fault_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/fault"
)

func TestKindOf_findsTheFaultInTheChain(t *testing.T) {
	conflict := fault.New(fault.Conflict, "taken", "Taken.")

	for _, c := range []struct {
		err  error
		want fault.Kind
	}{
		{nil, fault.Internal},
		{io.EOF, fault.Internal},
		{conflict, fault.Conflict},
		{fmt.Errorf("save: %w", conflict), fault.Conflict},
		{errors.Join(io.EOF, fmt.Errorf("save: %w", conflict)), fault.Conflict},
		// KindOf returns the kind of the outermost fault.
		{fault.New(fault.Unavailable, "away", "Away.").Because(conflict), fault.Unavailable},
		{fault.Missing("option"), fault.NotFound},
		{fault.OneField("name", "required", "Required."), fault.Invalid},
	} {
		if got := fault.KindOf(c.err); got != c.want {
			t.Errorf("KindOf(%v) = %d, want %d", c.err, got, c.want)
		}
	}
}

func TestError_carriesItsCauseForTheLogOnly(t *testing.T) {
	f := fault.New(fault.Unavailable, "away", "Come back in %d s.", 2)
	if same := f.Because(io.ErrUnexpectedEOF).After(2 * time.Second); same != f {
		t.Error("Because or After returned a different error")
	}
	if f.Message != "Come back in 2 s." || f.RetryAfter != 2*time.Second {
		t.Errorf("got %+v", f)
	}
	if !errors.Is(f, io.ErrUnexpectedEOF) {
		t.Error("the cause is not in the chain")
	}

	if text := f.Error(); !strings.Contains(text, "away") || !strings.Contains(text, f.Message) ||
		!strings.Contains(text, "unexpected EOF") {
		t.Errorf("Error() = %q", text)
	}

	if text := fault.New(fault.Denied, "denied", "No.").Error(); text != "denied: No." {
		t.Errorf("without a cause, Error() = %q", text)
	}
}

func TestFields_returnsNilWithoutFields(t *testing.T) {
	if err := fault.Fields(nil); err != nil {
		t.Errorf("Fields(nil) = %v", err)
	}
	if err := fault.Fields([]fault.Field{}); err != nil {
		t.Errorf("Fields of none = %v", err)
	}
}

func TestFields_countsAndListsTheBrokenRules(t *testing.T) {
	one := fault.OneField("values[2].name", "required", "At most %d%%.", 5)
	var f *fault.Error
	if !errors.As(one, &f) || f.Code != "validation_failed" || len(f.Fields) != 1 ||
		f.Fields[0] != (fault.Field{Field: "values[2].name", Code: "required", Message: "At most 5%."}) {
		t.Errorf("got %+v", f)
	}
	if !strings.Contains(f.Message, "a rule") || !strings.Contains(f.Error(), "values[2].name: At most 5%.") {
		t.Errorf("Message %q, Error() %q", f.Message, f.Error())
	}
	many := fault.Fields([]fault.Field{{Field: "a"}, {Field: "b"}, {Field: "c"}})
	if !errors.As(many, &f) || !strings.Contains(f.Message, "3 rules") || len(f.Fields) != 3 {
		t.Errorf("got %+v", f)
	}
}

func TestMissing_namesTheThing(t *testing.T) {
	f := fault.Missing("option")
	if f.Kind != fault.NotFound || f.Code != "not_found" || f.Message != "There is no such option in this store." {
		t.Errorf("got %+v", f)
	}
}

func TestAddContext_keepsTheFault(t *testing.T) {
	try := func(cause error) (err error) {
		defer fault.AddContext(&err, "delete %s %d", "stock", 7)
		return cause
	}
	if err := try(nil); err != nil {
		t.Errorf("without an error: %v", err)
	}
	if err := try(fault.Missing("stock")); fault.KindOf(err) != fault.NotFound ||
		!strings.HasPrefix(err.Error(), "delete stock 7: ") {
		t.Errorf("got %v", err)
	}
}
