package archtest

import (
	"maps"
	"slices"
	"testing"
)

// TestArchitecture holds the whole module against every rule.
func TestArchitecture(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	pkgs, err := Load(root)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(pkgs, func(p *Package) bool { return p.Path == "vitrine/internal/kit/database" }) {
		t.Fatalf("vitrine/internal/kit/database is not among the %d packages found: the rules saw nothing", len(pkgs))
	}
	rules := Rules()
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		t.Run(name, func(t *testing.T) {
			for _, p := range pkgs {
				for _, finding := range rules[name](p) {
					t.Error(finding)
				}
			}
		})
	}
}
