package main

import (
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// deployDir has the files with which operators install the program.
const deployDir = "../../deploy"

// Every variable that a file in deploy names is one that the program reads.
func TestDeploy_namesVariablesThatExist(t *testing.T) {
	known := map[string]bool{}
	forEachFlag(newTestParser(t).Model.Node, func(f *kong.Flag) {
		for _, name := range f.Envs {
			known[name] = true
		}
	})

	// VITRINE_TAG is a variable of compose.yaml itself: the tag of the image.
	known["VITRINE_TAG"] = true
	found := map[string]bool{}
	variable := regexp.MustCompile(`\bVITRINE_[A-Z0-9_]+`)
	forEachDeployFile(t, func(name, text string) {
		for _, v := range variable.FindAllString(text, -1) {
			found[v] = true
			if !known[v] {
				t.Errorf("deploy/%s names %s, which no command reads", name, v)
			}
		}
	})
	if len(found) < 8 {
		t.Errorf("deploy names only %d variables: the pattern finds nothing", len(found))
	}
}

// Every command line in deploy is one that the program accepts.
func TestDeploy_commandLinesAreValid(t *testing.T) {
	docker := readDeployFile(t, "docker/Dockerfile")
	unit := readDeployFile(t, "systemd/vitrine.service")
	health := regexp.MustCompile(`HEALTHCHECK .*CMD (\[.*\])`).FindStringSubmatch(docker)
	entrypoint := regexp.MustCompile(`(?m)^ENTRYPOINT (\[.*\])$`).FindStringSubmatch(docker)
	command := regexp.MustCompile(`(?m)^CMD (\[.*\])$`).FindStringSubmatch(docker)

	start := regexp.MustCompile(`(?m)^ExecStart=(.*)$`).FindStringSubmatch(unit)
	if health == nil || entrypoint == nil || command == nil || start == nil {
		t.Fatal("the Dockerfile or the unit has no command")
	}

	lines := map[string][]string{
		"the Dockerfile":         append(jsonWords(t, entrypoint[1]), jsonWords(t, command[1])...),
		"the health check":       jsonWords(t, health[1]),
		"the unit":               strings.Fields(start[1]),
		"the pods of Kubernetes": append([]string{"/vitrine"}, podArguments(t)...),
	}
	for _, file := range []string{"docker/compose.yaml", "docker/compose.sqlite.yaml",
		"kubernetes/kustomization.yaml"} {
		for _, m := range regexp.MustCompile(`/vitrine ([a-z][^\n]*)`).FindAllStringSubmatch(readDeployFile(t, file),
			-1) {
			lines[file+": "+m[1]] = append([]string{"/vitrine"}, strings.Fields(m[1])...)
		}
	}

	for where, words := range lines {
		if filepath.Base(words[0]) != "vitrine" {
			t.Errorf("%s starts %s", where, words[0])
		}
		if _, err := newTestParser(t).Parse(words[1:]); err != nil {
			t.Errorf("%s: vitrine %s: %v", where, strings.Join(words[1:], " "), err)
		}
	}
}

// The last stage of the Dockerfile copies only what the first one makes, and starts a file that it has.
func TestDockerfile_copiesWhatItBuilds(t *testing.T) {
	text := readDeployFile(t, "docker/Dockerfile")
	build, final, ok := strings.Cut(text, "\nFROM scratch\n")
	if !ok {
		t.Fatal("the last stage is not scratch")
	}

	copied := regexp.MustCompile(
		`(?m)^COPY --from=build (?:--chown=65532:65532 )?(\S+) (\S+)$`).FindAllStringSubmatch(final, -1)
	if len(copied) != strings.Count(final, "\nCOPY ") {
		t.Errorf("%d of the lines with COPY are understood", len(copied))
	}

	targets := map[string]bool{}
	for _, m := range copied {
		targets[m[2]] = true
		// The certificates are part of the base image.
		if from := strings.TrimSuffix(m[1], "/"); from != "/etc/ssl/certs/ca-certificates.crt" &&
			!strings.Contains(build, from) {
			t.Errorf("the first stage does not make %s", from)
		}
	}

	for _, want := range []string{"/vitrine", "/etc/ssl/certs/ca-certificates.crt"} {
		if !targets[want] {
			t.Errorf("the image has no %s", want)
		}
	}

	for _, want := range []string{"\nUSER 65532:65532\n", `VOLUME ["/data"]`, "VITRINE_DATA=/data",
		`ENTRYPOINT ["/vitrine"]`} {
		if !strings.Contains(final, want) {
			t.Errorf("the last stage lacks %q", want)
		}
	}

	module := readDeployFile(t, "../go.mod")
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(module)[1]
	if !strings.Contains(build, " golang:"+version+"-") {
		t.Errorf("the first stage is not an image of Go %s, which go.mod requires", version)
	}
}

// No file in deploy has a password, a key or a token: the values of the template are empty, and compose requires them.
func TestDeploy_hasNoSecrets(t *testing.T) {
	secret := regexp.MustCompile(`(?m)^\s*#?([A-Z_]*(?:PASSWORD|KEY|TOKEN|SMTP))[ \t]*[:=][ \t]*(.*)$`)
	checked := 0
	forEachDeployFile(t, func(name, text string) {
		for _, m := range secret.FindAllStringSubmatch(text, -1) {
			checked++
			value := strings.Trim(m[2], `"`)
			if value != "" && !strings.HasPrefix(value, "${") && !strings.Contains(value, "example") {
				t.Errorf("deploy/%s gives %s the value %s", name, m[1], value)
			}
		}
	})
	if checked < 8 {
		t.Errorf("only %d values were checked", checked)
	}
}

// podArguments returns the arguments of the container in the Deployment.
func podArguments(t *testing.T) (args []string) {
	t.Helper()
	_, rest, ok := strings.Cut(readDeployFile(t, "kubernetes/deployment.yaml"), "args:\n")
	if !ok {
		t.Fatal("the Deployment has no args")
	}

	for line := range strings.Lines(rest) {
		line = strings.TrimSpace(line)
		if item, ok := strings.CutPrefix(line, "- "); ok {
			args = append(args, item)
		} else if !strings.HasPrefix(line, "#") {
			break
		}
	}

	if !slices.Contains(args, "serve") {
		t.Errorf("the pods do not serve: %q", args)
	}

	return args
}

func jsonWords(t *testing.T, text string) (words []string) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &words); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return words
}

func newTestParser(t *testing.T) *kong.Kong {
	t.Helper()
	parser, err := newParser(kong.Writers(io.Discard, io.Discard), kong.Exit(func(int) {}))
	if err != nil {
		t.Fatal(err)
	}
	return parser
}

// readDeployFile returns a file in deploy.
func readDeployFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(deployDir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// forEachDeployFile calls fn with all files in deploy.
func forEachDeployFile(t *testing.T, fn func(name, text string)) {
	t.Helper()
	err := filepath.WalkDir(deployDir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(deployDir, path)
		if err == nil {
			fn(name, readDeployFile(t, name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
