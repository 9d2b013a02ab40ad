package pgserver

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
)

// ErrBouncerMissing is returned if PgBouncer is not installed.
var ErrBouncerMissing = errors.New("PgBouncer is not installed: run `make test`, which installs it, or " +
	"`apt-get install pgbouncer`")

// Bouncer is a running PgBouncer. It runs until Stop, or until the process that started it ends.
type Bouncer struct {
	// URL is the URL of the database, through PgBouncer.
	URL string
	supervised
}

// bouncerScript runs in the directory of PgBouncer, which $1 names. It waits until the log says that it listens.
const bouncerScript = `
"$1" bouncer.ini >log 2>&1 &
pid=$!
tries=0
until grep -q 'process up' log 2>/dev/null; do
	tries=$((tries+1))
	if [ $tries -gt 600 ] || ! kill -0 $pid 2>/dev/null; then echo failed; break; fi
	sleep 0.05
done
grep -q 'process up' log && echo ready
cat >/dev/null
kill $pid 2>/dev/null && wait $pid
dir=$PWD && cd / && rm -rf -- "$dir"
`

// StartBouncer starts a PgBouncer in transaction mode before the server of databaseURL. settings are further lines of
// its configuration.
func StartBouncer(databaseURL string, settings ...string) (*Bouncer, error) {
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		if program, err = exec.LookPath("/usr/sbin/pgbouncer"); err != nil {
			return nil, ErrBouncerMissing
		}
	}

	server, err := url.Parse(databaseURL)
	if err != nil {
		return nil, err
	}
	owner, err := postgresUser()
	if err != nil {
		return nil, err
	}

	port, err := freePort()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("/tmp", "vitrine-pgbouncer-") // another user may have no access to root's TMPDIR
	if err != nil {
		return nil, err
	}

	config := fmt.Sprintf(`[databases]
* = host=127.0.0.1 port=%s user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 1000
default_pool_size = 20
`, server.Port(), port)
	for _, line := range settings {
		config += line + "\n"
	}

	err = os.WriteFile(filepath.Join(dir, "bouncer.ini"), []byte(config), 0o644)
	if owner != nil {
		err = errors.Join(err, os.Chown(dir, int(owner.Uid), int(owner.Gid)))
	}

	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}

	b := &Bouncer{URL: fmt.Sprintf("postgres://postgres@127.0.0.1:%d%s?sslmode=disable", port, server.Path)}
	if b.supervised, err = supervise("PgBouncer", dir, bouncerScript, owner, []string{program}); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}

	return b, nil
}
