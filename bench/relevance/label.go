package relevance

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed queries/*.txt synonyms.txt
var files embed.FS

// Label is a query with what it should find.
type Label struct {
	Group, Language string
	Query           string // with placeholders
	Want            string // the terms of the predicate
}

// Groups returns the names of the groups in the order of the table.
func Groups() []string {
	return []string{
		"exact", "forms", "typos", "layout", "translit", "models", "brand", "colour", "synonyms", "prefix", "extra",
		"nonsense",
	}
}

// nonsenseGroup is the group of queries that should find nothing.
const nonsenseGroup = "nonsense"

// Languages returns the languages of the stores.
func Languages() []string { return []string{"en", "ru"} }

// Labels returns all labels.
func Labels() (all []Label, err error) {
	entries, err := files.ReadDir("queries")
	if err != nil {
		return nil, err
	}

	for _, e := range entries {
		text, err := files.ReadFile("queries/" + e.Name())
		if err != nil {
			return nil, err
		}
		labels, err := parseLabels(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		all = append(all, labels...)
	}
	return all, nil
}

// parseLabels parses lines of labels. Empty lines and lines that begin with # are comments.
func parseLabels(text string) (labels []Label, err error) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}

		parts := strings.Split(line, " | ")
		if len(parts) != 4 {
			return nil, fmt.Errorf("the line %q has %d parts, want 4", line, len(parts))
		}

		l := Label{strings.TrimSpace(parts[0]), strings.TrimSpace(parts[1]), parts[2], strings.TrimSpace(parts[3])}
		if !slices.Contains(Groups(), l.Group) || !slices.Contains(Languages(), l.Language) {
			return nil, fmt.Errorf("the line %q has an unknown group or language", line)
		}
		labels = append(labels, l)
	}

	return labels, nil
}

// Synonyms are the synonyms of a store, as PUT /v2/search/synonyms takes them.
type Synonyms struct {
	Groups [][]string `json:"groups"`
	OneWay []OneWay   `json:"one_way"`
}

// OneWay is a word that also finds what others find.
type OneWay struct {
	From string   `json:"from"`
	To   []string `json:"to"`
}

// synonymsOf returns the synonyms of a language: lines such as "ru | диван, софа" and "ru | мобильник > телефон".
func synonymsOf(language string) (s Synonyms, err error) {
	text, err := files.ReadFile("synonyms.txt")
	if err != nil {
		return s, err
	}

	for line := range strings.Lines(string(text)) {
		tag, rest, ok := strings.Cut(strings.TrimSpace(line), " | ")
		if !ok || tag != language {
			continue
		}
		if from, to, oneWay := strings.Cut(rest, ">"); oneWay {
			s.OneWay = append(s.OneWay, OneWay{strings.TrimSpace(from), splitWords(to)})
			continue
		}
		s.Groups = append(s.Groups, splitWords(rest))
	}

	return s, nil
}

func splitWords(list string) []string {
	parts := strings.Split(list, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}
