package main

import "testing"

func TestOutline_ignoresLayoutAndComments(t *testing.T) {
	for name, c := range map[string]struct {
		file            string
		before, after   string
		same, rewritten bool // equal, and equal with -rewritten
	}{
		"blank line":     {"a.go", "f(); g()", "f()\n\n// Then g.\ng()", true, true},
		"broken line":    {"a.go", "f(a, b)", "f(a,\n\tb)", true, true},
		"other value":    {"a.go", "f(1)", "f(2)", false, false},
		"ellipsis":       {"a.go", "f(a)", "f(a...)", false, false},
		"other operator": {"a.go", "n += 1", "n -= 1", false, false},
		"string":         {"a.go", `f(a + "b c")`, `f(a + "b " + "c")`, false, true},
		"spaces":         {"a.go", `f("b c")`, `f("b  c")`, false, false},
		"SQL":            {"a_sql.go", "f(`SELECT 1 FROM a`)", "f(`SELECT 1\n\tFROM a`)", false, true},
		"other SQL":      {"a_sql.go", "f(`SELECT 1`)", "f(`SELECT 2`)", false, false},
		"assignments":    {"a.go", "a, b := 1, f()", "a := 1\nb := f()", false, true},
		"swapped values": {"a.go", "a, b := 1, 2", "a := 2\nb := 1", false, false},
		"sum":            {"a.go", "n = n + x", "n += x", false, true},
		"increment":      {"a.go", "n = n + 1", "n++", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := equal(t, c.file, c.before, c.after, false); got != c.same {
				t.Errorf("equal: %t", got)
			}

			if got := equal(t, c.file, c.before, c.after, true); got != c.rewritten {
				t.Errorf("equal with -rewritten: %t", got)
			}
		})
	}
}

func equal(t *testing.T, file, before, after string, rewritten bool) bool {
	t.Helper()
	was, err := outline(file, "package a\n\nfunc x() {\n"+before+"\n}\n", rewritten)
	if err != nil {
		t.Fatal(err)
	}
	is, err := outline(file, "package a\n\nfunc x() {\n"+after+"\n}\n", rewritten)
	if err != nil {
		t.Fatal(err)
	}
	return was == is
}
