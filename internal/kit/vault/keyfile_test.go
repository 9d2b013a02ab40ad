package vault

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// loadVariable is the environment variable that makes this test binary load the key file at the given path and print
// the key check value.
const loadVariable = "VAULT_TEST_LOAD"

func TestMain(m *testing.M) {
	path := os.Getenv(loadVariable)
	if path == "" {
		os.Exit(m.Run())
	}
	v, err := Load(path)
	if err != nil {
		_, _ = os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
	_, _ = os.Stdout.Write(v.KeyCheck())
}

func TestLoad_createsAKeyFileForItsOwnerAndReadsItAgain(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "secret.key")
	first, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}

	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); mode != 0o600 {
		t.Errorf("mode %04o, want 0600", mode)
	}

	again, err := Load(path)
	if err != nil || !again.MatchesKeyCheck(first.KeyCheck()) {
		t.Errorf("the second Load failed or returned another key: %v", err)
	}
	if names := fileNames(t, dir); len(names) != 1 {
		t.Errorf("the folder contains %v, want only the key file", names)
	}

	other, err := Load(filepath.Join(t.TempDir(), "secret.key"))
	if err != nil || other.MatchesKeyCheck(first.KeyCheck()) {
		t.Errorf("two new files have the same key, or Load failed: %v", err)
	}
}

func TestLoad_refusesAFileThatOthersMayRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret.key")
	if _, err := Load(path); err != nil {
		t.Fatal(err)
	}

	for _, mode := range []fs.FileMode{0o640, 0o604, 0o644, 0o620} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "chmod 600 "+path) {
			t.Errorf("mode %04o: %v, want a refusal that says chmod 600", mode, err)
		}
	}

	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err != nil {
		t.Errorf("mode 0400: %v", err)
	}
}

func TestLoad_neverReplacesAnExistingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret.key")
	for _, content := range []string{"", "not a key", strings.Repeat("ab", 40)} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); !errors.Is(err, ErrInvalidKey) {
			t.Errorf("%q: %v, want ErrKeyText", content, err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("the file is now %q, %v", got, err)
		}

		if err := createKeyFile(path); err != nil {
			t.Errorf("createKeyFile over an existing file: %v", err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("createKeyFile changed it to %q, %v", got, err)
		}
	}
}

func TestLoad_refusesAFolderAndAMissingFolder(t *testing.T) {
	dir := t.TempDir()
	if _, err := Load(dir); err == nil {
		t.Error("a folder was loaded")
	}
	if _, err := Load(filepath.Join(dir, "missing", "secret.key")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing folder: %v, want fs.ErrNotExist", err)
	}
}

func TestLoad_returnsOneKeyToRacingProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret.key")
	const racers = 12
	checks := make([]string, racers)
	var wait sync.WaitGroup
	for i := range racers {
		wait.Go(func() {
			if i%2 == 0 {
				v, err := Load(path)
				if err != nil {
					t.Error(err)
					return
				}
				checks[i] = string(v.KeyCheck())
				return
			}

			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), loadVariable+"="+path)
			out, err := cmd.Output()
			if err != nil {
				t.Error(err)
			}

			checks[i] = string(out)
		})
	}

	wait.Wait()

	for i, check := range checks {
		if check != checks[0] {
			t.Errorf("process %d has another key than process 0", i)
		}
	}
}

func fileNames(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
