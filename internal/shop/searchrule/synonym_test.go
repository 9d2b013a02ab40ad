package searchrule

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

func (s *fixture) editSynonyms(e SynonymEdit, pre fault.Precondition) (list SynonymList, err error) {
	s.Helper()
	err = s.TryWrite(func(tx store.Tx) (err error) {
		list, err = EditSynonyms(s.Context(), tx.By(store.Actor{Kind: "key", ID: "x", Name: "Key"}, s.Clock.Now()), e,
			pre)
		return err
	})
	return list, err
}

func (s *fixture) synonyms() (list SynonymList) {
	s.Helper()
	s.Read(func(tx store.Tx) (err error) {
		list, err = FindSynonyms(s.Context(), tx)
		return err
	})
	return list
}

func TestEditSynonyms_storesWhatIndexLoads(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		none := SynonymList{Synonyms{Groups: [][]string{}, OneWay: []OneWay{}}, 1}
		if diff := cmp.Diff(none, s.synonyms()); diff != "" {
			s.Errorf("a store without synonyms:\n%s", diff)
		}

		groups := [][]string{{" светильник ", "Лампа", "лампа", "настольная  лампа"}, {"тв", "телевизор"}}
		oneWay := []OneWay{{From: "мобильник", To: []string{"телефон", "Мобильник"}}}
		want := SynonymList{Synonyms{
			Groups: [][]string{{"светильник", "Лампа", "настольная лампа"}, {"тв", "телевизор"}},
			OneWay: []OneWay{{From: "мобильник", To: []string{"телефон"}}},
		}, 2}
		list, err := s.editSynonyms(SynonymEdit{Groups: &groups, OneWay: &oneWay}, nil)
		if diff := cmp.Diff(want, list); err != nil || diff != "" {
			s.Errorf("edit: %v\n%s", err, diff)
		}
		if diff := cmp.Diff(want, s.synonyms()); diff != "" {
			s.Errorf("stored:\n%s", diff)
		}

		rules, version := s.load()
		if diff := cmp.Diff(want.Synonyms, rules.Synonyms); diff != "" || version != 1 {
			s.Errorf("loaded at version %d:\n%s", version, diff)
		}

		if _, err := s.editSynonyms(SynonymEdit{OneWay: &[]OneWay{}}, nil); err != nil {
			s.Fatal(err)
		}
		want.OneWay = []OneWay{}
		want.Version = 3
		if diff := cmp.Diff(want, s.synonyms()); diff != "" {
			s.Errorf("after an edit of one_way alone:\n%s", diff)
		}
		if _, version := s.load(); version != 2 {
			s.Errorf("the version of the search is %d, want 2", version)
		}
	})
}

func TestEditSynonyms_refusesOtherVersion(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		is := func(version int64) fault.Precondition {
			return func(present int64) bool { return present == version }
		}
		if _, err := s.editSynonyms(SynonymEdit{Groups: &[][]string{{"a", "b"}}}, is(1)); err != nil {
			s.Fatal(err)
		}
		_, err := s.editSynonyms(SynonymEdit{Groups: &[][]string{}}, is(1))
		if fault.KindOf(err) != fault.Stale || len(s.synonyms().Groups) != 1 {
			s.Errorf("the error is %v and the groups are %v, want a stale fault and the group", err,
				s.synonyms().Groups)
		}
	})
}

func TestSynonymEdit_namesEachBrokenRule(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("я", MaxPhrase+1)
	many := make([]string, MaxGroup+1)
	e := SynonymEdit{
		Groups: &[][]string{{"a", "b"}, {"a", " "}, {"ёлка", "Елка"}, {}, {"x", long, "!?"}, many,
			{"x", "a b c d e f g h i"}, {"A-1", "one two three four five six seven e-8"}},
		OneWay: &[]OneWay{{From: "", To: []string{"b"}}, {From: "a", To: []string{"A"}}, {From: "a"},
			{From: "a", To: []string{"b", ""}}},
	}

	_, err := e.apply(Synonyms{})
	want := []string{"groups[1][1] required", "groups[2] too_few", "groups[3] too_few", "groups[4][1] too_long",
		"groups[4][2] required", "groups[5] too_many", "groups[6][1] too_long", "one_way[0].from required",
		"one_way[1].to too_few", "one_way[2].to too_few", "one_way[3].to[1] required"}
	if diff := cmp.Diff(want, brokenRules(err)); diff != "" {
		t.Error(diff)
	}
}

func TestSynonymEdit_countsEntriesTogether(t *testing.T) {
	t.Parallel()
	groups := make([][]string, MaxEntries)
	for i := range groups {
		groups[i] = []string{fmt.Sprint("a", i), fmt.Sprint("b", i)}
	}
	full, err := SynonymEdit{Groups: &groups}.apply(Synonyms{})
	if err != nil || len(full.Groups) != MaxEntries {
		t.Fatalf("%d groups are refused: %v", MaxEntries, err)
	}

	_, err = SynonymEdit{OneWay: &[]OneWay{{From: "a", To: []string{"b"}}}}.apply(full)
	if diff := cmp.Diff([]string{"one_way too_many"}, brokenRules(err)); diff != "" {
		t.Error(diff)
	}
}

// brokenRules returns the fields of an Invalid fault with their codes.
func brokenRules(err error) (rules []string) {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		for _, field := range f.Fields {
			rules = append(rules, field.Field+" "+field.Code)
		}
	}
	return rules
}

func TestSynonymEntry_hasWhatChanged(t *testing.T) {
	t.Parallel()
	before := Synonyms{Groups: [][]string{{"a", "b"}, {"c", "d"}}}
	after := Synonyms{Groups: [][]string{{"c", "d"}}, OneWay: []OneWay{{From: "x", To: []string{"y", "z"}}}}
	want := audit.Entry{Action: audit.SynonymsChanged, Object: audit.Object{Kind: "synonyms"},
		Changes: []audit.Change{{Field: "synonyms", From: "a = b", To: "x → y, z"}}}
	if diff := cmp.Diff(want, synonymEntry(before, after)); diff != "" {
		t.Error(diff)
	}
	if e := synonymEntry(before, before); e.Action != "" {
		t.Errorf("an edit that changes nothing is logged as %v", e)
	}
}
