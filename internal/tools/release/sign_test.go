package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// writeScript writes a shell script and returns its path.
func writeScript(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// The command of the environment signs the checksums. A release that should be signed and is not is an error.
func TestSign_callsTheCommandOfTheEnvironment(t *testing.T) {
	r := release{out: t.TempDir()}
	if err := r.writeChecksums(nil); err != nil {
		t.Fatal(err)
	}
	if err := r.sign(t.Context(), ""); err != nil {
		t.Errorf("without a command: %v", err)
	}

	for what, text := range map[string]string{"a command that fails": "exit 1",
		"a command that writes nothing": "exit 0"} {
		if err := r.sign(t.Context(), writeScript(t, text)); err == nil {
			t.Errorf("%s is no error", what)
		}
	}

	if err := r.sign(t.Context(), writeScript(t, `[ "$1" = -S ] && sha256sum "$2" > "$2.minisig"`)+" -S"); err != nil {
		t.Fatal(err)
	}
	if names := readNames(t, r.out); len(names) != 2 || names[1] != "SHA256SUMS.minisig" {
		t.Errorf("the release has %q", names)
	}
}

// The check for vulnerabilities does not pass if nothing was checked.
func TestGovulncheck_failsUnchecked(t *testing.T) {
	const unreachable = `echo 'govulncheck: fetching vulnerabilities: Get ` +
		`"https://vuln.go.dev/index/modules.json.gz": dial tcp: lookup vuln.go.dev: no such host'; exit 1`
	for _, c := range []struct {
		text, allow, says string
		passes            bool
	}{
		{"echo No vulnerabilities found.", "", "No vulnerabilities", true},
		{"echo Vulnerability 1; exit 3", "1", "Vulnerability 1", false},
		{"echo another failure; exit 1", "1", "another failure", false},
		{unreachable, "", "did NOT run", false},
		{unreachable, "1", "passes only because", true},
	} {
		cmd := exec.Command("../../../scripts/govulncheck.sh", writeScript(t, c.text), "./...")
		cmd.Env = append(os.Environ(), "ALLOW_UNCHECKED_VULNERABILITIES="+c.allow)

		out, err := cmd.CombinedOutput()
		if (err == nil) != c.passes || !strings.Contains(string(out), c.says) {
			t.Errorf("%q with %q: %v\n%s", c.text, c.allow, err, out)
		}
	}
}
