package store

import (
	"strings"

	"vitrine/internal/kit/fault"
)

// PathPattern is the form of the paths that a site has for its products or categories: text with one placeholder, such
// as "/p/{slug}" or "/c/{path}".
type PathPattern string

// Paths are the forms of the paths of a site.
type Paths struct {
	Product  PathPattern // with {slug}
	Category PathPattern // with {path}: the slugs from the root on, joined by "/"
}

// PathsEdit is an edit of Paths. Nil members stay unchanged.
type PathsEdit struct{ Product, Category *string }

// The placeholders of paths.
const (
	slugPlaceholder = "{slug}"
	pathPlaceholder = "{path}"
)

const (
	maxPathPattern = 200 // bytes
	// maxFormerPaths bounds the earlier forms of a setting that still redirect, the latest ones.
	maxFormerPaths = 20
)

// DefaultPaths are the paths of a new store.
func DefaultPaths() Paths { return Paths{Product: "/p/{slug}", Category: "/c/{path}"} }

// split returns the texts before and after the placeholder, without a slash at the end.
func (p PathPattern) split() (before, after string) {
	text := string(p)
	from := strings.IndexByte(text, '{')
	to := strings.IndexByte(text, '}')
	if from < 0 || to < from {
		return text, ""
	}
	return text[:from], strings.TrimSuffix(text[to+1:], "/")
}

// Path returns the path in which the placeholder is replaced by slugs.
func (p PathPattern) Path(slugs string) string {
	before, after := p.split()
	path := before + slugs + after
	if strings.HasSuffix(string(p), "/") {
		return path + "/"
	}
	return path
}

// Match returns what a path without a slash at its end has in the place of the placeholder, and whether it has this
// form. It does not check whether the result consists of slugs.
func (p PathPattern) Match(path string) (slugs string, ok bool) {
	before, after := p.split()
	if len(path) <= len(before)+len(after) || !strings.HasPrefix(path, before) || !strings.HasSuffix(path, after) {
		return "", false
	}
	return path[len(before) : len(path)-len(after)], true
}

// apply returns the paths with the edit applied, and the broken rules.
func (e PathsEdit) apply(paths Paths) (Paths, []fault.Field) {
	if e == (PathsEdit{}) {
		return paths, nil
	}

	var broken []fault.Field
	set := func(to *PathPattern, field string, from *string, placeholder, example string) {
		if from == nil {
			return
		}
		pattern, bad := checkPathPattern(*from, placeholder, example)
		if bad != nil {
			broken = append(broken, bad.At(field))
		}
		*to = pattern
	}
	defaults := DefaultPaths()
	set(&paths.Product, "paths.product", e.Product, slugPlaceholder, string(defaults.Product))
	set(&paths.Category, "paths.category", e.Category, pathPlaceholder, string(defaults.Category))

	productBefore, productAfter := paths.Product.split()
	categoryBefore, categoryAfter := paths.Category.split()
	if broken == nil && productBefore == categoryBefore && productAfter == categoryAfter {
		broken = append(broken, fault.Broken("paths_overlap",
			"Products and categories would have the same paths; write different text around the placeholders.").
			At("paths.category"))
	}

	return paths, broken
}

// checkPathPattern is the rule of a form of paths: it begins with a slash and has the placeholder once.
func checkPathPattern(sent, placeholder, example string) (PathPattern, *fault.Field) {
	pattern := PathPattern(strings.TrimSpace(sent))
	bad := func(reason string) (PathPattern, *fault.Field) {
		return pattern, fault.Broken("invalid_path", `%s; write a path with %s in it, such as "%s".`, reason,
			placeholder, example)
	}

	before, after, found := strings.Cut(string(pattern), placeholder)
	text := before + after
	switch {
	case len(pattern) > maxPathPattern:
		return pattern, PathTooLong(len(pattern), maxPathPattern)
	case !strings.HasPrefix(before, "/"):
		return bad("The path does not begin with a slash")
	case !found:
		return bad("The path has no placeholder")
	case strings.ContainsFunc(text, isNoPathCharacter):
		return bad("Around the placeholder a path has only Latin letters, digits and the characters / - _ . ~")
	case hasEmptyOrDotSegment(before + "x" + after):
		return bad("The path has an empty part, or one of dots")
	}

	return pattern, nil
}

// PathTooLong returns the broken rule of a path with too many bytes.
func PathTooLong(length, limit int) *fault.Field {
	return fault.Broken("too_long", "The path has %d bytes; at most %d are allowed.", length, limit)
}

func isNoPathCharacter(r rune) bool {
	return !isHostRune(r, true) && r != '/' && r != '.' && r != '~'
}

// hasEmptyOrDotSegment reports whether a path has two slashes in a row, or a segment "." or "..".
func hasEmptyOrDotSegment(path string) bool {
	segments := strings.Split(strings.TrimSuffix(path[1:], "/"), "/")
	for _, s := range segments {
		if s == "" || s == "." || s == ".." {
			return true
		}
	}
	return false
}
