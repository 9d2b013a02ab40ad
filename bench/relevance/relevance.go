package relevance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"

	"vitrine/bench/harness"
	"vitrine/internal/kit/config"
)

// Products is the number of products in each store.
const Products = 4000

// The aims of search: hits among the first three overall and in each group, precision at ten, and empty answers.
const (
	aimOverall   = 0.95
	aimGroup     = 0.9
	aimPrecision = 0.85
	aimEmpty     = 0.02
)

// Result has the scores of all groups.
type Result struct {
	groups   map[string]*score
	all      score
	Outcomes []Outcome
}

// Run sends the queries that keep returns true for.
func (s *Shops) Run(keep func(Label) bool) (*Result, error) {
	labels, err := Labels()
	if err != nil {
		return nil, err
	}

	var queries []*query
	var mistakes []error
	for _, l := range labels {
		if !keep(l) {
			continue
		}
		q, err := newQuery(l, s.stores[l.Language].catalogue)
		queries = append(queries, q)
		mistakes = append(mistakes, err)
	}
	if err := errors.Join(mistakes...); err != nil {
		return nil, err
	}

	return s.ask(queries, func(q *query) *shop { return s.stores[q.Language] })
}

// RunEnglish sends the English queries to the catalogue of vitrine demo, without those for which it has no product.
func (s *Shops) RunEnglish() (*Result, error) {
	labels, err := Labels()
	if err != nil {
		return nil, err
	}

	var queries []*query
	for _, l := range labels {
		if l.Language != "en" {
			continue
		}
		if q, err := newQuery(l, s.english.catalogue); err == nil {
			queries = append(queries, q)
		}
	}
	return s.ask(queries, func(*query) *shop { return s.english })
}

// ask sends queries to the stores that in names, and judges the answers.
func (s *Shops) ask(queries []*query, in func(*query) *shop) (*Result, error) {
	r := &Result{groups: map[string]*score{}}
	for _, q := range queries {
		asked := in(q)
		a, err := asked.ask(s.client, q.text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q.text, err)
		}
		o, err := judge(q, asked.catalogue, a)
		if err != nil {
			return nil, err
		}
		r.add(o)
	}
	return r, nil
}

func (r *Result) add(o Outcome) {
	g := r.groups[o.query.Group]
	if g == nil {
		g = &score{}
		r.groups[o.query.Group] = g
	}
	g.add(o)
	r.all.add(o)
	r.Outcomes = append(r.Outcomes, o)
}

// WriteTable writes a line per group, and one for all.
func (r *Result) WriteTable(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "group\tqueries\thit@3\tprecision@10\tempty\tfirst\t")
	line := func(name string, s *score) {
		fmt.Fprintf(w, "%s\t%d\t%.3f\t%s\t%.3f\t%s\t\n", name, s.queries, ratio(float64(s.hits), s.queries),
			share(s.precision, s.preciseOf), ratio(float64(s.empty), s.queries), share(float64(s.first), s.firstOf))
	}
	for _, name := range Groups() {
		if s, ok := r.groups[name]; ok {
			line(name, s)
		}
	}
	line("all", &r.all)
	return w.Flush()
}

// share formats a share with its total, or as a dash if the total is 0.
func share(part float64, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.3f of %d", part/float64(of), of)
}

// Ask prints what the stores answer to any text.
func (s *Shops) Ask(out io.Writer, text string) error {
	for _, language := range Languages() {
		a, err := s.stores[language].ask(s.client, text)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %s\n", language, a.describe())
		for _, p := range a.Data {
			fmt.Fprintf(out, "    %s %s\n", p.ExternalID, p.Name)
		}
	}
	return nil
}

// Relevance measures the quality of search on the demo catalogues.
func Relevance(ctx context.Context, e *harness.Environment) (figures []harness.Figure, err error) {
	data, err := os.MkdirTemp(e.Dir, "relevance-")
	if err != nil {
		return nil, err
	}
	shops, err := Open(ctx, config.Storage{Data: data, Database: e.URL}, Products)
	if err != nil {
		return nil, err
	}
	r, err := shops.Run(func(Label) bool { return true })
	if err != nil {
		return nil, err
	}

	add := func(name string, s *score, aim float64) {
		hits := ratio(float64(s.hits), s.queries)
		figures = append(figures, harness.Figure{
			Name: "search quality: " + name, Engine: e.Engine, Raw: fmt.Sprintf("%d queries", s.queries),
			Ours: fmt.Sprintf("hit@3 %.3f, precision@10 %s, empty %.3f, exact number first %s", hits,
				share(s.precision, s.preciseOf), ratio(float64(s.empty), s.queries),
				share(float64(s.first), s.firstOf)),
			Aim: fmt.Sprintf("hit@3 ≥ %.2f", aim), Met: hits >= aim,
		})
	}
	for _, name := range Groups() {
		add(name, r.groups[name], aimGroup)
	}
	add("all", &r.all, aimOverall)
	f := &figures[len(figures)-1]
	f.Aim += fmt.Sprintf(", empty ≤ %.2f, first 1.00", aimEmpty)
	f.Met = f.Met && ratio(float64(r.all.empty), r.all.queries) <= aimEmpty && r.all.first == r.all.firstOf
	i := slices.Index(Groups(), "exact")
	figures[i].Aim += fmt.Sprintf(", precision@10 ≥ %.2f", aimPrecision)
	exact := r.groups["exact"]
	figures[i].Met = figures[i].Met && ratio(exact.precision, exact.preciseOf) >= aimPrecision

	return figures, shops.Close()
}
