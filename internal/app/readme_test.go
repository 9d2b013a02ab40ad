package app_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// shellBlock matches the shell commands in a document.
var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// The commands of the README go from a push to a verified webhook, with the store that the first run created.
func TestREADME_commandsWork(t *testing.T) {
	eachEngine(t, func(t *testing.T, inst *installation) {
		inst.firstRun("--dev")
		output, events := inst.runDocument("../../README.md", "order.submitted")
		wantCounts(t, output, map[string]int{`"data":`: 4, `"status":"completed"`: 2, `"created":1,`: 1, `"created":2,`: 1,
			`"name":"Desk lamp"`: 2, `"name":"Floor lamp"`: 0, `"facets":`: 1, `"min":5,"max":40`: 1,
			`"state":"submitted"`: 1, "/demo#key=pk_": 1})
		wantCounts(t, events, map[string]int{"order.submitted": 1, `"sku": "LAMP-5"`: 1, "is unregistered": 1})
		if stores := strings.Count(inst.run("store", "list"), "My shop"); stores != 1 {
			t.Errorf("after the commands of the README there are %d stores, want 1", stores)
		}
	})
}

func TestTour_commandsWork(t *testing.T) {
	eachEngine(t, func(t *testing.T, inst *installation) {
		inst.firstRun("--dev")
		output, _ := inst.runDocument("../../docs/tour.md", "")
		wantCounts(t, output, map[string]int{`"data":`: 17, `"wrong_type"`: 1, `"ignored_fields":["variant_skuu"]`: 2,
			`"code":"unknown_category"`: 1, `"name":"Small"`: 1, `"variants_total":0`: 1, `"range_value":13.3`: 1,
			`"sku":"TEE-M"`: 3, `"sku":"L-1","price":45,`: 1, `"name":"Light"`: 1, `"facets":`: 1,
			`"validation_failed"`: 1, "/demo#key=pk_": 1, `"state":"submitted"`: 1, `"state":"confirmed"`: 2,
			`"state":"completed"`: 1, `"secret":"whsec_`: 1})
	})
}

// runDocument runs the shell commands of a document, except those of make, in one shell and returns its output. The
// command vitrine listen, which the document runs in a terminal of its own, runs in the background; events is what it
// printed until it received the event with the given name.
func (inst *installation) runDocument(path, event string) (output, events string) {
	inst.t.Helper()
	document, err := os.ReadFile(path)
	if err != nil {
		inst.t.Fatal(err)
	}
	var lines strings.Builder
	for _, block := range shellBlock.FindAllStringSubmatch(string(document), -1) {
		if !strings.HasPrefix(block[1], "make ") {
			lines.WriteString(block[1])
		}
	}
	eventsFile := filepath.Join(inst.t.TempDir(), "events")
	if event != "" {
		lines.WriteString(waitLine(event, eventsFile) + "\nkill $LISTENING\nwait $LISTENING\n")
	}
	script := strings.NewReplacer(
		"bin/vitrine listen --types 'order.*'\n",
		vitrineBinary+" listen --types 'order.*' > "+eventsFile+" 2>&1 & LISTENING=$!\n"+
			waitLine("Listening", eventsFile)+"\n",
		"bin/vitrine demo --products 1000", vitrineBinary+" demo --products 1000 --pictures 5",
		"bin/vitrine ", vitrineBinary+" ",
	).Replace(lines.String())
	if strings.Contains(script, "localhost:80") || strings.Contains(script, "go run") {
		inst.t.Fatalf("%s has a command that this test does not replace: %s", path, script)
	}
	shell := exec.Command("bash", "-euo", "pipefail", "-c", script)
	// The commands of the document use the default data directory.
	shell.Env = append(inst.command().Env, "VITRINE_DATA="+inst.data, "VITRINE_DATABASE="+inst.database)
	out, err := shell.CombinedOutput()
	if err != nil {
		inst.t.Fatalf("the commands of %s end with %v: %s", path, err, out)
	}
	if event != "" {
		text, err := os.ReadFile(eventsFile)
		if err != nil {
			inst.t.Fatal(err)
		}
		events = string(text)
	}
	return string(out), events
}

// wantCounts checks how often each of the words appears in the text.
func wantCounts(t *testing.T, text string, want map[string]int) {
	t.Helper()
	for word, n := range want {
		if got := strings.Count(text, word); got != n {
			t.Errorf("%s appears %d times in the output, want %d: %s", word, got, n, text)
		}
	}
}

// waitLine returns a command that waits up to 30 seconds until the file contains the word.
func waitLine(word, file string) string {
	return "for i in $(seq 300); do ! grep -q " + word + " " + file + " || break; sleep 0.1; done; grep -q " + word +
		" " + file
}
