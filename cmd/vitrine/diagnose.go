package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"vitrine/internal/app/check"
	"vitrine/internal/kit/config"
)

// maxDiagnoseBody limits a response of the server that a bundle contains.
const maxDiagnoseBody = 64 << 20

type diagnoseCommand struct {
	config.Serve `embed:""`

	File string `arg:"" help:"A new file whose name ends in .tar.gz."`
}

// Run writes a diagnostics bundle. A server may be running. It takes the settings of serve, in the same way.
func (c *diagnoseCommand) Run(ctx context.Context, o output, parsed *kong.Context) (err error) {
	if !strings.HasSuffix(c.File, ".tar.gz") {
		return fmt.Errorf("%s: the name of the file must end in .tar.gz", c.File)
	}

	makeFilesPrivate()
	settings, err := changedSettings(parsed.Flags())
	if err != nil {
		return err
	}

	file, err := os.OpenFile(c.File, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(c.File))
		}
	}()

	log := slog.New(slog.NewTextHandler(o.err, &slog.HandlerOptions{Level: slog.LevelError}))
	parts, err := check.Diagnose(ctx, c.Storage, c.Files, check.DiagnoseOptions{Version: version, Settings: settings,
		Ask: c.ask}, file, log)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}

	fmt.Fprintf(o.out, "%s holds:\n", c.File)

	for _, p := range parts {
		if p.Err == nil {
			fmt.Fprintf(o.out, "  %-20s %s\n", p.File, p.Content)
		}
	}

	fmt.Fprintln(o.out, check.DiagnosePromise)

	for _, p := range parts {
		if p.Err != nil {
			fmt.Fprintf(o.err, "%s is missing: %v\n", p.File, p.Err)
		}
	}

	return nil
}

// ask sends a request to the server on this machine. It sends the token of the metrics only to the paths that need it.
func (c *diagnoseCommand) ask(ctx context.Context, path string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+dialAddress(c.AdminAddr)+path, nil)
	if err != nil {
		return nil, err
	}

	if c.MetricsToken != "" && (path == "/metrics" || strings.HasPrefix(path, "/debug/")) {
		r.Header.Set("Authorization", "Bearer "+c.MetricsToken)
	}

	// A proxy of the environment has no business between two processes of one machine, and a redirect is no answer.
	response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()

	body, err := io.ReadAll(io.LimitReader(response.Body, maxDiagnoseBody))
	if err != nil {
		return nil, err
	}
	notReady := response.StatusCode == http.StatusServiceUnavailable && strings.HasPrefix(path, "/readyz")
	if response.StatusCode != http.StatusOK && !notReady {
		return nil, fmt.Errorf("%s returns %s", path, response.Status)
	}

	return body, nil
}

// harmlessSettings are the settings whose values a diagnostics bundle may contain: numbers, durations, switches and
// the ports of the listeners. A new setting is not part of it until it is added here.
func harmlessSettings() []string {
	return []string{"admin-addr", "allow-http", "api-addr", "audit-retention", "cart-lines-per-hour",
		"codes-per-address",
		"codes-per-country", "codes-per-person", "codes-per-store", "connections-per-address", "dev", "draft-retention",
		"event-retention", "exchange-retention",
		"failed-credentials-per-minute", "log-format", "log-level", "max-guest-drafts", "max-line-quantity", "memory",
		"no-background", "no-first-store", "no-migrate", "public-writes-per-minute", "public-writes-per-person",
		"public-writes-per-store", "reservation-timeout", "search-memory", "shutdown-delay", "shutdown-timeout",
		"spool-limit", "trace-sample"}
}

// changedSettings returns the settings whose values differ from the defaults, sorted by name.
func changedSettings(flags []*kong.Flag) (settings []check.Setting, err error) {
	for _, f := range flags {
		initial := reflect.New(f.Target.Type()).Elem()
		if f.HasDefault && f.Default != "" {
			token := kong.Token{Type: kong.FlagValueToken, Value: f.Default}
			if err := f.Parse(kong.ScanFromTokens(token), initial); err != nil {
				return nil, err
			}
		}

		if reflect.DeepEqual(initial.Interface(), f.Target.Interface()) {
			continue
		}

		s := check.Setting{Name: f.Name}
		if slices.Contains(harmlessSettings(), f.Name) {
			s.Value = fmt.Sprint(f.Target.Interface())
		}

		if f.Name == "api-addr" || f.Name == "admin-addr" {
			s.Value = hideHost(s.Value)
		}

		settings = append(settings, s)
	}

	slices.SortFunc(settings, func(a, b check.Setting) int { return strings.Compare(a.Name, b.Name) })
	return settings, nil
}

// hideHost returns the address of a listener without the name or the address of the host. It says whether the listener
// is on loopback; an empty host stands for all interfaces.
func hideHost(address string) string {
	host, port, err := net.SplitHostPort(address)
	ip, _ := netip.ParseAddr(host)
	switch {
	case err != nil:
		return "hidden"
	case host == "":
	case host == "localhost", ip.IsLoopback():
		host = "loopback"
	case ip.IsUnspecified():
		host = ""
	default:
		host = "hidden"
	}
	return host + ":" + port
}
