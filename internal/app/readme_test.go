package app_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

// shellBlock matches the shell commands in a document.
var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// The commands of the README go from a push to a verified webhook, with the store that the first run created.
func TestREADME_commandsWork(t *testing.T) {
	t.Parallel()
	sampledEngine(t, func(t *testing.T, inst *installation) {
		inst.FirstRun("--dev")
		output, events := inst.runDocument("../../README.md", "order.submitted")
		wantCounts(t, output, map[string]int{`"data":`: 4, `"status":"completed"`: 2, `"created":1,`: 1,
			`"created":2,`:       1,
			`"name":"Desk lamp"`: 2, `"name":"Floor lamp"`: 0, `"facets":`: 1, `"min":5,"max":40`: 1,
			`"state":"submitted"`: 1, "/demo#key=pk_": 2})
		wantCounts(t, events, map[string]int{"order.submitted": 1, `"sku": "LAMP-5"`: 1, "is unregistered": 1})
		if stores := strings.Count(inst.Run("store", "list"), "My shop"); stores != 1 {
			t.Errorf("after the commands of the README there are %d stores, want 1", stores)
		}
	})
}

func TestTour_commandsWork(t *testing.T) {
	t.Parallel()
	sampledEngine(t, func(t *testing.T, inst *installation) {
		inst.FirstRun("--dev")
		output, _ := inst.runDocument("../../docs/tour.md", "")
		wantCounts(t, output, map[string]int{`"data":`: 17, `"wrong_type"`: 1, `"ignored_fields":["variant_skuu"]`: 2,
			`"code":"unknown_category"`: 1, `"name":"Small"`: 1, `"variants_total":0`: 1, `"range_value":13.3`: 1,
			`"sku":"TEE-M"`: 3, `"sku":"L-1","price":45,`: 1, `"name":"Light"`: 1, `"facets":`: 1,
			`"validation_failed"`: 1, "/demo#key=pk_": 2, `"state":"submitted"`: 1, `"state":"confirmed"`: 2,
			`"state":"completed"`: 1, `"secret":"whsec_`: 1})
	})
}

func TestAgentsPage_commandsWork(t *testing.T) {
	t.Parallel()
	sampledEngine(t, func(t *testing.T, inst *installation) {
		inst.FirstRun("--dev")
		output, _ := inst.runDocument("../../docs/agents.md", "")
		wantCounts(t, output, map[string]int{"urn:vitrine:problem": 0, `"total":50`: 1, `"variants":[{`: 1,
			"# Vitrine\n": 1})
	})
}

func TestStorefrontGuide_commandsWork(t *testing.T) {
	t.Parallel()
	sampledEngine(t, func(t *testing.T, inst *installation) {
		inst.FirstRun("--dev")
		// `make shop-check` runs the lines that need npm.
		output, _ := inst.runDocument("../../docs/storefront.md", "")
		wantCounts(t, output, map[string]int{"urn:vitrine:problem": 0, `"failed":0`: 5, `"children":[{`: 1,
			`"type":"category"`: 2, `"type":"product"`: 1, `"redirect":301`: 2, `"redirect":null`: 1,
			`"facets":`: 1, `"highlights":[{`: 2, `"corrected":"desk lamp"`: 1, `"@type":"BreadcrumbList"`: 1,
			`"state":"submitted"`: 1, `"price":52.4`: 1, "<sitemapindex": 1, `"secret":"whsec_`: 1,
			`{"from_quantity":10,"price":28}`: 1, "export const schema": 1})
	})
}

// documentTerminal matches how a document names the terminal in which the next commands run.
var documentTerminal = regexp.MustCompile(`(first|second|third) terminal`)

