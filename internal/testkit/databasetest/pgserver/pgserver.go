// Package pgserver starts a private PostgreSQL server for tests and benchmarks, and makes sure that it is removed.
//
// The server runs in a temporary directory, listens on 127.0.0.1 only, and trusts all local connections. Its parent is
// a small shell script that reads from a pipe held by the process that called Start. When that process ends in any way
// (return, os.Exit, panic, SIGKILL), the pipe closes, and the script stops the server and removes the directory.
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

// URLVariable is the environment variable with the URL of a running server, as set by withpostgres.
const URLVariable = "VITRINE_TEST_POSTGRES"

// SharedDirVariable is the environment variable with a directory for what the test processes of one run of withpostgres
// share. It is removed with the server.
const SharedDirVariable = "VITRINE_TEST_SHARED"

// ProgramsVariable is the environment variable with the directory of initdb, pg_ctl and postgres. Without it, Start
// uses the newest version that is installed.
const ProgramsVariable = "VITRINE_TEST_POSTGRES_BIN"

// ErrMissing is returned if the PostgreSQL server programs are not installed.
var ErrMissing = errors.New("PostgreSQL is not installed: run `make test`, which installs it, or " +
	"`apt-get install postgresql-15`")

// errPortTaken reports that another process took the port between its choice and the start of the server.
var errPortTaken = errors.New("port taken")

// Options configure a server.
type Options struct {
	// Durable makes every commit survive a crash and a power loss, and enables data checksums and autovacuum, as in
	// production. Without it the server is faster, but a crash may lose the last commits, and a power loss all data.
	Durable bool
	// Settings are further lines of the configuration, such as "work_mem = '1MB'". They override the defaults.
	Settings []string
}

// Server is a running PostgreSQL server. It runs until Stop, or until the process that started it ends.
type Server struct {
	// URL is for the database "postgres" as superuser: postgres://postgres@127.0.0.1:port/postgres?sslmode=disable.
	URL string
	// Dir is the directory with all files of the server, including its log.
	Dir string

	supervised
}

// supervised is a shell script that runs a server until it is stopped or this process ends.
type supervised struct {
	keepAlive  *os.File // write end of the pipe; the server stops when it is closed
	supervisor *exec.Cmd
}

// superviseScript runs in the directory of the server. $1 is the directory of the PostgreSQL programs; the other
// arguments are the program that creates the data directory, with its flags. The server must not inherit our standard
// output: go test waits until all processes that inherited it have closed it. So its output goes to the log.
const superviseScript = `
bin=$1; shift
program=$1; shift
if "$bin/$program" -D data "$@" >log 2>&1 &&
	"$bin/pg_ctl" start -D data -l log -w -t 60 -o "-c config_file=$PWD/server.conf" >>log 2>&1
then echo ready
else echo failed
fi
cat >/dev/null
[ -f data/postmaster.pid ] && "$bin/pg_ctl" stop -D data -m immediate -w -t 30 >>log 2>&1
dir=$PWD && cd / && rm -rf -- "$dir"
`

// Start starts a new, empty server and returns when it accepts connections, after about a second. It returns ErrMissing
// if PostgreSQL is not installed.
func Start(opts Options) (*Server, error) {
	initdb := []string{"initdb", "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8",
		"--no-instructions"}
	if opts.Durable {
		initdb = append(initdb, "--data-checksums")
	} else {
		initdb = append(initdb, "--no-sync")
	}
	return start(opts, initdb)
}

// StartStandby starts a server that follows s by streaming replication. Reads on it lag behind those on s.
func (s *Server) StartStandby(opts Options) (*Server, error) {
	return start(opts, []string{"pg_basebackup", "--dbname=" + s.URL, "--write-recovery-conf", "--checkpoint=fast"})
}

// start starts a server whose data directory is made by a program with its flags.
func start(opts Options, create []string) (*Server, error) {
	bin, err := postgresPrograms()
	if err != nil {
		return nil, err
	}
	const attempts = 5
	for range attempts {
		var s *Server
		if s, err = startPostgres(bin, opts, create); !errors.Is(err, errPortTaken) {
			return s, err
		}
	}
	return nil, fmt.Errorf("start PostgreSQL %d times: %w", attempts, err)
}

// Stop stops the server immediately and removes its directory.
func (s supervised) Stop() error {
	return errors.Join(s.keepAlive.Close(), s.supervisor.Wait())
}

// Restart stops the server as in a crash and starts it again on the same port.
func (s *Server) Restart() error { return s.control("restart", "-m", "immediate", "-l", "log") }

// Crash stops the server as in a crash. Its files stay.
func (s *Server) Crash() error { return s.control("stop", "-m", "immediate") }

// Promote makes a standby a primary.
func (s *Server) Promote() error { return s.control("promote") }

// control runs pg_ctl and waits until the server has done it.
func (s *Server) control(action string, flags ...string) error {
	bin, err := postgresPrograms()
	if err != nil {
		return err
	}
	owner, err := postgresUser()
	if err != nil {
		return err
	}

	cmd := exec.Command(filepath.Join(bin, "pg_ctl"), append([]string{action, "-D", "data", "-w", "-t", "60"},
		flags...)...)
	cmd.Dir, cmd.Env = s.Dir, postgresEnvironment()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: owner}
	if err := cmd.Run(); err != nil {
		log, _ := os.ReadFile(filepath.Join(s.Dir, "log"))
		return fmt.Errorf("%s PostgreSQL: %w\n%s", action, err, log)
	}

	return nil
}

