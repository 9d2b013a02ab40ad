package archtest

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

const (
	maxFiles   = 85
	maxKnot    = 60
	maxMethods = 50
)

// SmallTypes finds types with more than maxMethods methods.
func SmallTypes(p *Package) []string {
	methods := map[string][]*ast.FuncDecl{}
	for fn := range nodes[*ast.FuncDecl](p.productFiles()) {
		if fn.Recv != nil {
			name := receiverName(fn.Recv.List[0].Type)
			methods[name] = append(methods[name], fn)
		}
	}

	var findings []string
	for name, all := range methods {
		if len(all) > maxMethods {
			findings = append(findings, p.finding(all[0], "%s has %d methods, at most %d are allowed: split it",
				name, len(all), maxMethods))
		}
	}

	return findings
}

// receiverName returns the name of the type of a receiver.
func receiverName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiverName(e.X)
	case *ast.IndexExpr:
		return receiverName(e.X)
	case *ast.IndexListExpr:
		return receiverName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// SmallPackages finds packages with more than maxFiles files, and packages in which more than maxKnot files use each
// other in a circle.
func SmallPackages(p *Package) []string {
	files := p.productFiles()
	if len(files) > maxFiles {
		return []string{p.finding(files[0].Syntax.Name, "the package has %d files, at most %d are allowed: split it",
			len(files), maxFiles)}
	}
	if len(files) <= maxKnot {
		return nil
	}
	if knot := largestKnot(p, files); len(knot) > maxKnot {
		return []string{p.finding(files[0].Syntax.Name,
			"%d files of the package use each other in a circle, at most %d are allowed: %s", len(knot), maxKnot,
			strings.Join(knot, " "))}
	}
	return nil
}

// largestKnot returns the names of the largest set of files of which each uses all others, directly or through others.
func largestKnot(p *Package, files []*File) (largest []string) {
	uses := map[string]map[string]bool{}
	for _, f := range files {
		uses[f.Name] = map[string]bool{f.Name: true}
		for name := range nodes[*ast.Ident]([]*File{f}) {
			if used := p.names.uses[name]; used != nil && used.Pkg() != nil && used.Pkg().Path() == p.Path {
				uses[f.Name][p.fset.Position(used.Pos()).Filename] = true
			}
		}
	}

	for _, through := range files {
		for _, from := range files {
			if !uses[from.Name][through.Name] {
				continue
			}
			for to := range uses[through.Name] {
				uses[from.Name][to] = true
			}
		}
	}

	for _, f := range files {
		var knot []string
		for _, other := range files {
			if uses[f.Name][other.Name] && uses[other.Name][f.Name] {
				knot = append(knot, other.Name)
			}
		}
		if len(knot) > len(largest) {
			largest = knot
		}
	}

	return largest
}

// ServiceFilesHaveTypes finds files x_service.go without a file x.go. The suffix separates the use cases of a subject
// from its types and rules; use cases that stand alone are in a file without suffix.
func ServiceFilesHaveTypes(p *Package) []string {
	var findings []string
	for _, f := range p.productFiles() {
		subject, ok := strings.CutSuffix(f.Name, "_service.go")
		if ok && !slices.ContainsFunc(p.Files, func(o *File) bool { return o.Name == subject+".go" }) {
			findings = append(findings, p.finding(f.Syntax.Name, "there is no %s.go beside it: drop _service", subject))
		}
	}
	return findings
}

func TestLargestKnot(t *testing.T) {
	p, err := Parse("vitrine/internal/shop/x", map[string]string{
		"a.go": "package x\nfunc a() { b() }", "b.go": "package x\nfunc b() { c() }",
		"c.go": "package x\ntype t struct{}\nfunc (t) m() { a() }\nfunc c() { d() }", "d.go": "package x\nfunc d() {}",
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(largestKnot(p, p.Files), " "); got != "a.go b.go c.go" {
		t.Errorf("the knot is %q", got)
	}
}

func TestSmallTypes(t *testing.T) {
	methods := strings.Repeat("func (*t[K]) m() {}\n", maxMethods)
	checkRule(t, SmallTypes, []ruleCase{
		{"at most", "internal/shop/order/order.go", "type t[K any] struct{}\n" + methods, 0},
		{"more", "internal/shop/order/order.go", "type t[K any] struct{}\n" + methods + "func (t[K]) n() {}", 1},
	})
}

func TestServiceFilesHaveTypes(t *testing.T) {
	checkRule(t, ServiceFilesHaveTypes, []ruleCase{
		{"alone", "internal/shop/order/order_service.go", "", 1},
		{"without suffix", "internal/shop/order/order.go", "", 0},
	})
}
