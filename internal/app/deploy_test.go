package app_test

import (
	"cmp"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
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

// alertRules are the rules of Prometheus.
type alertRules struct {
	Groups []struct {
		Name  string `yaml:"name"`
		Rules []struct {
			Alert       string            `yaml:"alert"`
			Expr        string            `yaml:"expr"`
			For         string            `yaml:"for"`
			Labels      map[string]string `yaml:"labels"`
			Annotations map[string]string `yaml:"annotations"`
		} `yaml:"rules"`
	} `yaml:"groups"`
}

func parseYAML[T any](t *testing.T, text string) (value T) {
	t.Helper()
	decoder := yaml.NewDecoder(strings.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

func readDeployFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../deploy/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// metadata is that of an object of Kubernetes.
type metadata struct {
	Name   string            `yaml:"name"`
	Labels map[string]string `yaml:"labels"`
}

// The rules of Kubernetes are those of alerts.yml.
func TestDeploy_rulesOfKubernetesAreTheAlerts(t *testing.T) {
	t.Parallel()
	want := parseYAML[alertRules](t, readDeployFile(t, "prometheus/alerts.yml"))
	got := parseYAML[struct {
		APIVersion string     `yaml:"apiVersion"`
		Kind       string     `yaml:"kind"`
		Metadata   metadata   `yaml:"metadata"`
		Spec       alertRules `yaml:"spec"`
	}](t, readDeployFile(t, "kubernetes/prometheusrule.yaml"))
	if got.APIVersion != "monitoring.coreos.com/v1" || got.Kind != "PrometheusRule" ||
		!reflect.DeepEqual(got.Spec, want) {
		t.Errorf("deploy/kubernetes/prometheusrule.yaml does not have the rules of deploy/prometheus/alerts.yml:\n%+v",
			got)
	}
}

// The Prometheus operator names the job after the label of the Service that jobLabel names, or else after the Service.
func TestDeploy_jobOfKubernetesIsTheJobOfTheAlerts(t *testing.T) {
	t.Parallel()
	monitor := parseYAML[struct {
		Spec struct {
			JobLabel string `yaml:"jobLabel"`
			Selector struct {
				MatchLabels map[string]string `yaml:"matchLabels"`
			} `yaml:"selector"`
			Endpoints any `yaml:"endpoints"`
		} `yaml:"spec"`
		APIVersion string   `yaml:"apiVersion"`
		Kind       string   `yaml:"kind"`
		Metadata   metadata `yaml:"metadata"`
	}](t, readDeployFile(t, "kubernetes/servicemonitor.yaml"))

	var jobs []string
	for text := range strings.SplitSeq(readDeployFile(t, "kubernetes/service.yaml"), "\n---\n") {
		service := parseYAML[struct {
			Metadata   metadata `yaml:"metadata"`
			Spec       any      `yaml:"spec"`
			APIVersion string   `yaml:"apiVersion"`
			Kind       string   `yaml:"kind"`
		}](t, text)
		selected := true
		for label, value := range monitor.Spec.Selector.MatchLabels {
			selected = selected && service.Metadata.Labels[label] == value
		}

		if selected {
			jobs = append(jobs, cmp.Or(service.Metadata.Labels[monitor.Spec.JobLabel], service.Metadata.Name))
		}
	}

	alerts := regexp.MustCompile(`\bup\{job="(\w+)"\}`).FindStringSubmatch(readDeployFile(t, "prometheus/alerts.yml"))
	if alerts == nil || len(jobs) != 1 || jobs[0] != alerts[1] {
		t.Errorf("the ServiceMonitor makes the jobs %q, and the alerts are about %q", jobs, alerts)
	}
}

// selector matches a metric with its labels in an expression.
var selector = regexp.MustCompile(`\b(vitrine_\w+)(?:\{([^}]*)\})?`)

// labelMatcher matches one condition of a selector, and a label of a series.
var labelMatcher = regexp.MustCompile(`(\w+)(=~|!~|!=|=)"([^"]*)"`)

// laterMetrics do not exist on a new server, with the reason.
var laterMetrics = map[string]string{
	"vitrine_push_last_completed_timestamp_seconds":       "a shop without pushes must not cause VitrineNoPush",
	"vitrine_webhook_receiver_oldest_undelivered_seconds": "each series is a receiver",
	"vitrine_database_replica_up":                         "there is no replica",
}

// engineMetrics exist on one engine only.
var engineMetrics = map[string]string{
	"vitrine_database_write_queue": database.SQLite, "vitrine_database_wal_pages": database.SQLite,
}

// Prometheus sees no increase of a counter that begins with 1. So what the alerts and the dashboard ask for exists on a
// server on which nothing has happened yet.
func TestDeploy_newServerHasWhatAlertsAndDashboardAskFor(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		wantMetrics(t, s, "vitrine_database_up 1")
		fresh := s.Metrics()
		expressions := readDeployFile(t, "prometheus/alerts.yml") +
			strings.ReplaceAll(readDeployFile(t, "grafana/vitrine.json"), `\"`, `"`)
		asked := 0
		for _, m := range selector.FindAllStringSubmatch(expressions, -1) {
			if engine := engineMetrics[m[1]]; laterMetrics[m[1]] != "" || engine != "" && engine != s.Engine {
				continue
			}

			// A response with 5xx must not happen.
			conditions := strings.Replace(m[2], `status=~"5.."`, "", 1)
			asked++
			if !hasSeries(fresh, m[1], labelMatcher.FindAllStringSubmatch(conditions, -1)) {
				t.Errorf("a new server has no %s", m[0])
			}
		}

		if asked < 50 {
			t.Errorf("only %d selectors were found", asked)
		}
	}, apitest.Alone())
}

// hasSeries reports whether the metrics have a series of that name that fulfils the conditions.
func hasSeries(metrics, name string, conditions [][]string) bool {
	for line := range strings.Lines(metrics) {
		labels, ok := strings.CutPrefix(line, name)
		if !ok || labels[0] != '{' && labels[0] != ' ' {
			continue
		}

		values := map[string]string{}
		for _, m := range labelMatcher.FindAllStringSubmatch(labels, -1) {
			values[m[1]] = m[3]
		}

		fulfilled := true
		for _, c := range conditions {
			equal := values[c[1]] == c[3]
			if strings.HasSuffix(c[2], "~") {
				equal = regexp.MustCompile("^(?:" + c[3] + ")$").MatchString(values[c[1]])
			}
			fulfilled = fulfilled && equal == !strings.HasPrefix(c[2], "!")
		}

		if fulfilled {
			return true
		}
	}

	return false
}

// metricNames returns the names of all registered metrics, also of those without a value yet.
func metricNames(registry *prometheus.Registry) map[string]bool {
	descs := make(chan *prometheus.Desc)
	go func() {
		registry.Describe(descs)
		close(descs)
	}()
	name := regexp.MustCompile(`fqName: "(\w+)"`)
	names := map[string]bool{}
	for d := range descs {
		if m := name.FindStringSubmatch(d.String()); m != nil {
			names[m[1]] = true
		}
	}
	return names
}

func TestDeploy_alertsNameMetricsAndRunbooksThatExist(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, database.SQLite, apitest.Alone())
	known := metricNames(s.App.Registry)
	text, err := os.ReadFile("../../deploy/prometheus/alerts.yml")
	if err != nil {
		t.Fatal(err)
	}

	rules := parseYAML[alertRules](t, string(text))
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
	t.Parallel()
	s := apitest.StartServer(t, database.SQLite, apitest.Alone())
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

	known := metricNames(s.App.Registry)
	ids := map[int]bool{}
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
