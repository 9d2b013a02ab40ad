package app_test

import (
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
)

// With NOTIFY_SOCKET the server tells systemd when it is ready, that it is alive, and when it stops. The socket is a
// path or a name in the abstract namespace.
func TestServe_notifiesTheServiceManager(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, socket string }{
		{"path", filepath.Join(t.TempDir(), "notify")},
		{"abstract", "@vitrine-test-" + filepath.Base(t.TempDir()) + "-" + time.Now().Format("150405.000000000")},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: c.socket, Net: "unixgram"})
			if err != nil {
				t.Fatal(err)
			}
			defer socket.Close()

			cmd := newInstallation(t, database.SQLite).ServeCommand()
			cmd.Env = append(cmd.Env, "NOTIFY_SOCKET="+c.socket, "WATCHDOG_USEC=100000")
			p := apitest.LaunchServer(t, cmd)
			wantMessage(t, socket, "STATUS=Opening the database")

			ready := wantMessage(t, socket, "READY=1")
			if want := "STATUS=Serving the API at " + strings.Replace(p.URL, "127.0.0.1", "localhost",
				1); !strings.Contains(ready, want) {
				t.Errorf("the server is ready with %q, want %q", ready, want)
			}

			wantMessage(t, socket, "WATCHDOG=1")
			wantMessage(t, socket, "WATCHDOG=1")
			p.Signal(syscall.SIGTERM)
			wantMessage(t, socket, "STOPPING=1")

			if code := p.Wait(); code != 0 {
				t.Errorf("the server exits with %d", code)
			}
		})
	}
}

// A socket that is gone does not keep the server from running.
func TestServe_runsWithoutTheServiceManager(t *testing.T) {
	t.Parallel()
	cmd := newInstallation(t, database.SQLite).ServeCommand()
	cmd.Env = append(cmd.Env, "NOTIFY_SOCKET="+filepath.Join(t.TempDir(), "missing"))
	p := apitest.LaunchServer(t, cmd)
	if status, _ := p.GetAdmin("/readyz"); status != 200 {
		t.Errorf("/readyz returns %d", status)
	}
	if !strings.Contains(p.Stderr.String(), "could not notify the service manager") {
		t.Errorf("the log does not say that the messages are lost: %s", p.Stderr)
	}
}

// wantMessage reads messages until one has this variable as a line, and returns it.
func wantMessage(t *testing.T, socket *net.UnixConn, variable string) string {
	t.Helper()
	if err := socket.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 4096)
	for {
		n, err := socket.Read(buffer)
		if err != nil {
			t.Fatalf("no message has %s: %v", variable, err)
		}
		if message := string(buffer[:n]); strings.Contains("\n"+message+"\n", "\n"+variable+"\n") {
			return message
		}
	}
}
