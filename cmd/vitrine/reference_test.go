package main

import (
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

// docs/reference.md has every command, flag and variable as the program has them.
func TestReference_isUpToDate(t *testing.T) {
	parser := newTestParser(t)
	var text strings.Builder
	if err := writeReference(&text, parser.Model); err != nil {
		t.Fatal(err)
	}

	stored, err := os.ReadFile("../../docs/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(stored), text.String()); diff != "" {
		t.Errorf("docs/reference.md is stale, run make docs:\n%s", diff)
	}

	flags := 0

	forEachFlag(parser.Model.Node, func(f *kong.Flag) {
		flags++
		if f.Name != "help" && !strings.Contains(text.String(), "`--"+f.Name) {
			t.Errorf("the reference has no --%s", f.Name)
		}

		for _, name := range f.Envs {
			if !strings.Contains(text.String(), "`"+name+"`") {
				t.Errorf("the reference has no %s", name)
			}
		}
	})
	if flags < 100 {
		t.Errorf("only %d flags were compared", flags)
	}

	for _, leaf := range parser.Model.Leaves(true) {
		if !strings.Contains(text.String(), "\n## "+leaf.Path()+"\n") {
			t.Errorf("the reference has no command %s", leaf.Path())
		}
	}
}
