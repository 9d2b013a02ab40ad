package app_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
)

// runbook matches the beginning of the paragraph of an alert.
var runbook = regexp.MustCompile(`(?s)\A\n\*\*Means\.\*\* .*\n\*\*Look at\.\*\* .*\n\*\*Do\.\*\* `)

// metricName matches the names of our metrics in an expression.
var metricName = regexp.MustCompile(`\bvitrine_\w+`)

// wantKnownMetrics checks that the program has every metric that the expression names, and that it names one.
func wantKnownMetrics(t *testing.T, known map[string]bool, where, expression string) {
	t.Helper()
	names := metricName.FindAllString(expression, -1)
	if len(names) == 0 && !strings.HasPrefix(expression, "up{") {
		t.Errorf("%s names no metric: %s", where, expression)
	}
	for _, name := range names {
		if !known[name] && !known[strings.TrimSuffix(name, "_bucket")] {
			t.Errorf("%s names %s, which is not a metric of the program", where, name)
		}
	}
}

func TestDeploy_alertsNameMetricsAndRunbooksThatExist(t *testing.T) {
	s := apitest.StartServer(t, database.SQLite)
	known := s.App.MetricNames()
	text, err := os.ReadFile("../../deploy/prometheus/alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	var rules struct {
		Groups []struct {
			Rules []struct {
				Alert       string            `yaml:"alert"`
				Expr        string            `yaml:"expr"`
				For         string            `yaml:"for"`
				Labels      map[string]string `yaml:"labels"`
				Annotations map[string]string `yaml:"annotations"`
			} `yaml:"rules"`
		} `yaml:"groups"`
	}
	if err := yaml.Unmarshal(text, &rules); err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, group := range rules.Groups {
		for _, r := range group.Rules {
			seen[r.Alert] = true
			wantKnownMetrics(t, known, r.Alert, r.Expr)
			if severity := r.Labels["severity"]; severity != "page" && severity != "ticket" || r.For == "" {
				t.Errorf("%s has the severity %q and lasts %q", r.Alert, severity, r.For)
			}
			if want := "docs/operations.md#" + strings.ToLower(r.Alert); r.Annotations["runbook"] != want ||
				r.Annotations["summary"] == "" {
				t.Errorf("the annotations of %s are %v, want the runbook %s", r.Alert, r.Annotations, want)
			}
			if _, paragraph, found := strings.Cut(string(doc), "\n### "+r.Alert+"\n"); !found ||
				!runbook.MatchString(paragraph) {
				t.Errorf("docs/operations.md has no paragraph of %s", r.Alert)
			}
		}
	}
	if len(seen) < 20 {
		t.Errorf("there are only %d alerts", len(seen))
	}
	for _, heading := range regexp.MustCompile(`(?m)^### (Vitrine\w+)$`).FindAllStringSubmatch(string(doc), -1) {
		if !seen[heading[1]] {
			t.Errorf("docs/operations.md has a paragraph of %s, which is not an alert", heading[1])
		}
	}
}

func TestDeploy_dashboardNamesMetricsThatExist(t *testing.T) {
	s := apitest.StartServer(t, database.SQLite)
	text, err := os.ReadFile("../../deploy/grafana/vitrine.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			ID      int    `json:"id"`
			Title   string `json:"title"`
			Targets []struct {
				Expr string `json:"expr"`
			} `json:"targets"`
		} `json:"panels"`
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	known, ids := s.App.MetricNames(), map[int]bool{}
	for _, panel := range dashboard.Panels {
		if ids[panel.ID] || len(panel.Targets) == 0 {
			t.Errorf("the panel %q has the id of another one, or no query", panel.Title)
		}
		ids[panel.ID] = true
		for _, target := range panel.Targets {
			wantKnownMetrics(t, known, panel.Title, target.Expr)
		}
	}
	if len(ids) < 20 {
		t.Errorf("there are only %d panels", len(ids))
	}
}
