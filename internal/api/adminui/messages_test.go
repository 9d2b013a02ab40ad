package adminui_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/productfield"
)

// Every text of a page has a translation, and every translation is of a text that some page has. A text of a part is
// looked up in the file of the part and then in shared.json. Texts that come from data stand in maps whose names end in
// Texts, or in comments of the form //messages: "Submitted" "Confirmed".
func TestMessages_areTranslated(t *testing.T) {
	t.Parallel()
	parts, err := filepath.Glob("*")
	if err != nil {
		t.Fatal(err)
	}

	used := map[string][]string{} // by part
	for _, part := range parts {
		if info, err := os.Stat(part); err == nil && info.IsDir() {
			used[part] = textsOfPart(t, part)
		}
	}

	for _, text := range audit.ActionTexts { // the page of the log shows them
		used["settingsui"] = append(used["settingsui"], text)
	}

	for _, f := range productfield.Fields { // the log shows the labels, too; the pages of keys show the plurals
		used["productui"] = append(used["productui"], f.Label)
		used["settingsui"] = append(used["settingsui"], f.Label, f.Plural)
	}

	for _, member := range catalog.VariantScalars { // the form of a product names them after the variant
		used["productui"] = append(used["productui"], "%s: "+member.Words, member.Label())
		used["settingsui"] = append(used["settingsui"], "%s: "+member.Words) // as the log does
	}

	for _, language := range frame.Languages()[1:] {
		shared := readMessages(t, language, "shared")
		inShared := map[string]bool{}
		for part, texts := range used {
			own := readMessages(t, language, part)
			for _, text := range texts {
				switch {
				case own[text] != nil:
				case shared[text] != nil:
					inShared[text] = true
				default:
					t.Errorf("%s: %s has no text for %q", language, part, text)
				}

				if m := own[text]; m != nil {
					checkVerbs(t, language, text, m)
				}
			}

			for text := range own {
				if !slices.Contains(texts, text) {
					t.Errorf("%s: no page of %s has the text %q", language, part, text)
				}
			}
		}

		for text, m := range shared {
			if !inShared[text] {
				t.Errorf("%s: no page has the shared text %q", language, text)
			}
			checkVerbs(t, language, text, m)
		}
	}
}

var (
	// A call of T in a template: {{T "text"}}, {{.T "text"}}, {{$.T "text"}} or (T "text").
	templateText = regexp.MustCompile(`(?:^|[\s({|$.])T\s+("(?:[^"\\]|\\.)*"|` + "`[^`]*`" + `)`)
	// A call of plural: {{plural .N "%d order" "%d orders"}} or {{.Plural …}}.
	templatePlural = regexp.MustCompile(`[pP]lural\s+(?:\([^)]*\)|[^\s"]+)\s+("(?:[^"\\]|\\.)*")\s+"`)
	quotedText     = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	formatVerb     = regexp.MustCompile(`%(?:\[\d+\])?[-+# 0]*\d*(?:\.\d+)?[a-zA-Z%]`)
)

// textsOfPart returns the English texts of the templates and the Go files of a part.
func textsOfPart(t *testing.T, part string) (texts []string) {
	t.Helper()
	add := func(quoted string) {
		text, err := strconv.Unquote(quoted)
		if err != nil {
			t.Fatalf("%s: %s: %v", part, quoted, err)
		}
		texts = append(texts, text)
	}

	err := filepath.WalkDir(part, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(path, "_test.go") {
			return err
		}

		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}

		switch filepath.Ext(path) {
		case ".html":
			for _, action := range regexp.MustCompile(`(?s)\{\{.*?\}\}`).FindAllString(string(content), -1) {
				for _, m := range templateText.FindAllStringSubmatch(action, -1) {
					add(m[1])
				}
				for _, m := range templatePlural.FindAllStringSubmatch(action, -1) {
					add(m[1])
				}
			}

		case ".go":
			textsOfGoFile(t, path, content, add)
		}

		return nil
	})
	if err != nil {
		t.Fatal(err)
	}

	return texts
}

