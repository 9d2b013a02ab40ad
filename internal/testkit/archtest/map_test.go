package archtest

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// maxUnmapped is the number of files up to which a package needs no map of its files.
const maxUnmapped = 25

// mappedFile matches a file in a map, or a pattern that stands for several, such as value_*.go.
var mappedFile = regexp.MustCompile(`[a-z0-9_*]+\.go\b`)

// LargePackagesHaveMaps finds packages below internal with more than maxUnmapped files whose doc.go does not name each
// of the others.
func LargePackagesHaveMaps(p *Package) []string {
	files := p.productFiles()
	if len(files) <= maxUnmapped || !strings.HasPrefix(p.Path, Module+"/internal/") {
		return nil
	}

	at := slices.IndexFunc(files, func(f *File) bool { return path.Base(f.Name) == "doc.go" })
	if at < 0 {
		return []string{p.finding(files[0].Syntax.Name,
			"the package has %d files: add a doc.go that says what each is for", len(files))}
	}

	patterns := mappedFile.FindAllString(files[at].Text, -1)
	var findings []string
	for _, f := range files {
		name := path.Base(f.Name)
		named := slices.ContainsFunc(patterns, func(pattern string) bool {
			matches, err := path.Match(pattern, name)
			return err == nil && matches
		})
		if !named && name != "doc.go" {
			findings = append(findings,
				p.finding(files[at].Syntax.Name, "the map of the package does not name %s", name))
		}
	}
	return findings
}

func TestLargePackagesHaveMaps(t *testing.T) {
	parse := func(count int, doc string) []string {
		files := map[string]string{}
		for i := range count {
			files[fmt.Sprintf("internal/shop/x/part_%d.go", i)] = "package x\n"
		}
		if doc != "" {
			files["internal/shop/x/doc.go"] = doc
		}
		p, err := Parse(Module+"/internal/shop/x", files)
		if err != nil {
			t.Fatal(err)
		}
		return LargePackagesHaveMaps(p)
	}

	for _, c := range []struct {
		count int
		doc   string
		want  int
	}{
		{maxUnmapped, "", 0}, {maxUnmapped + 1, "", 1}, {maxUnmapped, "// Package x.\npackage x\n", maxUnmapped},
		{maxUnmapped, "// Package x.\n//\n//	part_*.go  parts\npackage x\n", 0},
		{maxUnmapped, "// Package x.\n//\n//	part_1*.go  parts\npackage x\n", maxUnmapped - 11},
	} {
		if found := parse(c.count, c.doc); len(found) != c.want {
			t.Errorf("%d files with the map %q: %q, want %d findings", c.count, c.doc, found, c.want)
		}
	}
}
