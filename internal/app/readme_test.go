package app_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// shellBlock matches the shell commands in the README.
var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// The commands of the README work.
func TestREADME_commandsWork(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	eachEngine(t, func(t *testing.T, inst *installation) {
		p, _ := inst.firstRun("--dev")
		var lines strings.Builder
		for _, block := range shellBlock.FindAllStringSubmatch(string(readme), -1) {
			if !strings.HasPrefix(block[1], "make ") {
				lines.WriteString(block[1])
			}
		}
		eventsFile := filepath.Join(t.TempDir(), "events")
		lines.WriteString(waitLine("order.completed", eventsFile) + "\nkill $LISTENING\nwait $LISTENING\ncat " +
			eventsFile + "\n")
		script := strings.NewReplacer(
			"go run ./cmd/vitrine store create --json",
			strings.Join(inst.command("store", "create", "--json").Args, " "),
			"go run ./cmd/vitrine demo --products 1000",
			strings.Join(inst.command("demo", "--products", "1000", "--pictures", "5").Args, " "),
			// The commands for a second terminal run in the background.
			"go run ./cmd/vitrine listen --types 'order.*'",
			vitrineBinary+" listen --types 'order.*' --to "+p.AdminURL+" > "+eventsFile+" 2>&1 & LISTENING=$!\n"+
				waitLine("Listening", eventsFile),
			"http://localhost:8080", p.URL,
			"/tmp/option.json", t.TempDir()+"/option.json",
		).Replace(lines.String())
		if strings.Contains(script, "localhost:8080") || strings.Contains(script, "go run") {
			t.Fatalf("the README has a command that this test does not replace: %s", script)
		}
		out, err := exec.Command("bash", "-euo", "pipefail", "-c", script).CombinedOutput()
		if err != nil {
			t.Fatalf("the commands of the README end with %v: %s", err, out)
		}
		output := string(out)
		for what, want := range map[string]int{`"data":`: 17, `"wrong_type"`: 1, `"ignored_fields":["variant_skuu"]`: 2,
			`"code":"unknown_category"`: 1, `"name":"Small"`: 1, `"variants_total":0`: 1, `"range_value":13.3`: 1,
			`"sku":"TEE-M"`: 3, `"sku":"L-1","price":45,`: 1, `"name":"Light"`: 1, `"facets":`: 1,
			`"validation_failed"`: 1, "/demo#key=pk_": 1, `"state":"submitted"`: 1, `"state":"confirmed"`: 2,
			`"state":"completed"`: 1} {
			if got := strings.Count(output, what); got != want {
				t.Errorf("%s appears %d times in the output, want %d: %s", what, got, want, output)
			}
		}
	})
}

// waitLine returns a command that waits up to 30 seconds until the file contains the word.
func waitLine(word, file string) string {
	return "for i in $(seq 300); do ! grep -q " + word + " " + file + " || break; sleep 0.1; done; grep -q " + word +
		" " + file
}
