package page_test

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/demo/page"
)

var (
	// codeText matches an English text in the code, nounText a noun with a number, labelText that of an attribute.
	codeText  = regexp.MustCompile(`\b(?:(?:T|P|link|quoted)\(|group\("[a-z]+", )"((?:[^"\\]|\\.)+)"`)
	nounText  = regexp.MustCompile(`\bcount\([^"]*"([a-z]+)"`)
	labelText = regexp.MustCompile(`(?:placeholder|aria-label|title)="([^"]+)"`)
	// elementText matches the text between two tags.
	elementText = regexp.MustCompile(`>([^<>]+)<`)
	space       = regexp.MustCompile(`\s+`)
	entry       = regexp.MustCompile(`(?m)^  "((?:[^"\\]|\\.)+)":`)
)

// Each text of the page has a Russian one, and none is left over.
func TestTexts_areAllInRussian(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		content, err := fs.ReadFile(page.Files, name)
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}

	russian := map[string]bool{}
	for _, m := range entry.FindAllStringSubmatch(read("texts.js"), -1) {
		russian[m[1]] = false
	}
	use := func(file, text string) {
		text = strings.TrimSpace(text)
		if text == "" || !strings.ContainsAny(text, "abcdefghijklmnopqrstuvwxyz“") {
			return
		}
		for _, key := range []string{text, text + " "} {
			if _, ok := russian[key]; ok {
				russian[key] = true
				return
			}
		}
		t.Errorf("%s: there is no Russian text for %q", file, text)
	}

	names, err := fs.Glob(page.Files, "*.js")
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	for _, name := range names {
		if name == "texts.js" {
			continue
		}
		code := read(name)
		all += code
		for _, pattern := range []*regexp.Regexp{codeText, nounText} {
			for _, m := range pattern.FindAllStringSubmatch(code, -1) {
				use(name, m[1])
			}
		}
	}

	_, body, _ := strings.Cut(read(page.Index), "<body>")
	body = regexp.MustCompile(`(?s)<noscript>.*?</noscript>|<code>.*?</code>`).ReplaceAllString(body, "<code></code>")
	texts := append(elementText.FindAllStringSubmatch(body, -1), labelText.FindAllStringSubmatch(body, -1)...)
	for _, m := range texts {
		if text := space.ReplaceAllString(m[1], " "); !strings.HasPrefix(strings.TrimSpace(text), "pk_") {
			use(page.Index, text)
		}
	}

	for text, isUsed := range russian {
		if !isUsed && !strings.Contains(all, `"`+text+`"`) {
			t.Errorf("no part of the page has the text %q", text)
		}
	}
}
