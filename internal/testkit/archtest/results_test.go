package archtest

import (
	"go/ast"
	"go/token"
	"testing"
)

// NoResultsChangedByReturn finds return statements such as
//
//	return v, f(&v)
//
// in which a call gets the address of another result. The language does not say whether v is read before or after the
// call.
func NoResultsChangedByReturn(p *Package) []string {
	var findings []string
	for r := range nodes[*ast.ReturnStmt](p.Files) {
		for i, call := range r.Results {
			addressed := addressedVariables(call)
			for j, result := range r.Results {
				if i == j {
					continue
				}

				for n := range ast.Preorder(result) {
					if id, ok := n.(*ast.Ident); ok && addressed[id.Name] {
						findings = append(findings, p.finding(r,
							"a call in this return statement gets the address of %s, which is a result, "+
								"too: call it before", id.Name))
					}
				}
			}
		}
	}

	return findings
}

// addressedVariables returns the names of the variables whose address a call takes, in whole or in part.
func addressedVariables(result ast.Expr) map[string]bool {
	names := map[string]bool{}
	if _, ok := result.(*ast.CallExpr); !ok {
		return names
	}
	for n := range ast.Preorder(result) {
		if u, ok := n.(*ast.UnaryExpr); ok && u.Op == token.AND {
			if id := rootIdent(u.X); id != nil {
				names[id.Name] = true
			}
		}
	}
	return names
}

// rootIdent returns the variable of an expression such as v, v.field or v[i].
func rootIdent(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return nil
		}
	}
}

func TestNoResultsChangedByReturn(t *testing.T) {
	checkRule(t, NoResultsChangedByReturn, []ruleCase{
		{"address of a result", "internal/shop/a/a.go", `func f() (v int, err error) { return v, g(&v) }`, 1},
		{"address of a member", "internal/shop/a/a.go",
			`func f() (T, error) { var v T; return v, g([]byte("x"), &v.list[0]) }`, 1},
		{"part of a result", "internal/shop/a/a.go", `func f() (int, error) { var v T; return v.n, g(&v) }`, 1},
		{"another variable", "internal/shop/a/a.go", `func f() (v int, err error) { return v, g(&w) }`, 0},
		{"call before", "internal/shop/a/a.go", `func f() (v int, err error) { err = g(&v); return v, err }`, 0},
	})
}