// postgresEnvironment returns the environment of the server programs. It contains none of the user's PG… variables.
func postgresEnvironment() []string {
	return []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8"}
}

func startPostgres(bin string, opts Options, create []string) (*Server, error) {
	owner, err := postgresUser()
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}

	dir, err := createServerDir(owner, port, opts)
	if err != nil {
		return nil, err
	}

	s := &Server{
		URL: fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", port),
		Dir: dir,
	}
	args := append([]string{bin}, create...)
	if s.supervised, err = supervise("PostgreSQL", dir, superviseScript, owner, args); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}

	return s, nil
}

// supervise starts a supervising script in dir and waits until it reports that its server is ready or has failed.
func supervise(name, dir, script string, owner *syscall.Credential, args []string) (s supervised, err error) {
	cmd := exec.Command("/bin/sh", append([]string{"-c", script, "supervise"}, args...)...)
	cmd.Dir, cmd.Env = dir, postgresEnvironment()

	// A new session keeps Ctrl-C at the terminal away from the script, which acts only when the tests have ended.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: owner}

	stdin, keepAlive, err := os.Pipe()
	if err != nil {
		return s, err
	}
	status, stdout, err := os.Pipe()
	if err != nil {
		return s, errors.Join(err, stdin.Close(), keepAlive.Close())
	}
	defer func() { _ = status.Close() }()

	cmd.Stdin, cmd.Stdout = stdin, stdout
	err = cmd.Start()
	err = errors.Join(err, stdin.Close(), stdout.Close())
	if err != nil {
		return s, errors.Join(err, keepAlive.Close())
	}

	s.keepAlive, s.supervisor = keepAlive, cmd

	line, _ := bufio.NewReader(status).ReadString('\n')
	if line == "ready\n" {
		return s, nil
	}

	log, _ := os.ReadFile(filepath.Join(dir, "log"))
	err = fmt.Errorf("start %s: %s\n%s", name, strings.TrimSpace(line), log)
	if strings.Contains(string(log), "could not bind") {
		err = fmt.Errorf("%w: %w", errPortTaken, err)
	}

	return s, errors.Join(err, s.Stop())
}

// createServerDir creates the directory of the server with its configuration, owned by the user that runs the server.
func createServerDir(owner *syscall.Credential, port int, opts Options) (string, error) {
	dir, err := os.MkdirTemp(parentDir(owner, opts), "vitrine-postgres-")
	if err != nil {
		return "", err
	}

	err = errors.Join(
		os.WriteFile(filepath.Join(dir, "server.conf"), []byte(postgresConfig(dir, port, opts)), 0o644),
		os.WriteFile(filepath.Join(dir, "hba.conf"), []byte("host all,replication all 127.0.0.1/32 trust\n"), 0o644),
	)
	for _, name := range []string{"server.conf", "hba.conf"} { // whatever umask the process has
		err = errors.Join(err, os.Chmod(filepath.Join(dir, name), 0o644))
	}

	if owner != nil {
		err = errors.Join(err, os.Chown(dir, int(owner.Uid), int(owner.Gid)))
	}

	if err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}

	return dir, nil
}

// parentDir returns where to create the directory of the server. Copying a template database creates 300 files, which
// takes 20 ms in memory and 60 to 150 ms on a disk.
func parentDir(owner *syscall.Credential, opts Options) string {
	const memory, minFree = "/dev/shm", 1 << 30 // minFree is in bytes; in a container /dev/shm often has only 64 MiB
	var fs syscall.Statfs_t
	switch {
	case opts.Durable:
		return "/var/tmp" // on a disk; /tmp may be in memory, where fsync costs nothing
	//nolint:unconvert // Bavail is signed on FreeBSD
	case syscall.Statfs(memory, &fs) == nil && uint64(fs.Bavail)*uint64(fs.Bsize) >= minFree && isWorldWritable(memory):
		return memory
	case owner != nil:
		return "/tmp" // another user may have no access to root's TMPDIR
	}
	return os.TempDir()
}

// isWorldWritable reports whether every user may create entries in dir.
func isWorldWritable(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.Mode().Perm()&0o003 == 0o003
}

func postgresConfig(dir string, port int, opts Options) string {
	lines := []string{
		"listen_addresses = '127.0.0.1'",
		"port = " + strconv.Itoa(port),
		"unix_socket_directories = '" + dir + "'",
		"hba_file = '" + dir + "/hba.conf'",
		"max_connections = 400",
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
			"max_wal_size = '256MB'", // the directory may be in memory
			"autovacuum = off")       // a worker connected to a template database would delay copying it
	}

	lines = append(lines, opts.Settings...) // of two lines for one setting, the last one counts
	return strings.Join(lines, "\n") + "\n"
}

// Programs returns the directory of initdb, pg_ctl and the client programs, such as pg_dump, that belong to them.
func Programs() (string, error) { return postgresPrograms() }

// postgresPrograms returns the directory of initdb and pg_ctl.
func postgresPrograms() (string, error) {
	if dir := os.Getenv(ProgramsVariable); dir != "" {
		return dir, nil
	}
	return findPostgresPrograms("/usr/lib/postgresql/*/bin")
}

// findPostgresPrograms returns the directory of initdb and pg_ctl: the last match of pattern, else that in PATH.
// Debian installs them in one directory per version, outside of PATH.
func findPostgresPrograms(pattern string) (string, error) {
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

// postgresUser returns the user that runs the server; nil means the current user. As root it returns the user postgres,
// since PostgreSQL refuses to run as root.
func postgresUser() (*syscall.Credential, error) {
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
