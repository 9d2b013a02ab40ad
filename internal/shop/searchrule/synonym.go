package searchrule

import (
	"slices"
	"strings"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/language"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/rule"
)

// The limits of synonyms. An entry is a group or a one-way rule.
const (
	MaxEntries     = 10_000
	MaxGroup       = 50  // phrases
	MaxPhrase      = 100 // characters
	MaxPhraseWords = 8
)

// Synonyms are the synonyms of a store. A phrase is one word or several.
type Synonyms struct {
	// Groups are groups of phrases with the same meaning: a query with one of them also finds the others.
	Groups [][]string `json:"groups"`
	// OneWay are the rules by which a phrase finds others that do not find it.
	OneWay []OneWay `json:"one_way"`
}

// OneWay says that a query with the phrase From also finds each phrase of To.
type OneWay struct {
	From string   `json:"from"`
	To   []string `json:"to"`
}

// SynonymEdit is an edit of the synonyms. Nil members leave theirs unchanged.
type SynonymEdit struct {
	Groups *[][]string
	OneWay *[]OneWay
}

// apply returns the synonyms with the edit, or fault.Invalid naming each broken rule.
func (e SynonymEdit) apply(s Synonyms) (Synonyms, error) {
	if e.Groups != nil {
		s.Groups = *e.Groups
	}
	if e.OneWay != nil {
		s.OneWay = *e.OneWay
	}

	var wrong rule.Violations
	if n := len(s.Groups) + len(s.OneWay); n > MaxEntries {
		field := "groups"
		if e.Groups == nil {
			field = "one_way"
		}
		wrong.Add(field, "too_many", "There are %d groups and one-way rules; at most %d are allowed together.", n,
			MaxEntries)
		return Synonyms{}, wrong.Fault()
	}

	if e.Groups != nil {
		s.Groups = checkGroups(s.Groups, &wrong)
	}
	if e.OneWay != nil {
		s.OneWay = checkOneWay(s.OneWay, &wrong)
	}
	return s, wrong.Fault()
}

// checkGroups returns the groups as they are stored, and adds violations. Of the phrases of a group that the search
// reads alike, such as those that differ in case, the first one stays.
func checkGroups(groups [][]string, wrong *rule.Violations) [][]string {
	checked := make([][]string, 0, len(groups))
	for i, group := range groups {
		at := rule.FieldPath("").Element("groups", i)
		phrases := checkPhrases(group, "", at, wrong)
		if phrases != nil && len(phrases) < 2 {
			wrong.Add(string(at), "too_few", "A group needs at least two different phrases.")
		}
		checked = append(checked, phrases)
	}
	return checked
}

// checkOneWay is checkGroups for one-way rules.
func checkOneWay(rules []OneWay, wrong *rule.Violations) []OneWay {
	checked := make([]OneWay, 0, len(rules))
	for i, r := range rules {
		at := rule.FieldPath("").Element("one_way", i)
		from, broken := checkPhrase(r.From)
		wrong.Check(at, "from", broken)

		to := checkPhrases(r.To, from, rule.FieldPath(at.Member("to")), wrong)
		if to != nil && len(to) == 0 {
			wrong.Add(at.Member("to"), "too_few", "A one-way rule needs a phrase that differs from its “from”.")
		}
		checked = append(checked, OneWay{From: from, To: to})
	}
	return checked
}

// checkPhrases returns the different phrases of the list at a path without the phrase except, or nil if one of them
// breaks a rule.
func checkPhrases(list []string, except string, at rule.FieldPath, wrong *rule.Violations) []string {
	if len(list) > MaxGroup {
		wrong.Add(string(at), "too_many", "This list has %d phrases; at most %d are allowed.", len(list), MaxGroup)
		return nil
	}

	known := map[string]bool{language.FoldQuery(except): true}
	different := []string{}
	valid := true
	for i, sent := range list {
		phrase, broken := checkPhrase(sent)
		if broken != nil {
			wrong.Check("", string(at.Index(i)), broken)
			valid = false
			continue
		}
		if folded := language.FoldQuery(phrase); !known[folded] {
			known[folded] = true
			different = append(different, phrase)
		}
	}

	if !valid {
		return nil
	}
	return different
}

// checkPhrase is the rule of a phrase: one to MaxPhraseWords words on one line.
func checkPhrase(sent string) (string, *fault.Field) {
	text := strings.Join(strings.Fields(sent), " ")
	if broken := rule.Plain(text, MaxPhrase); broken != nil {
		return text, broken
	}
	switch n := countWords(text); {
	case n == 0:
		return text, fault.Broken("required",
			"This is empty; write a word or a phrase with at least one letter or digit.")
	case n > MaxPhraseWords:
		return text, fault.Broken("too_long", "This has %d words; at most %d are allowed.", n, MaxPhraseWords)
	}
	return text, nil
}

// countWords returns the number of words of a text as the search reads it. Parts of words, as in A-1, do not count.
func countWords(text string) (n int) {
	for _, field := range language.ParseQuery(text) {
		n += len(field.Words)
	}
	return n
}

// lines returns each entry as a line of text, in order: "a = b" for a group, "a → b, c" for a one-way rule.
func (s Synonyms) lines() (lines []string) {
	for _, group := range s.Groups {
		lines = append(lines, strings.Join(group, " = "))
	}
	for _, r := range s.OneWay {
		lines = append(lines, r.From+" → "+strings.Join(r.To, ", "))
	}
	return lines
}

// synonymEntry returns what the log says about a change of the synonyms: the entries that were removed and added. It
// has no action if nothing changed.
func synonymEntry(before, after Synonyms) audit.Entry {
	return changeEntry(audit.SynonymsChanged, "synonyms", before.lines(), after.lines())
}

// changeEntry returns what the log says about a change of lines, or an entry without an action if they are the same.
func changeEntry(action audit.Action, kind string, before, after []string) audit.Entry {
	changes := audit.AppendChange(nil, kind, missingLines(before, after), missingLines(after, before))
	if len(changes) == 0 && slices.Equal(before, after) {
		return audit.Entry{}
	}
	return audit.Entry{Action: action, Object: audit.Object{Kind: kind}, Changes: changes}
}

// missingLines returns the lines that the other list does not have.
func missingLines(lines, other []string) string {
	has := make(map[string]bool, len(other))
	for _, line := range other {
		has[line] = true
	}
	missing := slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return has[line] })
	return strings.Join(missing, "\n")
}
