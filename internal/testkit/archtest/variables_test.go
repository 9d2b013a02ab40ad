package archtest

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// NoMutablePackageVariables finds package-level variables that can change. A variable may have a constant value, such
// as an error, a regular expression, a table or a sync.OnceValue. It must not
//   - be declared without a value, or as an empty map or channel. The exception is embed.FS, which the compiler fills.
//   - be or contain a lock, an atomic or a sync.Map, whose methods change it. A sync.Pool is allowed, because its
//     content is not observable.
//   - be changed by an assignment, ++, --, delete, clear or copy, in whole or in part, in this package or in another.
//     Nor may its address be taken. The address of an element is allowed, since large tables are read that way.
func NoMutablePackageVariables(p *Package) []string {
	var findings []string
	for _, f := range p.sourceFiles() {
		for _, decl := range f.Syntax.Decls {
			if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == token.VAR {
				for _, spec := range gen.Specs {
					findings = append(findings, p.mutableDeclaration(gen, spec.(*ast.ValueSpec))...)
				}
			}
		}
	}

	for n := range nodes[ast.Node](p.sourceFiles()) {
		for _, target := range changedExpressions(n) {
			if name := p.packageVar(target); name != "" {
				findings = append(findings, p.finding(n,
					"package variable %s is changed here: make it a field of a value that app creates", name))
			}
		}
	}

	return findings
}

// mutableDeclaration returns the findings about the declaration of a variable.
func (p *Package) mutableDeclaration(gen *ast.GenDecl, spec *ast.ValueSpec) []string {
	var findings []string
	names := make([]string, len(spec.Names))
	for i, id := range spec.Names {
		names[i] = id.Name
	}

	name := strings.Join(names, ", ")
	if name == "_" {
		return nil // an assertion that a type implements an interface
	}

	if len(spec.Values) == 0 && !isEmbedded(gen, spec) {
		findings = append(findings,
			p.finding(spec, "package variable %s has no value: it can only be set later, so make it a field", name))
	}

	for _, value := range spec.Values {
		if isEmptyContainer(value) {
			findings = append(findings,
				p.finding(spec, "package variable %s is empty: it can only be filled later, so make it a field", name))
		}
	}

	for _, expr := range append([]ast.Expr{spec.Type}, spec.Values...) {
		if what := p.mutableType(expr); what != "" {
			findings = append(findings,
				p.finding(spec, "package variable %s contains a %s, which is mutable: make it a field", name, what))
		}
	}

	return findings
}

// isEmbedded reports whether a go:embed directive fills the variable.
func isEmbedded(gen *ast.GenDecl, spec *ast.ValueSpec) bool {
	for _, doc := range []*ast.CommentGroup{gen.Doc, spec.Doc} {
		if doc != nil && slices.ContainsFunc(doc.List,
			func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:embed ") }) {
			return true
		}
	}
	return false
}

// isEmptyContainer reports whether the expression is make(…), new(…), map[K]V{} or &T{}.
func isEmptyContainer(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CallExpr:
		fn, ok := e.Fun.(*ast.Ident)
		return ok && (fn.Name == "make" || fn.Name == "new")
	case *ast.CompositeLit:
		_, isMap := e.Type.(*ast.MapType)
		return isMap && len(e.Elts) == 0
	case *ast.UnaryExpr:
		lit, ok := e.X.(*ast.CompositeLit)
		return ok && e.Op == token.AND && len(lit.Elts) == 0
	}
	return false
}

// mutableType returns the name of a lock, an atomic or a sync.Map in the expression, or "" if there is none. It does
// not look into function bodies.
func (p *Package) mutableType(e ast.Expr) (what string) {
	if e == nil {
		return ""
	}

	ast.Inspect(e, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}

		x, ok := n.(ast.Expr)
		if !ok {
			return true
		}

		switch path, name := p.names.imported(x); {
		case path == "sync/atomic",
			path == "sync" && slices.Contains([]string{"Mutex", "RWMutex", "Map", "Once", "WaitGroup", "Cond"}, name):
			what = path + "." + name
		}

		return true
	})

	return what
}

// changedExpressions returns the expressions that a node changes, or whose address it takes.
func changedExpressions(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return n.Lhs
		}
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			return []ast.Expr{n.Key, n.Value}
		}
	case *ast.UnaryExpr:
		if _, isElement := n.X.(*ast.IndexExpr); n.Op == token.AND && !isElement {
			return []ast.Expr{n.X}
		}
	case *ast.CallExpr:
		fn, ok := n.Fun.(*ast.Ident)
		if ok && len(n.Args) > 0 && slices.Contains([]string{"delete", "clear", "copy"}, fn.Name) {
			return n.Args[:1]
		}
	}

	return nil
}

// packageVar returns the name of the package-level variable that an expression denotes, in whole or in part, or "". The
// variable may belong to another package.
func (p *Package) packageVar(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			if v, ok := p.names.uses[x].(*types.Var); ok && isPackageLevel(v) {
				return x.Name
			}

			return ""
		case *ast.SelectorExpr:
			if path, name := p.names.imported(x); path != "" {
				return path + "." + name
			}
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return ""
		}
	}
}
