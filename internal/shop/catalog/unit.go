package catalog

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/rule"
)

// MaxUnitName is the maximum length of the name of a unit, in characters.
const MaxUnitName = 64

// Unit is the unit in which a product is sold, such as pieces or metres. The zero Unit is none. Units are compared with
// ==.
type Unit struct {
	// Code is the code of the unit in OKEI, the Russian classifier of units, such as 796 for pieces. It is empty if it
	// is not known.
	Code string
	Name string
}

// Equal reports what == does. Comparisons by reflection use it.
func (u Unit) Equal(other Unit) bool { return u == other }

// codePattern matches the codes of OKEI.
var codePattern = regexp.MustCompile(`^[0-9]{3,4}$`)

// CheckUnitCode is the rule of the code of a unit: three or four digits, or empty.
func CheckUnitCode(sent string) (string, *fault.Field) {
	code := strings.TrimSpace(sent)
	if code != "" && !codePattern.MatchString(code) {
		return "", fault.Broken("invalid_unit_code",
			"The code of a unit is that of OKEI, three or four digits such as 796, or null.")
	}
	return code, nil
}

// checkUnitName is the rule of the name of a unit: 1 to 64 characters, trimmed, on one line.
func checkUnitName(sent string) (string, *fault.Field) {
	name := strings.TrimSpace(sent)
	switch {
	case name == "":
		return "", fault.Broken("required",
			"A unit needs a name of 1 to %d characters, such as pcs; null instead of the object is no unit.",
			MaxUnitName)
	case rule.OneLine(name) != nil:
		return "", rule.OneLine(name)
	}
	return name, rule.Plain(name, MaxUnitName)
}

// Normalized returns the unit as it is stored, or the rule that it breaks.
func (u Unit) Normalized() (Unit, *fault.Field) {
	if u == (Unit{}) {
		return u, nil
	}

	code, broken := CheckUnitCode(u.Code)
	if broken != nil {
		return Unit{}, broken
	}

	name, broken := checkUnitName(u.Name)
	return Unit{code, name}, broken
}

// readUnit reads {"code", "name"}, or null for none.
func readUnit(r *wire.Reader) (u Unit, ok bool) {
	if r.Null() {
		return Unit{}, true
	}

	named := false
	ok = r.Object(func(name string) {
		switch name {
		case "code":
			if !r.Null() {
				u.Code, _ = wire.As(r, r.StringOrNumber, CheckUnitCode)
			}
		case "name":
			named = true
			u.Name, _ = wire.As(r, r.String, checkUnitName)
		default:
			r.UnknownMember()
		}
	})
	if ok && !named {
		_, broken := checkUnitName("")
		r.CheckAt("name", broken)
	}

	return u, ok
}

// AppendJSON appends the unit as it is read, or null if there is none.
func (u Unit) AppendJSON(b []byte) []byte {
	if u == (Unit{}) {
		return append(b, "null"...)
	}

	b = append(b, `{"code":`...)
	if u.Code == "" {
		b = append(b, "null"...)
	} else {
		b = wire.AppendString(b, u.Code)
	}

	b = append(b, `,"name":`...)
	return append(wire.AppendString(b, u.Name), '}')
}

// OrNull returns the unit as a column value: its JSON, or NULL if there is none.
func (u Unit) OrNull() any {
	if u == (Unit{}) {
		return nil
	}
	return string(u.AppendJSON(nil))
}

// Scan implements sql.Scanner.
func (u *Unit) Scan(v any) error {
	*u = Unit{}
	switch text := v.(type) {
	case nil:
		return nil
	case string:
		return u.decode([]byte(text))
	case []byte:
		return u.decode(text)
	}
	return fmt.Errorf("cannot read %T as a unit", v)
}

func (u *Unit) decode(text []byte) error {
	var stored struct {
		Code *string `json:"code"`
		Name string  `json:"name"`
	}
	if err := json.Unmarshal(text, &stored); err != nil {
		return fmt.Errorf("read a unit: %w", err)
	}

	u.Name = stored.Name
	if stored.Code != nil {
		u.Code = *stored.Code
	}

	return nil
}

// Text returns the unit as people write it: its name and, in brackets, its code, as in pcs (796).
func (u Unit) Text() string {
	if u.Code == "" {
		return u.Name
	}
	return u.Name + " (" + u.Code + ")"
}

// unitPattern matches the text of a unit that has a code.
var unitPattern = regexp.MustCompile(`^(.*\S)\s*\(([0-9]{3,4})\)$`)

// parseUnit returns the unit that a text of Unit.Text stands for. An empty text is no unit.
func parseUnit(text string) (Unit, *fault.Field) {
	text = strings.TrimSpace(text)
	if parts := unitPattern.FindStringSubmatch(text); parts != nil {
		return Unit{Code: parts[2], Name: parts[1]}, nil
	}
	return Unit{Name: text}, nil
}