// textsOfGoFile calls add for the quoted texts that a Go file passes to T, Of, Plural, NewView and NewPublicView, and
// for those in its maps of texts and in its messages comments.
func textsOfGoFile(t *testing.T, path string, content []byte, add func(quoted string)) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, content, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}

	for _, group := range file.Comments {
		for _, comment := range group.List {
			if list, ok := strings.CutPrefix(comment.Text, "//messages:"); ok {
				for _, quoted := range quotedText.FindAllString(list, -1) {
					add(quoted)
				}
			}
		}
	}

	ast.Inspect(file, func(n ast.Node) bool {
		if table, ok := n.(*ast.ValueSpec); ok && strings.HasSuffix(table.Names[0].Name, "Texts") {
			for _, value := range table.Values {
				textsOfTable(value, add)
			}
		}

		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		selector, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}

		if selector.Sel.Name == "Of" && len(call.Args) == 2 {
			what, ok := constantText(call.Args[0])
			word, also := constantText(call.Args[1])
			if ok && also {
				add(strconv.Quote(word + " (" + what + ")"))
			}
		}

		argument := map[string]int{"T": 0, "Plural": 1, "NewView": 1, "NewPublicView": 1}
		if i, ok := argument[selector.Sel.Name]; ok && i < len(call.Args) {
			if text, ok := constantText(call.Args[i]); ok {
				add(strconv.Quote(text))
			}
		}

		return true
	})
}

// textsOfTable calls add for the texts of a map, and of the maps in it.
func textsOfTable(table ast.Expr, add func(quoted string)) {
	literal, ok := table.(*ast.CompositeLit)
	if !ok {
		return
	}
	for _, element := range literal.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if text, ok := constantText(pair.Value); ok {
			add(strconv.Quote(text))
		}
		textsOfTable(pair.Value, add)
	}
}

// constantText returns the text of a literal or of a sum of literals.
func constantText(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		left, ok := constantText(e.X)
		right, also := constantText(e.Y)
		return left + right, ok && also && e.Op == token.ADD
	}
	return "", false
}

// readMessages returns the texts of a file, each as a map of its plural forms; a text without forms is under "other".
func readMessages(t *testing.T, language, part string) map[string]map[string]string {
	t.Helper()
	file := "frame/messages/" + language + "/" + part + ".json"
	if part == "fault" {
		file = "../wording/messages/" + language + ".json"
	}
	content, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}

	var raw map[string]any
	if err := json.Unmarshal(content, &raw); err != nil {
		t.Fatalf("%s/%s: %v", language, part, err)
	}

	all := map[string]map[string]string{}
	for text, v := range raw {
		all[text] = map[string]string{}
		switch v := v.(type) {
		case string:
			all[text]["other"] = v

		case map[string]any:
			for form, translated := range v {
				all[text][form] = translated.(string)
			}
			for _, form := range []string{"one", "few", "many", "other"} {
				if all[text][form] == "" {
					t.Errorf("%s/%s: %q has no plural form %q", language, part, text, form)
				}
			}
		}
	}

	return all
}

// checkVerbs fails the test if a translation does not take the same values.
func checkVerbs(t *testing.T, language, text string, forms map[string]string) {
	t.Helper()
	want := sortedVerbs(text)
	for form, translated := range forms {
		if got := sortedVerbs(translated); !slices.Equal(got, want) && !strings.Contains(translated, "%[") {
			t.Errorf("%s: %q (%s) takes %v, want %v", language, translated, form, got, want)
		}
	}
}

func sortedVerbs(text string) []string {
	verbs := formatVerb.FindAllString(text, -1)
	verbs = slices.DeleteFunc(verbs, func(v string) bool { return v == "%%" })
	slices.Sort(verbs)
	return verbs
}
