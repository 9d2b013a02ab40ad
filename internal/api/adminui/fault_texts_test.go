package adminui_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vitrine/internal/api/adminui/frame"
)

// Every message of a fault that a page can show has a translation in package wording, and every translation there
// is of such a message. The messages are the sentences in the source of the packages that return faults to pages.
func TestFaultTexts_areTranslated(t *testing.T) {
	t.Parallel()
	used := faultMessages(t)
	if len(used) < 200 {
		t.Fatalf("only %d messages found", len(used))
	}

	formats := make([]*regexp.Regexp, len(used))
	for i, text := range used {
		formats[i] = formatExpression(text)
	}

	for _, language := range frame.Languages() {
		texts := readMessages(t, language, "fault")
		for _, text := range used {
			// English needs a text only where a page says it in other words.
			if language != "en" && texts[text] == nil {
				t.Errorf("%s: wording/messages has no text for %q", language, text)
			}
		}

		for text, forms := range texts {
			if !slices.ContainsFunc(formats, func(f *regexp.Regexp) bool { return f.MatchString(text) }) {
				t.Errorf("%s: no fault has the message %q", language, text)
			}
			checkFaultVerbs(t, language, text, forms)
		}
	}
}

// faultPackages are the directories below internal whose faults pages show. The pages of runs show the faults of items
// of accounting.
var faultPackages = []string{
	"shop/access", "shop/account", "shop/address", "shop/bulk", "shop/feed",
	"shop/catalog", "shop/catalog/export", "shop/catalog/internal/write",
	"shop/catalog/pricelist", "shop/catalog/push", "shop/catalog/view", "shop/exchange", "shop/exchange/onec",
	"shop/exchange/commerceml",
	"shop/exchange/item", "shop/exchange/item/table",
	"shop/imagefile", "shop/inquiry", "shop/listview", "shop/mailing", "shop/modifier",
	"shop/money", "shop/notify", "shop/order", "shop/protection", "shop/rule",
	"shop/search", "shop/searchrule", "shop/seo", "shop/slug", "shop/store",
	"shop/webhook", "kit/admission", "kit/blob", "kit/contact", "kit/database", "kit/fault", "kit/mail", "kit/memory",
	"kit/outbound", "kit/picture", "kit/wire", "kit/xlsx", "api/httpapi", "api/productapi", "api/exchangeapi",
	"api/adminui/*",
}

// notOnPages lists what needs no translation because no page shows it: whole files of faultPackages, and messages of
// other files.
var notOnPages = map[string][]string{
	"files": {
		"shop/account/invitation_message.go", "shop/account/email_change_message.go", // mail
		"shop/account/password_reset_message.go",
		"shop/exchange/item/body.go", // only a push over HTTP
		// Of the gate, only 1C shows its answers to people.
		"api/exchangeapi/onec_describe.go", "api/exchangeapi/token.go", "api/exchangeapi/describe.go",
		"api/exchangeapi/describe_export.go", "api/exchangeapi/export.go", "api/exchangeapi/pending.go",
		"api/exchangeapi/push.go", "api/exchangeapi/routes.go", "api/exchangeapi/run.go", "api/exchangeapi/schema.go",
		"shop/order/draft_limit.go",            // carts of shoppers
		"shop/protection/decision.go",          // forms of shoppers
		"kit/mail/mail.go", "kit/mail/smtp.go", // the program's own messages
		"kit/wire/encoding.go",
		"api/httpapi/connection_problem.go", "api/httpapi/cursor.go", "api/httpapi/decompress.go",
		"api/httpapi/file.go",
		"api/httpapi/idempotency.go", "api/httpapi/query.go", "api/httpapi/query_key.go",
		"api/httpapi/stream.go",
		"shop/address/resolve.go", "shop/address/sitemap.go", // only the public API
		"api/productapi/query.go", // only the list of the public API
	},
	"messages": {
		// The help of metrics.
		"Requests that a rate limit refused, by limiter.",
		"Requests that were answered with a problem, by its code.",
		"Requests with a key, a token or a session that is not valid.",
		// Faults of keys, which have no pages.
		"Name the key by its id, or give the whole token.",
		"A key cannot make one that may do more than itself; this one lacks the scope %s.",
		"A key that expires cannot make one that outlives it; this one expires at %s.",
		"A key that expires cannot invite operators, give them a role or enable them, because they outlive it; " +
			"this one expires at %s.",
		"This credential is valid, but may not do this; it would need the scope %s.",
		"Too many requests that change something came from this customer.",
		"This request was sent by a store to an address that somebody gave it, such as a webhook's, and would have a " +
			"store call a store for ever. Nothing was changed.",
		"The cursor is of %s. What was deleted is known for %d days only: export everything, without changed_since.",
		// Pages say this with texts of their own.
		"There is nothing at this path. The API is described at /docs and /openapi.json.",
		// JSON that no form makes.
		"The body must be JSON, sent with Content-Type: application/json.",
		"The body is empty; a JSON document is expected.",
		"The zstd frame needs a larger window than is accepted: at most %d bytes, " +
			"and in later frames no more than in " +
			"the first.",
		// The help of metrics.
		"Requests by route and status.", "Bytes of response bodies sent, by route.",
		"Seconds from the start of a request to the end of its response, by route.",
		"Requests whose connection was closed without a whole response, " +
			"by route and reason. The reason client_left is " +
			"the client's doing; connection_lost and response_broken are the server's.",
		// Parts of messages that the translation leaves out.
		"Send it without atomic=true, or in smaller parts.", "Send fewer categories.",
	},
}

