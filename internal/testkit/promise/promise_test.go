package promise

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// root is the root of the module.
const root = "../../.."

// Every test that docs/promises.md names exists in the package that it names.
func TestPage_namesTestsThatExist(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs/promises.md"))
	if err != nil {
		t.Fatal(err)
	}
	promises, err := Parse(string(page))
	if err != nil {
		t.Fatal(err)
	}
	if len(promises) < 20 {
		t.Errorf("the page has %d promises, want at least 20", len(promises))
	}

	byPackage := map[string]map[string]bool{}
	for _, p := range promises {
		for _, proof := range p.Proofs {
			if proof.Benchmark != "" {
				checkBenchmark(t, p.Title, proof.Benchmark)
				continue
			}

			if byPackage[proof.Package] == nil {
				byPackage[proof.Package] = testsOf(t, filepath.Join(root, proof.Package))
			}

			for _, test := range proof.Tests {
				if !byPackage[proof.Package][test] {
					t.Errorf("%s: there is no %s in %s", p.Title, test, proof.Package)
				}
			}
		}
	}
}

// testsOf returns the names of the tests and fuzz targets in a folder.
func testsOf(t *testing.T, folder string) map[string]bool {
	t.Helper()
	tests := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}

	for _, file := range files {
		syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}

		for _, d := range syntax.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				tests[f.Name.Name] = true
			}
		}
	}

	return tests
}

// checkBenchmark fails the test if bench has no benchmark with that name.
func checkBenchmark(t *testing.T, title, name string) {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(root, "bench/main.go"))
	if err != nil || !strings.Contains(string(source), `{"`+name+`", `) {
		t.Errorf("%s: there is no benchmark %s; %v", title, name, err)
	}
}

// Only tests, and the packages that are for tests, make statements fail.
func TestStatementHook_isForTestsOnly(t *testing.T) {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.Contains(filepath.ToSlash(path), "internal/testkit/") {
			return err
		}
		source, err := os.ReadFile(path)
		if strings.Contains(string(source), "database.WithStatementHook") {
			t.Errorf("%s calls database.WithStatementHook, which is for tests", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestParse(t *testing.T) {
	const page = "# Promises\n\n## Data\n\n### 1. It holds\n\n- Limit: none.\n" +
		"- Proof: `TestA_b`,\n  `TestC` in `internal/kit/x` with `VITRINE_KILLS=3`\n- Proof: benchmark " +
		"`overload`\n\n## Not promised\n\n- Order of `events`.\n"
	got, err := Parse(page)
	want := []Promise{{"1. It holds", "none.", []Proof{
		{Package: "internal/kit/x", Tests: []string{"TestA_b", "TestC"}, Environment: []string{"VITRINE_KILLS=3"}},
		{Benchmark: "overload"},
	}}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("got %v, %s", err, diff)
	}

	for name, page := range map[string]string{
		"no limit":   strings.Replace(page, "- Limit: none.\n", "", 1),
		"no proof":   "### 1. It holds\n\n- Limit: none.\n",
		"no number":  "### It holds\n",
		"no package": strings.Replace(page, "`internal/kit/x`", "it", 1),
		"a typo":     strings.Replace(page, "`TestC`", "`TstC`", 1),
	} {
		if _, err := Parse(page); err == nil {
			t.Errorf("a page with %s is accepted", name)
		}
	}
}
