package archtest

import (
	"slices"
	"strings"
)

// levels are the levels of the module from top to bottom. A package may import packages of lower levels, and those of
// its own level that areas allows. docs/architecture.md explains the levels and must be changed together with this
// table.
var levels = [][]string{
	{"cmd", "bench", "tools", "examples"},
	{"app"},
	{"api"},
	{"demo", "client"},
	{"shop"},
	{"kit"},
}

// areas are the areas of each level from top to bottom. An area may import only areas on lower lines.
var areas = map[string][][]string{
	"api": {
		{"storeapi", "adminapi", "exchangeapi", "adminui"},
		{"runapi", "productapi", "confirm", "wording"},
		{"httpapi"},
	},
	"client": {
		{"push", "listen", "onec", "tstype"},
		{"request"},
	},
	"shop": {
		{"exchange", "privacy", "feed", "mailing", "transfer"},
		{"search", "order", "bulk"},
		{"searchrule", "searchlog", "change", "address"},
		{"catalog", "customer", "inquiry", "account", "listview", "live"},
		{"access", "webhook", "imagefile"},
		{"notify", "event", "protection"},
		{"audit", "pricing", "modifier", "slug", "seo"},
		{"store", "productfield", "money"},
		{"rule"},
	},
	"kit": {
		{"queue"},
		{"database", "captcha", "blob", "picture", "schema"},
		{"config", "mail", "outbound", "locale", "vault", "wire"},
		{"id", "contact", "cache", "periodic", "admission", "trace", "language", "xlsx"},
		// wire decodes ids, mail sends to contact addresses
		{"memory"}, // settings and caches have shares of it
		{"fault"},  // every other kit may return faults
	},
}

// testLevel is the level of packages that only tests import. They may import any package.
const testLevel = "testkit"

// lineIndex returns the index of the line that contains name, or -1.
func lineIndex(table [][]string, name string) int {
	return slices.IndexFunc(table, func(names []string) bool { return slices.Contains(names, name) })
}

// ImportsPointDown finds imports of packages that are not on a lower line, and packages that are missing from levels or
// areas. Tests may import any package, since they are not shipped.
func ImportsPointDown(p *Package) []string {
	if p.Level() == testLevel || len(p.sourceFiles()) == 0 {
		return nil
	}

	if missing := missingEntry(p.Level(), p.Area()); missing != "" {
		return []string{p.finding(p.sourceFiles()[0].Syntax.Name,
			"the dependency rule does not know package %s: add %s in internal/testkit/archtest/imports_test.go and in "+
				"docs/architecture.md", p.Path, missing)}
	}

	var findings []string
	for spec, path := range imports(p.sourceFiles()) {
		if !isWithin(path, Module) {
			continue
		}
		if violation := p.importViolation(path); violation != "" {
			findings = append(findings, p.finding(spec, "%s imports %s, %s", p.Path, path, violation))
		}
	}

	return findings
}

// importViolation returns why the package may not import another package of the module, or "" if it may.
func (p *Package) importViolation(path string) string {
	level, area := locate(path)
	if level == testLevel {
		return "" // OnlyTestsImportTestKits reports it
	}

	if missing := missingEntry(level, area); missing != "" {
		return "which the dependency rule does not know: add " + missing +
			" in internal/testkit/archtest/imports_test.go"
	}

	table := levels
	importer := p.Level()
	imported := level
	if level == p.Level() {
		if area == p.Area() {
			return ""
		}
		table = areas[level]
		importer = p.Area()
		imported = area
	}

	switch importerLine, importedLine := lineIndex(table, importer), lineIndex(table, imported); {
	case importedLine == importerLine:
		return "which is on the same line (" + strings.Join(table[importedLine], " ") +
			"): only lower lines may be imported"
	case importedLine < importerLine:
		return "which is above it: only lower lines may be imported"
	}

	return ""
}

// missingEntry returns which entry the tables lack for a package of this level and area, or "" if they have all.
func missingEntry(level, area string) string {
	if lineIndex(levels, level) < 0 {
		return `"` + level + `" to levels`
	}
	if table, ok := areas[level]; ok && lineIndex(table, area) < 0 {
		return `"` + area + `" to areas["` + level + `"]`
	}
	return ""
}

// OnlyTestsImportTestKits finds imports of test kits outside tests. Only _test.go files, other test kits and bench may
// import them.
func OnlyTestsImportTestKits(p *Package) []string {
	if p.Level() == "bench" {
		return nil
	}
	files := p.productFiles()
	if p.Level() == "examples" {
		files = p.sourceFiles()
	}
	var findings []string
	for spec, path := range imports(files) {
		if level, _ := locate(path); isWithin(path, Module) && level == testLevel {
			findings = append(findings, p.finding(spec,
				"%s is for tests: only _test.go files, other test kits and bench may import it", path))
		}
	}
	return findings
}
