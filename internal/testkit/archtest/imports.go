package archtest

import (
	"slices"
	"strings"
)

// lines are the areas from top to bottom: a package imports only from a lower line, never sideways. The picture and its
// reasons are in docs/architecture.md; change both together.
var lines = [][]string{
	{"cmd", "bench"},
	{"app"},
	{"storeapi", "adminapi", "exchangeapi", "adminui"},
	{"runapi"},
	{"httpapi", "exchange", "demo", "push", "listen"},
	{"search", "order"},
	{"catalog", "customer", "inquiry"},
	{"access", "webhook"},
	{"notify"},
	{"store"},
	{"queue"},
	{"database", "captcha", "blob", "picture"},
	{"config", "mail", "outbound", "locale", "vault", "wire"},
	{"id", "contact"}, // below wire, which reads ids out of JSON, and mail, which writes to addresses
	{"fault"},         // below all other kits: each of them may say what went wrong
	{"examples"},      // they show how others would call us, so they have nothing of ours; one of them is in the binary
}

func lineOf(area string) int {
	return slices.IndexFunc(lines, func(line []string) bool { return slices.Contains(line, area) })
}

// ImportsPointDown finds imports that go up or sideways, and packages that are on no line. Tests may import what they
// need: the compiler refuses cycles there, and nothing of them is shipped.
func ImportsPointDown(p *Package) []string {
	if slices.Contains(testOnly, p.Area()) || len(p.sourceFiles()) == 0 {
		return nil
	}
	from := lineOf(p.Area())
	if from < 0 {
		return []string{p.finding(p.sourceFiles()[0].Syntax.Name,
			"package %s is on no line of the dependency rule: add %q to lines in internal/testkit/archtest/imports.go and to docs/architecture.md", p.Path, p.Area())}
	}
	var found []string
	for _, f := range p.sourceFiles() {
		for _, spec := range f.Syntax.Imports {
			path := importPath(spec)
			to := area(path)
			if !within(path, Module) || to == p.Area() || slices.Contains(testOnly, to) {
				continue // others' packages, our own, and those that TestKitsStayInTests looks at
			}
			switch line := lineOf(to); {
			case line < 0:
				found = append(found, p.finding(spec, "%s is on no line of the dependency rule: add %q to lines in internal/testkit/archtest/imports.go", path, to))
			case line == from:
				found = append(found, p.finding(spec, "%s imports %s, which is on its own line (%s): only lower lines may be imported", p.Area(), to, strings.Join(lines[line], " ")))
			case line < from:
				found = append(found, p.finding(spec, "%s imports %s, which is above it: only lower lines may be imported", p.Area(), to))
			}
		}
	}
	return found
}

// TestKitsStayInTests finds test kits in what is shipped: only _test.go files, the kits themselves and bench may import them.
func TestKitsStayInTests(p *Package) []string {
	if p.Area() == "bench" {
		return nil
	}
	var found []string
	files := p.productFiles()
	if p.Area() == "examples" {
		files = p.sourceFiles()
	}
	for _, f := range files {
		for _, spec := range f.Syntax.Imports {
			path := importPath(spec)
			if within(path, Module) && slices.Contains(testOnly, area(path)) {
				found = append(found, p.finding(spec, "%s is for tests: only _test.go files, other test kits and bench may import it", path))
			}
		}
	}
	return found
}
