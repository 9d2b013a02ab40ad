package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// quotedPath matches a path between backquotes: letters and slashes, perhaps a pattern, with at least one slash.
var quotedPath = regexp.MustCompile("`([a-z0-9_]+(?:/[a-zA-Z0-9_.*-]+)+)/?`")

// Every path that these documents name exists: from the module's root, or from internal.
func TestDocs_nameFilesThatExist(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}

	for _, doc := range []string{"docs/architecture.md", "docs/internals.md", "docs/first-change.md"} {
		text, err := os.ReadFile(filepath.Join(root, doc))
		if err != nil {
			t.Fatal(err)
		}
		paths := quotedPath.FindAllStringSubmatch(string(text), -1)
		if len(paths) < 10 {
			t.Fatalf("%s names %d paths: the pattern finds nothing", doc, len(paths))
		}

		for _, m := range paths {
			found := false
			for _, folder := range []string{root, filepath.Join(root, "internal")} {
				matches, err := filepath.Glob(filepath.Join(folder, m[1]))
				found = found || err == nil && len(matches) > 0
			}
			if !found {
				t.Errorf("%s names %s, which does not exist", doc, m[1])
			}
		}
	}
}

// docs/architecture.md has a line for every package.
func TestDocs_listEveryPackage(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs/architecture.md"))
	if err != nil {
		t.Fatal(err)
	}

	pkgs, err := loadModule()
	if err != nil {
		t.Fatal(err)
	}

	for _, p := range pkgs {
		if slices.Contains(programs, p.Level()) || len(p.sourceFiles()) == 0 {
			continue
		}
		path := strings.TrimPrefix(strings.TrimPrefix(p.Path, Module+"/"), "internal/")
		last := path[strings.LastIndex(path, "/")+1:]
		if !strings.Contains(string(text), "`"+path+"`") && !strings.Contains(string(text), "`"+last+"`") {
			t.Errorf("docs/architecture.md does not list %s", path)
		}
	}
}

// The index of docs/adr has a line for every decision.
func TestDocs_listEveryDecision(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}

	index, err := os.ReadFile(filepath.Join(root, "docs/adr/README.md"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "docs/adr/0*.md"))
	if err != nil || len(files) < 20 {
		t.Fatalf("docs/adr has %d decisions: %v", len(files), err)
	}

	for _, file := range files {
		if name := filepath.Base(file); !strings.Contains(string(index), "("+name+")") {
			t.Errorf("docs/adr/README.md does not list %s", name)
		}
	}
}

// The block of the dependency rule in docs/architecture.md is the table that the rule checks.
func TestDocs_repeatTheDependencyRule(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs/architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## The dependency rule")
	_, block, _ := strings.Cut(section, "```\n")
	block, _, found := strings.Cut(block, "\n```")
	if !found {
		t.Fatal("docs/architecture.md has no block with the dependency rule")
	}

	join := func(table [][]string) string {
		lines := make([]string, len(table))
		for i, names := range table {
			lines[i] = strings.Join(names, " ")
		}
		return strings.Join(lines, " → ")
	}
	if want := join(levels); !strings.HasPrefix(block, want+"\n") {
		t.Errorf("the levels in docs/architecture.md are not\n%s", want)
	}
	for level, table := range areas {
		line := regexp.MustCompile(`(?m)^` + level + `\s+(.*)$`).FindStringSubmatch(block)
		if want := join(table); line == nil || line[1] != want {
			t.Errorf("the line of %s in docs/architecture.md is not\n%s", level, want)
		}
	}
}
