package settingsui

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// Every action that the source names as an entry of the log has words.
func TestActionTexts_haveEveryRecordedAction(t *testing.T) {
	named := regexp.MustCompile(`(?:Action: |Change: |Entry\(|changeImages\(r, productID, )"([a-z]+\.[a-z_]+)"`)
	// These functions put a noun before the verb that they are given.
	verbs := regexp.MustCompile(`\b(categoryEntry|warehouseEntry|p\.entry|p\.valuesEntry)\("([a-z_]+)"`)
	nouns := map[string][]string{"categoryEntry": {"category."}, "warehouseEntry": {"stock."},
		"p.entry": {"option.", "feature."}, "p.valuesEntry": {"values."}}
	found := 0
	check := func(path, action string) {
		if found++; actionTexts[action] == "" {
			t.Errorf("%s records %s, which has no words", path, action)
		}
	}
	internal := os.DirFS("../../..")
	err := fs.WalkDir(internal, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := fs.ReadFile(internal, path)
		if err != nil {
			return err
		}
		for _, m := range named.FindAllSubmatch(source, -1) {
			check(path, string(m[1]))
		}
		for _, m := range verbs.FindAllSubmatch(source, -1) {
			for _, noun := range nouns[string(m[1])] {
				check(path, noun+string(m[2]))
			}
		}
		return nil
	})
	if err != nil || found < 60 {
		t.Errorf("%d actions were found, %v", found, err)
	}
}
