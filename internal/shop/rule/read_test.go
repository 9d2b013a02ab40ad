package rule_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/rule"
)

// readMember calls read for the member of the document {"m": value}.
func readMember[T any](value string, read func(*wire.Reader) (T, bool)) (got T, err error) {
	r := wire.NewReader(strings.NewReader(`{"m": ` + value + `}`))
	r.Object(func(string) { got, _ = read(r) })
	return got, r.End()
}

// brokenRules returns the paths and codes of an Invalid fault.
func brokenRules(err error) (rules []string) {
	var f *fault.Error
	if errors.As(err, &f) {
		for _, field := range f.Fields {
			rules = append(rules, field.Field+" "+field.Code)
		}
	}
	return rules
}

func upTo5(text string) (string, *fault.Field) { return text, rule.Plain(text, 5) }

func TestName_isTrimmedAndCountedInCharacters(t *testing.T) {
	long := strings.Repeat("я", 255)
	for _, c := range []struct{ value, want, code string }{
		{`"x"`, "x", ""}, {`"  x y\t\n"`, "x y", ""}, {`"\u00a0x\u2003"`, "x", ""}, {`7`, "7", ""},
		{`10.50`, "10.50", ""},
		{`"` + long + `"`, long, ""}, {`"  ` + long + `  "`, long, ""},
		{`"` + long + `я"`, "", "too_long"}, {strings.Repeat("7", 256), "", "too_long"}, {`""`, "", "required"},
		{`" \t\n "`, "", "required"},
	} {
		got, err := readMember(c.value, rule.ReadName)
		if c.code == "" && (err != nil || got != c.want) {
			t.Errorf("%s: %q, %v", c.value, got, err)
		}

		if want := "m " + c.code; c.code != "" && !slices.Equal(brokenRules(err), []string{want}) {
			t.Errorf("%s: %v, want %s", c.value, err, c.code)
		}
	}
}

func TestPlain_countsCharacters(t *testing.T) {
	for _, c := range []struct {
		value, want string
		good        bool
	}{
		{`""`, "", true}, {`" a "`, " a ", true}, {`"яяяяя"`, "яяяяя", true}, {`"💡💡💡💡💡"`, "💡💡💡💡💡", true},
		{`"яяяяяя"`, "", false}, {`"123456"`, "", false},
	} {
		got, err := readMember(c.value, func(r *wire.Reader) (string, bool) { return wire.As(r, r.String, upTo5) })
		if good := err == nil; good != c.good || good && got != c.want {
			t.Errorf("%s: %q, %v", c.value, got, err)
		}
		if !c.good && !slices.Equal(brokenRules(err), []string{"m too_long"}) {
			t.Errorf("%s: %v", c.value, err)
		}
	}
}

func TestExternalID_isAStringOrAWholeNumber(t *testing.T) {
	for _, c := range []struct{ value, want, code string }{
		{`7`, "7", ""}, {`"7"`, "7", ""}, {`" 7 "`, "7", ""}, {`"7.0"`, "7.0", ""}, {`"A-1/ü"`, "A-1/ü", ""},
		{`-7`, "-7", ""},
		{`12345678901234567890123`, "12345678901234567890123", ""},
		{`7.0`, "", "wrong_type"}, {`7e1`, "", "wrong_type"}, {`7E1`, "", "wrong_type"}, {`""`, "", "required"},
		{`"  "`, "", "required"},
		{`"` + strings.Repeat("x", 256) + `"`, "", "too_long"},
	} {
		got, err := readMember(c.value, rule.ReadExternalID)
		if c.code == "" && (err != nil || got != c.want) {
			t.Errorf("%s: %q, %v", c.value, got, err)
		}

		if want := "m " + c.code; c.code != "" && !slices.Equal(brokenRules(err), []string{want}) {
			t.Errorf("%s: %v, want %s", c.value, err, c.code)
		}
	}
}
