// Package archtest holds the architecture's rules as functions over parsed source, and a test that runs them over the
// whole module. It is for tests only.
//
// A rule takes a Package and returns what it finds, one "file:line: what is wrong and what to do" each. The rules look
// at names and imports, not at types: imported packages are not loaded, so the whole module takes well under a second.
package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// Module is the import path of the module under test.
const Module = "vitrine"

// programs are levels that are no part of the product: bench measures the raw limit of the drivers, examples show how
// other programs call the API.
var programs = []string{"bench", "examples"}

// Package is the Go source of one folder, as parsed by Load or Parse.
type Package struct {
	// Path is the import path.
	Path string
	// Files are all .go files of the folder, tests included.
	Files []*File
	fset  *token.FileSet
	names names
}

// File is one parsed file.
type File struct {
	// Name is the path from the module's root.
	Name   string
	Syntax *ast.File
}

// IsTest reports whether only `go test` compiles the file.
func (f *File) IsTest() bool { return strings.HasSuffix(f.Name, "_test.go") }

// Level is the package's folder in internal ("api", "shop", "kit", …), or its first folder outside internal ("cmd").
func (p *Package) Level() string {
	level, _ := locate(p.Path)
	return level
}

// Area is the package's folder in its level: "catalog" for vitrine/internal/shop/catalog and all packages below it. A
// level without folders of its own, such as app, is also its only area. Packages of one area may import each other.
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

// isProduct reports whether the package is part of what is shipped.
func (p *Package) isProduct() bool {
	return p.Level() != testLevel && !slices.Contains(programs, p.Level())
}

// productFiles are the files whose code is shipped.
func (p *Package) productFiles() []*File {
	if !p.isProduct() {
		return nil
	}
	return p.sourceFiles()
}

// sourceFiles are the files that are not tests.
func (p *Package) sourceFiles() []*File {
	return slices.DeleteFunc(slices.Clone(p.Files), (*File).IsTest)
}

func (p *Package) finding(at ast.Node, format string, args ...any) string {
	pos := p.fset.Position(at.Pos())
	return fmt.Sprintf("%s:%d: %s", pos.Filename, pos.Line, fmt.Sprintf(format, args...))
}

// importPath is the path that an import declaration names.
func importPath(spec *ast.ImportSpec) string {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return "" // the parser refuses such a file before we see it
	}
	return path
}

// isWithin reports whether path is one of the roots or below one.
func isWithin(path string, roots ...string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		return path == root || strings.HasPrefix(path, root+"/")
	})
}

// Rules are all rules by name.
func Rules() map[string]func(*Package) []string {
	return map[string]func(*Package) []string{
		"imports point down":              ImportsPointDown,
		"test kits stay in tests":         TestKitsStayInTests,
		"SQL stays in *_sql.go":           SQLInSQLFiles,
		"SQL is run in *_sql.go":          SQLRunInSQLFiles,
		"drivers stay in database":        DriversInDatabase,
		"environment and flags in config": SettingsInConfig,
		"no init functions":               NoInit,
		"package variables never change":  NoMutablePackageVariables,
		"HTTP clients in outbound":        HTTPClientsInOutbound,
		"connections through outbound":    ConnectionsInOutbound,
		"no local shadows a package name": NoShadowing,
	}
}
