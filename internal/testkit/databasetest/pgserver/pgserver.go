// Package pgserver starts a private PostgreSQL for tests and benchmarks and sees to it that it is gone afterwards.
//
// The server lives in a temporary folder, listens on 127.0.0.1 only and trusts everybody there. Its parent is a small
// shell that waits for the end of a pipe held by the process that called Start: when that process ends, by whatever
// means (return, os.Exit, panic, SIGKILL), the pipe closes, and the shell stops the server and removes the folder.
package pgserver

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// URLVariable is the environment variable that offers a server already running, as withpostgres does.
const URLVariable = "VITRINE_TEST_POSTGRES"

// ErrMissing says that this machine has no PostgreSQL server programs.
var ErrMissing = errors.New("PostgreSQL is not installed: run `make test`, which installs it, or `apt-get install postgresql-15`")

// errPortTaken says that another process took the port between our choice and the server's start.
var errPortTaken = errors.New("port taken")

// Options choose what the server is good for.
type Options struct {
	// Durable makes every commit survive a power loss, with data checksums and autovacuum, as in production: for
	// benchmarks. Without it the server is fast and forgets everything in a crash: for tests.
	Durable bool
}

// Server is a running PostgreSQL. It lives as long as the process that started it, or until Stop.
type Server struct {
	// URL reaches the database "postgres" as superuser: postgres://postgres@127.0.0.1:port/postgres?sslmode=disable.
	URL string
	// Dir holds everything the server writes, its log included.
	Dir string

	keepAlive  *os.File // the pipe's end that keeps the server alive; a finalizer must not close it early
	supervisor *exec.Cmd
}

// superviseScript runs in the server's folder; $1 is the folder of PostgreSQL's programs, the rest are flags for initdb.
// The server's standard input and output are its log's and /dev/null, never ours: `go test` waits until everybody who
// inherited its output has closed it.
const superviseScript = `
bin=$1; shift
if "$bin/initdb" -D data --username=postgres --auth=trust --encoding=UTF8 --locale=C.UTF-8 --no-instructions "$@" >log 2>&1 &&
	"$bin/pg_ctl" start -D data -l log -w -t 60 -o "-c config_file=$PWD/server.conf" >>log 2>&1
then echo ready
else echo failed
fi
cat >/dev/null
[ -f data/postmaster.pid ] && "$bin/pg_ctl" stop -D data -m immediate -w -t 30 >>log 2>&1
dir=$PWD && cd / && rm -rf -- "$dir"
`

// Start makes a new, empty server, which takes about a second, and returns when it accepts connections.
// It returns ErrMissing when PostgreSQL is not installed.
func Start(opts Options) (*Server, error) {
	bin, err := findPrograms("/usr/lib/postgresql/*/bin")
	if err != nil {
		return nil, err
	}
	const attempts = 5
	for range attempts {
		var s *Server
		if s, err = start(bin, opts); !errors.Is(err, errPortTaken) {
			return s, err
		}
	}
	return nil, fmt.Errorf("start PostgreSQL %d times: %w", attempts, err)
}

// Stop ends the server at once and removes its folder.
func (s *Server) Stop() error {
	return errors.Join(s.keepAlive.Close(), s.supervisor.Wait())
}

// Restart stops the server as a crash would and starts it again, on the same port.
func (s *Server) Restart() error {
	bin, err := findPrograms("/usr/lib/postgresql/*/bin")
	if err != nil {
		return err
	}
	owner, err := serverOwner()
	if err != nil {
		return err
	}
	cmd := exec.Command(filepath.Join(bin, "pg_ctl"), "restart", "-D", "data", "-m", "immediate", "-w", "-t", "60", "-l", "log")
	cmd.Dir, cmd.Env = s.Dir, environment()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: owner}
	if err := cmd.Run(); err != nil {
		log, _ := os.ReadFile(filepath.Join(s.Dir, "log"))
		return fmt.Errorf("restart PostgreSQL: %w\n%s", err, log)
	}
	return nil
}

