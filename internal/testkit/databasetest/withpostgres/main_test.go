package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// roleVariable makes a copy of this test binary run main.
const roleVariable = "WITHPOSTGRES_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(roleVariable) != "" {
		main()
	}
	os.Exit(m.Run())
}

func command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), roleVariable+"=1")
	return cmd
}

func TestRun_providesServerAndReturnsExitCode(t *testing.T) {
	cmd := command("--", "sh", "-c", `echo "$VITRINE_TEST_POSTGRES"; exit 7`)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Fatalf("ended with %v, want exit code 7", err)
	}
	u, err := url.Parse(strings.TrimSpace(string(out)))
	if err != nil || u.Scheme != "postgres" {
		t.Fatalf("the command saw URL %q, %v", out, err)
	}
	if conn, err := net.Dial("tcp", u.Host); err == nil {
		conn.Close()
		t.Error("the server still runs after withpostgres has exited")
	}
}

func TestRun_forwardsSignalsToProcessGroup(t *testing.T) {
	// The grandchild prints the signal that it receives. The same signal kills the command itself.
	cmd := command("--", "sh", "-c", `
		sh -c 'trap "echo grandchild got TERM; exit" TERM; echo started; while :; do sleep 0.05; done' &
		echo "$VITRINE_TEST_POSTGRES"
		wait`)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}

	lines := bufio.NewReader(out)
	for range 2 { // the URL and "started", in either order
		if _, err := lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}

	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}

	rest, err := io.ReadAll(lines)
	if err != nil || !strings.Contains(string(rest), "grandchild got TERM") {
		t.Errorf("the grandchild printed %q, %v; want it to receive SIGTERM", rest, err)
	}

	err = cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 128+int(syscall.SIGTERM) {
		t.Errorf("ended with %v, want exit code 143", err)
	}
}

func TestRun_refusesInvalidArguments(t *testing.T) {
	for _, args := range [][]string{nil, {"-durable"}, {"-nonsense", "--", "true"}} {
		var stderr bytes.Buffer
		if code := runWithPostgres(args, io.Discard, &stderr); code != 2 || stderr.Len() == 0 {
			t.Errorf("runWithPostgres(%q) = %d, %q; want 2 and a message", args, code, stderr.String())
		}
	}
}

func TestRun_namesMissingCommand(t *testing.T) {
	var stderr bytes.Buffer
	if code := runWithPostgres([]string{"--", "no-such-command"}, io.Discard, &stderr); code != 1 ||
		!strings.Contains(stderr.String(), "no-such-command") {
		t.Errorf("run = %d, %q; want 1 and the command's name", code, stderr.String())
	}
}
