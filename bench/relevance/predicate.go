package relevance

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/demo"
)

// query is a label for a catalogue: with the placeholders filled in.
type query struct {
	Label
	text  string
	terms []term
	// bound is the product of the placeholder, or nil.
	bound *document
	// first means that bound has to come first.
	first bool
	// relevantProducts is the number of relevant products of the catalogue.
	relevantProducts int
}

// term is a part of a predicate: a product has one of the patterns, or none if the term is negated.
type term struct {
	negated  bool
	patterns []pattern
}

// pattern is a list of words that follow each other in a part of a product.
type pattern struct {
	part  string
	words []string // the last one may end with *
}

// relevant reports whether a product is relevant.
func (q *query) relevant(d *document) bool {
	for _, t := range q.terms {
		if slices.ContainsFunc(t.patterns, func(p pattern) bool { return q.matches(p, d) }) == t.negated {
			return false
		}
	}
	return true
}

func (q *query) matches(p pattern, d *document) bool {
	switch p.part {
	case "same", "first":
		return d.number == q.bound.number
	case "model":
		p.part = "name"
		p.words = fold(q.bound.product.Model)
	case "brand":
		if p.words == nil {
			p.words = q.bound.words["brand"][0]
		}
	case "nothing":
		return false
	}
	return slices.ContainsFunc(d.words[p.part], func(t text) bool { return contains(t, p.words) })
}

// contains reports whether a text has the words of a pattern one after the other.
func contains(t text, words []string) bool {
	for i := 0; i+len(words) <= len(t); i++ {
		found := true
		for j, w := range words {
			if beginning, ok := strings.CutSuffix(w, "*"); ok {
				found = found && strings.HasPrefix(t[i+j], beginning)
			} else {
				found = found && t[i+j] == w
			}
		}
		if found {
			return true
		}
	}
	return false
}

// newQuery fills in the placeholders of a label and parses its predicate. It refuses a label for which the catalogue
// has no product.
func newQuery(l Label, c *catalogue) (*query, error) {
	q := &query{Label: l}
	var err error
	if q.text, err = q.fill(c); err != nil {
		return nil, fmt.Errorf("%s: %w", l.Query, err)
	}

	for word := range strings.FieldsSeq(l.Want) {
		t, err := q.parseTerm(word)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.Query, err)
		}
		q.terms = append(q.terms, t)
	}

	for i := range c.documents {
		if q.relevant(&c.documents[i]) {
			q.relevantProducts++
		}
	}
	if (q.relevantProducts == 0) != (l.Group == nonsenseGroup) {
		return nil, fmt.Errorf("%s | %s | %s: %d products are relevant", l.Group, l.Language, q.text,
			q.relevantProducts)
	}
	return q, nil
}

func (q *query) parseTerm(word string) (t term, err error) {
	word, t.negated = strings.CutPrefix(word, "!")

	for alternative := range strings.SplitSeq(word, "|") {
		part, words, ok := strings.Cut(alternative, ":")
		switch {
		case ok && !slices.Contains([]string{"name", "category", "brand", "colour", "value", "option", "text"}, part):
			return t, fmt.Errorf("there is no part %q", part)
		case ok:
			t.patterns = append(t.patterns, pattern{part, strings.Split(words, "_")})
		case alternative == "nothing":
			t.patterns = append(t.patterns, pattern{part: alternative})
		case slices.Contains([]string{"same", "first", "model", "brand"}, alternative):
			if q.bound == nil {
				return t, fmt.Errorf("%s needs a placeholder in the query", alternative)
			}
			q.first = q.first || alternative == "first"
			t.patterns = append(t.patterns, pattern{part: alternative})
		default:
			t.patterns = append(t.patterns, pattern{"name", strings.Split(alternative, "_")})
		}
	}

	return t, nil
}

// fill returns the query with the values of its placeholders, which are all of one product.
func (q *query) fill(c *catalogue) (string, error) {
	var filled strings.Builder
	rest := q.Query
	for {
		before, after, ok := strings.Cut(rest, "{")
		filled.WriteString(before)
		if !ok {
			return filled.String(), nil
		}

		inside, behind, ok := strings.Cut(after, "}")
		parts := strings.Fields(inside)
		if !ok || len(parts) < 2 {
			return "", fmt.Errorf("the placeholder %q is incomplete", after)
		}

		number, err := strconv.Atoi(parts[1])
		if err != nil {
			return "", err
		}

		value, err := q.bind(c, parts[0], number)
		if err != nil {
			return "", err
		}

		for _, change := range parts[2:] {
			if value, err = changeText(value, change); err != nil {
				return "", err
			}
		}

		filled.WriteString(value)
		rest = behind
	}
}

// bind returns the value of the first product, from number on, that has one.
func (q *query) bind(c *catalogue, what string, number int) (string, error) {
	for i := number - 1; i < len(c.documents); i++ {
		if value := valueOf(&c.documents[i], what); value != "" {
			q.bound = &c.documents[i]
			return value, nil
		}
	}
	return "", fmt.Errorf("no product from number %d on has a %s", number, what)
}

func valueOf(d *document, what string) string {
	switch what {
	case "sku":
		return d.product.Variants[0].SKU
	case "barcode":
		return d.product.Variants[0].Barcode
	case "external":
		return d.product.ExternalID
	case "model":
		return d.product.Model
	case "brand":
		return strings.Join(d.words["brand"][0], " ")
	}
	return ""
}

// changeText changes the value of a placeholder as people type it.
func changeText(value, change string) (string, error) {
	separators := func(r rune) bool { return strings.ContainsRune("-./ ", r) }

	switch change {
	case "lower":
		return strings.ToLower(value), nil
	case "glued":
		return strings.Join(strings.FieldsFunc(value, separators), ""), nil
	case "spaced":
		return strings.Join(strings.FieldsFunc(value, separators), " "), nil
	case "dotted":
		return strings.Join(strings.FieldsFunc(value, separators), "."), nil
	case "head":
		return value[:strings.LastIndexFunc(value, separators)], nil
	case "number":
		longest := ""
		for _, part := range strings.FieldsFunc(value, func(r rune) bool { return r < '0' || r > '9' }) {
			if len(part) > len(longest) {
				longest = part
			}
		}
		return longest, nil
	case "layout":
		return otherLayout(value), nil
	}
	return "", fmt.Errorf("there is no change %q", change)
}

// otherLayout returns what appears if the keyboard has the other layout.
func otherLayout(value string) string {
	const latin = "`qwertyuiop[]asdfghjkl;'zxcvbnm,."
	const cyrillic = "ёйцукенгшщзхъфывапролджэячсмитьбю"
	var pairs []string
	letters := []rune(cyrillic)
	for i, l := range latin {
		pairs = append(pairs, string(l), string(letters[i]), string(letters[i]), string(l))
	}
	return strings.NewReplacer(pairs...).Replace(strings.ToLower(value))
}

// demoSeed is the seed of both catalogues.
const demoSeed = 1

// numberOf returns the number of the product with an external id of a catalogue.
func numberOf(g *demo.Generator, externalID string) (number int, ok bool) {
	_, digits, _ := strings.Cut(externalID, "-")
	number, err := strconv.Atoi(digits)
	return number, err == nil && g.ExternalID(number) == externalID
}