// environment is that of the server's programs: no PG… variable of the user's may leak in.
func environment() []string { return []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8"} }

func start(bin string, opts Options) (*Server, error) {
	owner, err := serverOwner()
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	dir, err := createDir(owner, port, opts)
	if err != nil {
		return nil, err
	}
	s := &Server{
		URL: fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", port),
		Dir: dir,
	}
	if err := s.launch(bin, owner, opts); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

// launch starts the supervising shell and waits for its verdict.
func (s *Server) launch(bin string, owner *syscall.Credential, opts Options) error {
	args := []string{"-c", superviseScript, "supervise", bin}
	if opts.Durable {
		args = append(args, "--data-checksums")
	} else {
		args = append(args, "--no-sync")
	}
	cmd := exec.Command("/bin/sh", args...)
	cmd.Dir, cmd.Env = s.Dir, environment()
	// A session of its own: Ctrl-C at the terminal is for the tests, the shell acts when they have ended.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: owner}

	stdin, keepAlive, err := os.Pipe()
	if err != nil {
		return err
	}
	status, stdout, err := os.Pipe()
	if err != nil {
		return errors.Join(err, stdin.Close(), keepAlive.Close())
	}
	defer func() { _ = status.Close() }()
	cmd.Stdin, cmd.Stdout = stdin, stdout
	err = cmd.Start()
	err = errors.Join(err, stdin.Close(), stdout.Close())
	if err != nil {
		return errors.Join(err, keepAlive.Close())
	}
	s.keepAlive, s.supervisor = keepAlive, cmd

	line, _ := bufio.NewReader(status).ReadString('\n')
	if line == "ready\n" {
		return nil
	}
	log, _ := os.ReadFile(filepath.Join(s.Dir, "log"))
	err = fmt.Errorf("start PostgreSQL: %s\n%s", strings.TrimSpace(line), log)
	if strings.Contains(string(log), "could not bind") {
		err = fmt.Errorf("%w: %w", errPortTaken, err)
	}
	return errors.Join(err, s.Stop())
}

// createDir prepares the server's folder with its settings, owned by the user the server runs as.
func createDir(owner *syscall.Credential, port int, opts Options) (string, error) {
	dir, err := os.MkdirTemp(parentDir(owner, opts), "vitrine-postgres-")
	if err != nil {
		return "", err
	}
	err = errors.Join(
		os.WriteFile(filepath.Join(dir, "server.conf"), []byte(configFile(dir, port, opts)), 0o644),
		os.WriteFile(filepath.Join(dir, "hba.conf"), []byte("host all all 127.0.0.1/32 trust\n"), 0o644),
	)
	if owner != nil {
		err = errors.Join(err, os.Chown(dir, int(owner.Uid), int(owner.Gid)))
	}
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return dir, nil
}

// parentDir is where the server's folder goes. Copying a template database is creating 300 files: 20 ms in memory,
// 60 to 150 ms on a disk.
func parentDir(owner *syscall.Credential, opts Options) string {
	const memory, minFree = "/dev/shm", 1 << 30 // bytes; containers often have 64 MiB
	var fs syscall.Statfs_t
	switch {
	case opts.Durable:
		return "/var/tmp" // on a disk, where /tmp may not be: in memory fsync costs nothing
	case syscall.Statfs(memory, &fs) == nil && fs.Bavail*uint64(fs.Bsize) >= minFree && isWorldWritable(memory):
		return memory
	case owner != nil:
		return "/tmp" // root's TMPDIR may be closed to the other user
	}
	return os.TempDir()
}

// isWorldWritable reports whether everybody may make a folder in dir.
func isWorldWritable(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.Mode().Perm()&0o003 == 0o003
}

func configFile(dir string, port int, opts Options) string {
	lines := []string{
		"listen_addresses = '127.0.0.1'",
		"port = " + strconv.Itoa(port),
		"unix_socket_directories = '" + dir + "'",
		"hba_file = '" + dir + "/hba.conf'",
		"max_connections = 200",
		"timezone = 'UTC'",
		"log_timezone = 'UTC'",
	}
	if opts.Durable {
		lines = append(lines,
			"fsync = on",
			"synchronous_commit = on",
			"full_page_writes = on",
			"shared_buffers = '256MB'")
	} else {
		lines = append(lines,
			"fsync = off",
			"synchronous_commit = off",
			"full_page_writes = off",
			"shared_buffers = '64MB'",
			"max_wal_size = '256MB'", // it may lie in memory
			"autovacuum = off")       // a worker inside a template database would make copies of it wait
	}
	return strings.Join(lines, "\n") + "\n"
}

// findPrograms finds the folder of initdb and pg_ctl: the last one that pattern matches, or else in PATH. Debian keeps
// them out of PATH, in a folder per version.
func findPrograms(pattern string) (string, error) {
	found, err := filepath.Glob(pattern + "/initdb")
	if err != nil {
		return "", err
	}
	if len(found) > 0 {
		return filepath.Dir(found[len(found)-1]), nil
	}
	initdb, err := exec.LookPath("initdb")
	if err != nil {
		return "", ErrMissing
	}
	return filepath.Dir(initdb), nil
}

// serverOwner is the user to run the server as, nil for our own: PostgreSQL refuses to run as root.
func serverOwner() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL refuses to run as root: %w", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}
