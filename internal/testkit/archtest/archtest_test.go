// Package archtest checks the architecture of the module. Each rule is a function over parsed source, and a test runs
// all rules over the whole module. It is for tests only.
//
// A rule takes a Package and returns its findings. A finding is a line such as "file:line: what is wrong and how to
// correct it". The rules use names and imports, not types. Imported packages are not loaded, so that all rules together
// take less than a second.
package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// Module is the import path of the module under test.
const Module = "vitrine"

// programs are the levels that are not shipped: bench contains benchmarks, examples shows how other programs call the
// API, tools builds releases.
var programs = []string{"bench", "examples", "tools"}

// Package is the parsed Go source of one folder. Load and Parse create it.
type Package struct {
	// Path is the import path.
	Path string
	// Files are all .go files of the folder, including tests.
	Files []*File
	fset  *token.FileSet
	names names
}

// File is one parsed file.
type File struct {
	// Name is the path relative to the root of the module.
	Name   string
	Text   string
	Syntax *ast.File
}

// IsTest reports whether the file is a test file.
func (f *File) IsTest() bool { return strings.HasSuffix(f.Name, "_test.go") }

// Level returns the folder of the package inside internal, such as "api", "shop" or "kit", or its first folder outside
// internal, such as "cmd".
func (p *Package) Level() string {
	level, _ := locate(p.Path)
	return level
}

// Area returns the folder of the package inside its level: "catalog" for vitrine/internal/shop/catalog and all packages
// below it. A level that is a single package, such as app, is its own area. Packages of one area may import each other.
func (p *Package) Area() string {
	_, area := locate(p.Path)
	return area
}

// locate returns the level and the area of an import path of the module.
func locate(path string) (level, area string) {
	rest := strings.TrimPrefix(strings.TrimPrefix(path, Module), "/")
	level, rest, _ = strings.Cut(rest, "/")
	if level == "internal" {
		level, rest, _ = strings.Cut(rest, "/")
	}
	if _, ok := areas[level]; !ok && level != testLevel {
		return level, level
	}
	area, _, _ = strings.Cut(rest, "/")
	return level, area
}

// isProduct reports whether the package is shipped.
func (p *Package) isProduct() bool {
	return p.Level() != testLevel && !slices.Contains(programs, p.Level())
}

// productFiles returns the files that are shipped.
func (p *Package) productFiles() []*File {
	if !p.isProduct() {
		return nil
	}
	return p.sourceFiles()
}

// sourceFiles returns the files that are not tests.
func (p *Package) sourceFiles() []*File {
	return slices.DeleteFunc(slices.Clone(p.Files), (*File).IsTest)
}

func (p *Package) finding(at ast.Node, format string, args ...any) string {
	pos := p.fset.Position(at.Pos())
	return fmt.Sprintf("%s:%d: %s", pos.Filename, pos.Line, fmt.Sprintf(format, args...))
}

// imports yields the import declarations of files, each with its path.
func imports(files []*File) iter.Seq2[*ast.ImportSpec, string] {
	return func(yield func(*ast.ImportSpec, string) bool) {
		for _, f := range files {
			for _, spec := range f.Syntax.Imports {
				path, err := strconv.Unquote(spec.Path.Value)
				if err == nil && !yield(spec, path) { // err is always nil, because the parser checks paths
					return
				}
			}
		}
	}
}

// nodes yields the nodes of type N in files, in source order.
func nodes[N ast.Node](files []*File) iter.Seq[N] {
	return func(yield func(N) bool) {
		for _, f := range files {
			for n := range ast.Preorder(f.Syntax) {
				if n, ok := n.(N); ok && !yield(n) {
					return
				}
			}
		}
	}
}

// isWithin reports whether path is one of roots or below one of them.
func isWithin(path string, roots ...string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		return path == root || strings.HasPrefix(path, root+"/")
	})
}

// Rules returns all rules by name.
func Rules() map[string]func(*Package) []string {
	return map[string]func(*Package) []string{
		"imports point down":                ImportsPointDown,
		"test kits stay in tests":           OnlyTestsImportTestKits,
		"SQL stays in *_sql.go":             SQLInSQLFiles,
		"SQL is run in *_sql.go":            SQLRunInSQLFiles,
		"batches are joined by keys":        BatchesJoinedByKeys,
		"drivers stay in database":          DriversInDatabase,
		"environment and flags in config":   SettingsInConfig,
		"no init functions":                 NoInit,
		"weak hashes in tests":              WeakHashesInTests,
		"package variables never change":    NoMutablePackageVariables,
		"HTTP clients in outbound":          HTTPClientsInOutbound,
		"connections through outbound":      ConnectionsInOutbound,
		"no local shadows a package name":   NoShadowing,
		"results are not changed by return": NoResultsChangedByReturn,
		"tests of the program stand apart":  ProgramTestsStandApart,
		"functions have paragraphs":         Paragraphs,
		"lines end at 120 columns":          LongLines,
		"types are small":                   SmallTypes,
		"packages are small":                SmallPackages,
		"large packages have maps":          LargePackagesHaveMaps,
		"use cases beside their types":      ServiceFilesHaveTypes,
	}
}
