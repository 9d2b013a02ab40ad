package pgserver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// roleVariable makes a copy of this test binary start a server and then end abnormally.
const roleVariable = "PGSERVER_TEST_ROLE"

func TestMain(m *testing.M) {
	role := os.Getenv(roleVariable)
	if role == "" {
		os.Exit(m.Run())
	}

	s, err := Start(Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}

	fmt.Println(s.URL, s.Dir)

	switch role {
	case "exit":
		os.Exit(1)
	case "panic":
		panic("on purpose")
	case "sleep":
		time.Sleep(time.Minute) // until the test kills this process
	}
}

func TestStart_servesUntilStop(t *testing.T) {
	for _, opts := range []Options{{Durable: false}, {Durable: true}} {
		t.Run(fmt.Sprintf("durable=%v", opts.Durable), func(t *testing.T) {
			s, err := Start(opts)
			if err != nil {
				t.Fatal(err)
			}

			for _, setting := range []string{"fsync", "synchronous_commit", "full_page_writes"} {
				if got := showSetting(t, s.URL, setting); got != onOff(opts.Durable) {
					t.Errorf("%s = %s, want %s", setting, got, onOff(opts.Durable))
				}
			}

			// From version 18 on, PostgreSQL has checksums unless they are disabled.
			if got := showSetting(t, s.URL, "data_checksums"); opts.Durable && got != "on" {
				t.Errorf("data_checksums = %s, want on", got)
			}
			if err := s.Stop(); err != nil {
				t.Fatalf("Stop: %v", err)
			}
			if reason := leftover(t.Context(), s.URL, s.Dir); reason != "" {
				t.Error(reason)
			}
		})
	}
}

func TestStart_stopsServerWithParentProcess(t *testing.T) {
	for _, role := range []string{"exit", "panic", "sleep"} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), roleVariable+"="+role)

			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}

			line, err := bufio.NewReader(out).ReadString('\n')
			url, dir, ok := strings.Cut(strings.TrimSpace(line), " ")
			if err != nil || !ok {
				t.Fatalf("the child printed %q, %v", line, err)
			}

			if role == "sleep" {
				if got := showSetting(t, url, "fsync"); got != "off" {
					t.Errorf("fsync = %s, want off", got)
				}
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}

			if err := cmd.Wait(); err == nil {
				t.Error("the child exited with code 0, want a failure")
			}

			deadline := time.Now().Add(30 * time.Second)
			for reason := "?"; reason != ""; reason = leftover(t.Context(), url, dir) {
				if time.Now().After(deadline) {
					t.Fatal(reason)
				}
				time.Sleep(20 * time.Millisecond) // the cleanup runs in a process that the test cannot wait for
			}
		})
	}
}

func TestServer_listensOnLoopbackOnly(t *testing.T) {
	s, err := Start(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()

	if got := showSetting(t, s.URL, "listen_addresses"); got != "127.0.0.1" {
		t.Errorf("listen_addresses = %q, want 127.0.0.1", got)
	}
	if got := showSetting(t, s.URL, "unix_socket_directories"); got != s.Dir {
		t.Errorf("unix_socket_directories = %q, want %q", got, s.Dir)
	}

	info, err := os.Stat(s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if perm := info.Mode().Perm(); perm != 0o700 {
		t.Errorf("the directory has mode %o, want 700", perm)
	}
}

func TestStart_appliesFurtherSettings(t *testing.T) {
	s, err := Start(Options{Settings: []string{"shared_buffers = '1MB'"}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	if got := showSetting(t, s.URL, "shared_buffers"); got != "1MB" {
		t.Errorf("shared_buffers = %s, want 1MB", got)
	}
}

func TestStart_usesTheProgramsOfTheEnvironment(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(ProgramsVariable, dir)
	if got, err := postgresPrograms(); got != dir || err != nil {
		t.Errorf("postgresPrograms() = %s, %v; want %s", got, err, dir)
	}
}

func TestFindPrograms_saysWhatToInstall(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := findPostgresPrograms(t.TempDir())
	if !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "make test") ||
		!strings.Contains(err.Error(), "apt-get install postgresql-15") {
		t.Errorf("findPostgresPrograms returned %v, want ErrMissing with both ways to install", err)
	}
}

func showSetting(t *testing.T, url, setting string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var value string
	if err := conn.QueryRow(t.Context(), "SHOW "+setting).Scan(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

// leftover describes what remains of a server; "" means nothing.
func leftover(ctx context.Context, url, dir string) string {
	if conn, err := pgx.Connect(ctx, url); err == nil {
		conn.Close(ctx)
		return "the server still answers at " + url
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return "the directory still exists: " + dir
	}
	return ""
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