// runDocument runs the shell commands of a document, except those of make, and returns their output. Each terminal that
// the document names is a shell of its own, as it is for a reader. The command vitrine listen runs until it has
// received the event with the given name; events is what that terminal showed.
func (inst *installation) runDocument(path, event string) (output, events string) {
	inst.T.Helper()
	document, err := os.ReadFile(path)
	if err != nil {
		inst.T.Fatal(err)
	}

	dir := inst.directoryOfDocument()
	shells := map[string]*documentShell{}
	name := ""
	end := 0
	listening := &documentShell{}
	ended := ""

	for _, block := range shellBlock.FindAllSubmatchIndex(document, -1) {
		if named := documentTerminal.FindAllString(string(document[end:block[0]]), -1); named != nil {
			name = named[len(named)-1]
		}

		end = block[1]
		commands := string(document[block[2]:block[3]])
		if strings.HasPrefix(commands, "make ") {
			continue
		}
		if strings.Contains(commands, "localhost:80") || strings.Contains(commands, "go run") {
			inst.T.Fatalf("%s has a command that this test cannot run: %s", path, commands)
		}

		if shells[name] == nil {
			shells[name] = inst.openShell(dir)
		}

		if strings.Contains(commands, "vitrine listen") {
			listening = shells[name]
			ended = listening.start(commands)
			listening.waitFor("Listening")
			continue
		}

		// Pictures take longer than all other data.
		output += shells[name].run(strings.Replace(commands, "--products 1000", "--products 1000 --pictures 5", 1))
	}

	if event != "" {
		listening.waitFor(event)
		events = listening.interrupt(ended)
	}

	return output, events
}

// directoryOfDocument returns a directory in which the commands of a document find the program and the data.
func (inst *installation) directoryOfDocument() string {
	inst.T.Helper()
	dir := inst.T.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "bin"), 0o700),
		os.Symlink(apitest.Program(inst.T), filepath.Join(dir, "bin", "vitrine")),
		os.Symlink(inst.Data, filepath.Join(dir, "vitrine-data"))); err != nil {
		inst.T.Fatal(err)
	}
	return dir
}

// documentShell is a shell that runs one block of commands after the other. Its variables stay, and it ends at the
// first command that fails.
type documentShell struct {
	*apitest.Process
	t      *testing.T
	pid    int
	blocks io.Writer // takes the name of a file with commands
}

func (inst *installation) openShell(dir string) *documentShell {
	inst.T.Helper()
	blocks, commands, err := os.Pipe() // of file names
	if err != nil {
		inst.T.Fatal(err)
	}

	shell := exec.Command("bash", "-euo", "pipefail", "-c",
		`exec 2>&1; while read -r file <&3; do source "$file"; echo; echo "$file ended"; done`)
	shell.Dir, shell.Env = dir, append(inst.Command().Env, "VITRINE_DATABASE="+inst.Database)
	shell.ExtraFiles = []*os.File{blocks}
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C interrupts the shell and its command
	shell.WaitDelay = time.Second                           // a command may outlive the shell if the test fails
	process := apitest.Launch(inst.T, shell)
	inst.T.Cleanup(func() {
		_ = errors.Join(blocks.Close(), commands.Close())
		_ = syscall.Kill(-shell.Process.Pid, syscall.SIGKILL)
	})

	return &documentShell{Process: process, t: inst.T, pid: shell.Process.Pid, blocks: commands}
}

// start starts a block of commands. ended is what the shell prints after them.
func (s *documentShell) start(commands string) (ended string) {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "block")
	if err := os.WriteFile(file, []byte(commands), 0o600); err != nil {
		s.t.Fatal(err)
	}
	if _, err := fmt.Fprintln(s.blocks, file); err != nil {
		s.t.Fatal(err)
	}
	return file + " ended"
}

// run runs a block of commands and returns what it printed.
func (s *documentShell) run(commands string) string {
	s.t.Helper()
	before := len(s.Stdout.String())
	s.waitFor(s.start(commands))
	return s.Stdout.String()[before:]
}

func (s *documentShell) waitFor(word string) {
	s.t.Helper()
	storetest.Eventually(s.t, "the shell prints "+word, func() bool {
		if s.Ended() && !strings.Contains(s.Stdout.String(), word) {
			s.t.Fatalf("a command failed: %s%s", s.Stdout, s.Stderr)
		}
		return strings.Contains(s.Stdout.String(), word)
	})
}

// interrupt presses Ctrl-C, waits until the shell has printed ended, and returns all that it has printed.
func (s *documentShell) interrupt(ended string) string {
	s.t.Helper()
	if err := syscall.Kill(-s.pid, syscall.SIGINT); err != nil {
		s.t.Fatal(err)
	}
	s.waitFor(ended)
	return s.Stdout.String()
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
