package archtest

import (
	"maps"
	"slices"
	"testing"
)

// TestArchitecture checks the whole module with every rule.
func TestArchitecture(t *testing.T) {
	pkgs, err := loadModule()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(pkgs, func(p *Package) bool { return p.Path == "vitrine/internal/kit/database" }) {
		t.Fatalf("vitrine/internal/kit/database is not among the %d packages that were loaded", len(pkgs))
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
