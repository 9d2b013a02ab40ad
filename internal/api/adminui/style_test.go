package adminui_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every distance and every size of type is of the scale that vitrine.css defines, so that the pages look like one
// product. Hairlines of one or two pixels, shares and sizes relative to the text around are no part of it.
func TestStyleSheets_useTheScale(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("frame/assets/*.css")
	if err != nil {
		t.Fatal(err)
	}

	rule := regexp.MustCompile(`(?m)^\s*((?:margin|padding|gap|row-gap|column-gap|font-size)[a-z-]*): ([^;]*);`)
	ofScale := regexp.MustCompile(`var\(--(?:space|text)-\d+\)|\b[12]px\b|-?[\d.]+(?:em\b|%)`)
	number := regexp.MustCompile(`[\d.]+(?:rem|px|pt)`)
	declaration := regexp.MustCompile(`(--(?:space|text)-\d+): `)
	declared := map[string]bool{}
	rules := 0
	for _, file := range files {
		if name := filepath.Base(file); name == "basecoat.css" || name == "uplot.css" {
			continue // of others
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}

		for _, found := range declaration.FindAllStringSubmatch(string(content), -1) {
			declared[found[1]] = true
		}
		for _, found := range rule.FindAllStringSubmatch(string(content), -1) {
			rules++
			if number.MatchString(ofScale.ReplaceAllString(found[2], "")) {
				t.Errorf("%s: %s: %s is not of the scale", file, found[1], found[2])
			}
			for _, used := range regexp.MustCompile(`--(?:space|text)-\d+`).FindAllString(found[2], -1) {
				if isType := strings.HasPrefix(used, "--text"); isType != (found[1] == "font-size") {
					t.Errorf("%s: %s: %s mixes spacing and type", file, found[1], found[2])
				}
				declared[used] = declared[used] || false
			}
		}
	}

	for name, is := range declared {
		if !is {
			t.Errorf("the scale has no %s", name)
		}
	}
	if rules < 200 {
		t.Errorf("only %d rules are found", rules)
	}
}
