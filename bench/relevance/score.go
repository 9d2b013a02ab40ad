package relevance

import (
	"fmt"
	"strings"
)

// score sums up how well some queries were answered.
type score struct {
	queries, hits  int
	empty          int
	firstOf, first int     // queries for one product by its number, and those that had it first
	preciseOf      int     // queries with at least ten relevant products
	precision      float64 // sum of their precisions at ten
}

// Outcome is how one query was answered.
type Outcome struct {
	query  *query
	answer answer
	marks  []bool // whether the products of the answer are relevant
	hit    bool
}

// judge compares an answer with the label.
func judge(q *query, c *catalogue, a answer) (o Outcome, err error) {
	o = Outcome{query: q, answer: a}
	for _, p := range a.Data {
		number, ok := numberOf(c.generator, p.ExternalID)
		if !ok || number > len(c.documents) {
			return o, fmt.Errorf("the answer to %s has the unknown product %s", q.text, p.ExternalID)
		}
		o.marks = append(o.marks, q.relevant(&c.documents[number-1]))
	}

	if q.Group == nonsenseGroup {
		o.hit = len(a.Data) == 0 || a.Meta.Search.Matched == "none"
		return o, nil
	}
	for i, relevant := range o.marks {
		if relevant && (i < 3 && !q.first || i == 0) {
			o.hit = true
		}
	}
	return o, nil
}

func (s *score) add(o Outcome) {
	s.queries++
	if o.hit {
		s.hits++
	}
	if o.query.Group == nonsenseGroup {
		return
	}
	if len(o.marks) == 0 {
		s.empty++
	}

	if o.query.first {
		s.firstOf++
		if o.hit {
			s.first++
		}
	}

	if o.query.relevantProducts >= 10 {
		s.preciseOf++
		for _, relevant := range o.marks {
			if relevant {
				s.precision += 0.1
			}
		}
	}
}

// ratio returns a share of a total, 1 if there is none.
func ratio(part float64, of int) float64 {
	if of == 0 {
		return 1
	}
	return part / float64(of)
}

// Missed returns a text about a query that was answered badly, or "": it has no hit, or less than six of its first ten
// are relevant.
func (o *Outcome) Missed() string {
	if o.hit && !o.imprecise() {
		return ""
	}
	what := "imprecise"
	if !o.hit {
		what = "missed"
	}

	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s | %s | %s | %s  (%d relevant; %s)\n", what, o.query.Group, o.query.Language, o.query.text,
		o.query.Want, o.query.relevantProducts, o.answer.describe())
	for i, p := range o.answer.Data[:min(5, len(o.answer.Data))] {
		mark := "-"
		if o.marks[i] {
			mark = "+"
		}
		fmt.Fprintf(&b, "    %s %s %s\n", mark, p.ExternalID, p.Name)
	}
	return b.String()
}

func (o *Outcome) imprecise() bool {
	relevant := 0
	for _, m := range o.marks {
		if m {
			relevant++
		}
	}
	return o.query.relevantProducts >= 10 && relevant < 6
}
