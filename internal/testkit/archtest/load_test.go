package archtest

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// loadModule loads this module once for all tests.
var loadModule = sync.OnceValues(func() ([]*Package, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	return Load(root)
})

// Load parses all packages of the module at root. It skips the folders that the go command skips.
func Load(root string) ([]*Package, error) {
	sources := map[string]map[string]string{} // folder → file → text

	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != root && isIgnored(d.Name()) {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(name) != ".go" || isIgnored(d.Name()) {
			return nil
		}

		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}

		rel = filepath.ToSlash(rel)
		folder := path.Dir(rel)
		if sources[folder] == nil {
			sources[folder] = map[string]string{}
		}

		sources[folder][rel] = string(text)
		return nil
	})
	if err != nil {
		return nil, err
	}

	var pkgs []*Package
	for _, folder := range slices.Sorted(maps.Keys(sources)) {
		p, err := Parse(path.Join(Module, folder), sources[folder])
		if err != nil {
			return nil, err
		}
		pkgs = append(pkgs, p)
	}

	return pkgs, nil
}

// isIgnored reports whether the go command skips a file or folder of this name.
func isIgnored(name string) bool {
	return name == "testdata" || name == "vendor" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

// Root returns the root of the module: the first folder with a go.mod, from the working directory upwards.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("no go.mod at or above the working directory")
		}
		dir = filepath.Dir(dir)
	}
}

// Parse parses a package from its source texts, by file name.
func Parse(path string, texts map[string]string) (*Package, error) {
	p := &Package{Path: path, fset: token.NewFileSet()}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		syntax, err := parser.ParseFile(p.fset, name, texts[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("parse %s: %w", name, err)
		}
		p.Files = append(p.Files, &File{Name: name, Text: texts[name], Syntax: syntax})
	}
	p.names = resolveNames(p)
	return p, nil
}

// names resolves identifiers to objects: a package-level variable, an imported package, or a local with the same name.
type names struct {
	uses map[*ast.Ident]types.Object
	defs map[*ast.Ident]types.Object
	// switchVars are the variables of type switches. They have no entry in defs, because each case has its own object.
	switchVars map[*ast.Ident]bool
}

// resolveNames runs the type checker with empty imported packages. Its results about types are wrong and are discarded.
// Its results about the names of this package are correct.
func resolveNames(p *Package) names {
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	byPackage := map[string][]*ast.File{} // such as "catalog" and "catalog_test"
	for _, f := range p.Files {
		byPackage[f.Syntax.Name.Name] = append(byPackage[f.Syntax.Name.Name], f.Syntax)
	}
	for _, files := range byPackage {
		checker := types.Config{Importer: emptyImporter{}, Error: func(error) {}, FakeImportC: true}
		_, _ = checker.Check(p.Path, p.fset, files, info)
	}
	return names{uses: info.Uses, defs: info.Defs, switchVars: switchVariables(p)}
}

// switchVariables returns the identifiers that type switches declare.
func switchVariables(p *Package) map[*ast.Ident]bool {
	variables := map[*ast.Ident]bool{}
	for s := range nodes[*ast.TypeSwitchStmt](p.Files) {
		if assign, ok := s.Assign.(*ast.AssignStmt); ok {
			variables[assign.Lhs[0].(*ast.Ident)] = true
		}
	}
	return variables
}

// emptyImporter imports every package as an empty package with the right name.
type emptyImporter struct{}

func (emptyImporter) Import(from string) (*types.Package, error) {
	name := path.Base(from)
	if isVersion(name) { // math/rand/v2 is rand
		name = path.Base(path.Dir(from))
	}
	pkg := types.NewPackage(from, name)
	pkg.MarkComplete()
	return pkg, nil
}

func isVersion(s string) bool {
	return len(s) > 1 && s[0] == 'v' && strings.Trim(s[1:], "0123456789") == ""
}

// imported returns the import path and the name of an expression such as os.Getenv. For all other expressions it
// returns empty strings.
func (n names) imported(e ast.Expr) (from, name string) {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return "", ""
	}
	pkg, ok := n.uses[id].(*types.PkgName)
	if !ok {
		return "", ""
	}
	return pkg.Imported().Path(), sel.Sel.Name
}

// isPackageLevel reports whether an object is declared outside functions.
func isPackageLevel(o types.Object) bool {
	return o.Pkg() != nil && o.Parent() == o.Pkg().Scope()
}
