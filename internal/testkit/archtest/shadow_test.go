package archtest

import (
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
)

// NoShadowing finds parameters, results, receivers and other locals that have the name of a function, type, variable or
// constant of their package. Names of imported packages and names in tests may be shadowed.
func NoShadowing(p *Package) []string {
	files := p.productFiles()
	declared := map[string]string{} // position of the declaration by package-level name
	for _, f := range files {
		for _, decl := range f.Syntax.Decls {
			for _, id := range declaredNames(decl) {
				pos := p.fset.Position(id.Pos())
				declared[id.Name] = fmt.Sprintf("%s:%d", filepath.Base(pos.Filename), pos.Line)
			}
		}
	}

	var findings []string
	for id := range nodes[*ast.Ident](files) {
		if at, shadowed := declared[id.Name]; shadowed && p.names.isLocal(id) {
			findings = append(findings,
				p.finding(id, "%s shadows the package-level %s (%s): rename one of them", id.Name, id.Name, at))
		}
	}

	return findings
}

// declaredNames returns the package-level names that a declaration declares.
func declaredNames(decl ast.Decl) (ids []*ast.Ident) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			ids = append(ids, d.Name)
		}

	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				ids = append(ids, s.Name)
			case *ast.ValueSpec:
				ids = append(ids, s.Names...)
			}
		}
	}

	return slices.DeleteFunc(ids, func(id *ast.Ident) bool { return id.Name == "_" })
}

// isLocal reports whether an identifier declares a name inside a function or a signature.
func (n names) isLocal(id *ast.Ident) bool {
	switch o := n.defs[id].(type) {
	case *types.Var, *types.Const, *types.TypeName:
		return o.Parent() != nil && !isPackageLevel(o) // a field has no parent scope
	case nil:
		return n.switchVars[id]
	}
	return false
}