// otherFaultTexts are messages that faultMessages does not find, because they do not look like sentences.
var otherFaultTexts = []string{
	"%s (%s)", "Line %d: %s", "The image at %s was not taken: %s", "a whole number such as 15",
	"a plain decimal number such as 1.5", "The address holds blanks or control characters", "This is not an address",
	"“%s” has no modifier with the id %.100s, or not any more.",
	"[%d] of the list has the same id; orders name what is chosen by its id.",
	"The path does not begin with a slash", "The path has no placeholder",
	"Around the placeholder a path has only Latin letters, digits and the characters / - _ . ~",
	"The path has an empty part, or one of dots",
	"The address does not begin with https:// or http://", "The address holds a user name or password",
	"range_type goes with field_type range only; this feature is of type select.",
	"The query parameter %s must be a plain decimal number such as 1990.50.", // a field of the filters of products
	// Lines of tables, to which a dot is added.
	"the lines of %s are not consecutive; put all lines with the same id together.",
	"%s of this line is empty, so it may belong to %s; fill in %s, or push %s from the rejects file if the line does " +
		"not belong to it.",
	"it has %d cells, but the first line has %d.", "%s is empty.", "%s differs from another line of %s.",
	"%s:%s must be one value; %s are several.", "%s must be a number %s; %q is not.",
	"%s must be true or false; %q is neither.", "a quote is opened and not closed.",
	"“%s” is no e-mail address; write one address a line.", "{{lines}} can stand in the text only.",
	"There is no placeholder {{%s}}. Did you mean {{%s}}?",
	"it contains a NUL character or is longer than 16 MiB.", "it is not UTF-8; save the file as UTF-8.",
	"it looks like %s, not UTF-8; save the file as UTF-8.",
}

// sentence matches a text for people. A part that is not constant is %s.
var sentence = regexp.MustCompile(`(?s)^[A-Z%].* .*\.( ?%s)?$`)

// faultMessages returns the messages of the packages in faultPackages, each once.
func faultMessages(t *testing.T) []string {
	t.Helper()
	messages := slices.Clone(otherFaultTexts)
	for _, pattern := range faultPackages {
		files, err := filepath.Glob("../../" + pattern + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files: %v", pattern, err)
		}

		for _, file := range files {
			name := strings.TrimPrefix(filepath.ToSlash(file), "../../")
			if strings.HasSuffix(file, "_test.go") || slices.Contains(notOnPages["files"], name) {
				continue
			}
			messages = append(messages, sentencesOf(t, file)...)
		}
	}

	slices.Sort(messages)
	return slices.DeleteFunc(slices.Compact(messages), func(m string) bool {
		return slices.Contains(notOnPages["messages"], m) || strings.Trim(m, "%s ") == ""
	})
}

// sentencesOf returns the sentences in a Go file. The pages have many more texts, so of their files only the arguments
// of functions of package fault count.
func sentencesOf(t *testing.T, file string) (list []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}

	collect := func(n ast.Node) bool {
		if field, ok := n.(*ast.Field); ok && field.Tag != nil {
			return false
		}

		e, ok := n.(ast.Expr)
		if !ok {
			return true
		}

		text, ok := formatOf(e)
		if text = strings.TrimSpace(text); ok && sentence.MatchString(text) {
			list = append(list, text)
		}

		return !ok
	}
	if !strings.HasPrefix(filepath.ToSlash(file), "../../api/adminui/") {
		ast.Inspect(parsed, collect)
		return list
	}

	ast.Inspect(parsed, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}

		if selector, ok := call.Fun.(*ast.SelectorExpr); ok {
			if of, ok := selector.X.(*ast.Ident); ok && of.Name == "fault" {
				for _, argument := range call.Args {
					if text, ok := constantText(argument); ok && sentence.MatchString(text) {
						list = append(list, text)
					}
				}
			}
		}

		return true
	})

	return list
}

// formatOf returns a literal, or a sum in which %s stands for each part that is not a literal.
func formatOf(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, e.Kind == token.STRING && err == nil

	case *ast.BinaryExpr:
		left, ok := formatOf(e.X)
		right, also := formatOf(e.Y)
		if !ok {
			left = "%s"
		}

		if !also {
			right = "%s"
		}

		return left + right, e.Op == token.ADD && (ok || also)
	}

	return "", false
}

// formatExpression matches a format string, and texts that have words in place of its verbs.
func formatExpression(format string) *regexp.Regexp {
	parts := formatVerb.Split(format, -1)
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(part)
	}
	return regexp.MustCompile(`(?s)^` + strings.Join(parts, `.+`) + `$`)
}

// checkFaultVerbs fails the test if a translation has more values than the message. It may have fewer.
func checkFaultVerbs(t *testing.T, language, text string, forms map[string]string) {
	t.Helper()
	want := len(sortedVerbs(text))
	for form, translated := range forms {
		if got := len(sortedVerbs(translated)); got > want {
			t.Errorf("%s: %q (%s) has %d values, want at most %d", language, translated, form, got, want)
		}
	}
}
