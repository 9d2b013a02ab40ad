package onec

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"vitrine/internal/client/request"
	"vitrine/internal/kit/fault"
)

// defaultFileLimit is the size of a part if the site has not said one.
const defaultFileLimit = 1 << 20

// maxResponseBytes limits a response other than the response to query.
const maxResponseBytes = 1 << 20

// Session is an exchange between init and its end.
type Session struct {
	site   Site
	kind   string // the parameter type: catalog or sale
	cookie *http.Cookie
	// extra has the parameters that the site wants with each request, such as sessid.
	extra url.Values
	// startedAt is the time of the site, as it stands in the response to checkauth, or the time of this machine.
	startedAt string

	// Zip says that the site takes archives.
	Zip bool
	// FileLimit is the size of the parts in which files are sent.
	FileLimit int64
}

// Begin signs in and starts a session: checkauth and init. kind is catalog or sale.
func (s Site) Begin(ctx context.Context, kind, version string) (*Session, error) {
	session := &Session{site: s, kind: kind, extra: url.Values{}, FileLimit: defaultFileLimit,
		startedAt: time.Now().Format("2006-01-02_15:04:05")}
	lines, err := session.call(ctx, "checkauth", nil)
	if err != nil {
		return nil, err
	}
	if len(lines) < 3 {
		return nil, unexpected("checkauth", lines, "the name and the value of a cookie on lines 2 and 3")
	}

	session.cookie = &http.Cookie{Name: lines[1], Value: lines[2]}

	for _, line := range lines[3:] {
		if name, value, ok := strings.Cut(line, "="); ok {
			session.extra.Set(name, value)
		} else if line != "" {
			session.startedAt = line
		}
	}

	var params url.Values
	if isVersion3(version) {
		params = url.Values{"version": {version}}
	}

	if lines, err = session.send(ctx, http.MethodGet, "init", params, nil, 0); err != nil {
		return nil, err
	}

	return session, session.readInit(lines)
}

// readInit reads the response to init: settings, one per line. It has no verdict.
func (s *Session) readInit(lines []string) error {
	for _, line := range lines {
		name, value, _ := strings.Cut(line, "=")
		switch strings.TrimSpace(name) {
		case "failure":
			return failure("init", lines)
		case "zip":
			s.Zip = strings.TrimSpace(value) == "yes"
		case "file_limit":
			n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			if err != nil || n < 1 {
				return unexpected("init", lines, "file_limit with a number of bytes")
			}
			s.FileLimit = n
		case "sessid":
			s.extra.Set("sessid", value)
		}
	}

	return nil
}

// Upload sends a file in parts of FileLimit bytes.
func (s *Session) Upload(ctx context.Context, name string, r io.Reader) error {
	part := make([]byte, s.FileLimit)
	for sent := false; ; sent = true {
		n, err := io.ReadFull(r, part)
		if n > 0 || !sent {
			if err := s.SendPart(ctx, name, part[:n]); err != nil {
				return err
			}
		}
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return nil
		case err != nil:
			return fmt.Errorf("read %s: %w", name, err)
		}
	}
}

// SendPart sends one part of a file.
func (s *Session) SendPart(ctx context.Context, name string, part []byte) error {
	lines, err := s.send(ctx, http.MethodPost, "file", url.Values{"filename": {name}}, bytes.NewReader(part),
		int64(len(part)))
	if err != nil {
		return err
	}
	return wantSuccess("file", lines)
}

// Import has the site import an uploaded document. It repeats the request until the response is not progress.
func (s *Session) Import(ctx context.Context, name string, delay time.Duration) error {
	return s.repeat(ctx, "import", url.Values{"filename": {name}}, delay)
}

// Deactivate has the site treat what it has not received in this session as missing.
func (s *Session) Deactivate(ctx context.Context, delay time.Duration) error {
	return s.repeat(ctx, "deactivate", url.Values{"timestamp": {s.startedAt}}, delay)
}

func (s *Session) repeat(ctx context.Context, mode string, params url.Values, delay time.Duration) error {
	for {
		lines, err := s.send(ctx, http.MethodGet, mode, params, nil, 0)
		if err != nil {
			return err
		}
		if len(lines) == 0 || lines[0] != "progress" {
			return wantSuccess(mode, lines)
		}
		if err := request.Sleep(ctx, delay); err != nil {
			return err
		}
	}
}

// call sends a GET request whose response must be success, and returns the lines of the response.
func (s *Session) call(ctx context.Context, mode string, params url.Values) ([]string, error) {
	lines, err := s.send(ctx, http.MethodGet, mode, params, nil, 0)
	if err != nil {
		return nil, err
	}
	return lines, wantSuccess(mode, lines)
}

func (s *Session) send(
	ctx context.Context, method, mode string, params url.Values, body io.Reader, size int64,
) ([]string, error) {
	started := time.Now()
	resp, described, err := s.open(ctx, method, mode, params, body, size)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()

	text, err := request.ReadBody(resp, maxResponseBytes)
	if err != nil {
		return nil, err
	}

	lines := responseLines(text)
	s.tell(Turn{Request: described, Sent: size, Received: int64(len(text)), Response: lines,
		Duration: time.Since(started)})

	if resp.StatusCode != http.StatusOK {
		return nil, fault.New(fault.Unavailable, "unexpected_status", "The site answered %s to %s. 1C expects 200.",
			resp.Status, mode)
	}

	return lines, nil
}

// open sends a request and returns the response with a description of the request.
func (s *Session) open(
	ctx context.Context, method, mode string, params url.Values, body io.Reader, size int64,
) (*http.Response, string, error) {
	u, err := url.Parse(s.site.URL)
	if err != nil || u.Host == "" {
		return nil, "", fault.New(fault.Invalid, "invalid_address", "%s is not the address of an exchange, such as "+
			"https://shop.example/v2/sync-gate/commerceml.", s.site.URL)
	}

	// 1C writes type and mode first.
	query := "type=" + s.kind + "&mode=" + mode
	for _, more := range []url.Values{params, s.extra} {
		if len(more) > 0 {
			query += "&" + more.Encode()
		}
	}

	described := method + " " + query
	if u.RawQuery != "" {
		query = u.RawQuery + "&" + query
	}

	u.RawQuery = query
	req, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, "", err
	}

	if body != nil {
		req.ContentLength = size
		req.Header.Set("Content-Type", "application/octet-stream")
	}

	req.Header.Set("User-Agent", "1C+Enterprise/8.3")
	if s.cookie == nil || s.site.BasicAlways {
		req.SetBasicAuth(s.site.Login, s.site.Password)
	}

	if s.cookie != nil {
		req.AddCookie(s.cookie)
	}

	resp, err := s.site.Client.Do(req)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err // without the URL, which may contain the token
	}

	if err != nil {
		return nil, "", fault.New(fault.Unavailable, "no_response", "The site did not answer %s.", mode).Because(err)
	}

	return resp, described, nil
}

func (s *Session) tell(t Turn) {
	if s.site.Dialogue != nil {
		s.site.Dialogue(t)
	}
}

// responseLines splits a response into lines. 1C takes text that is not UTF-8 as windows-1251.
func responseLines(text []byte) []string {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if !utf8.Valid(text) {
		text, _ = charmap.Windows1251.NewDecoder().Bytes(text) // each byte is a character
	}
	lines := strings.Split(strings.TrimRight(string(text), "\r\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return lines
}

func wantSuccess(mode string, lines []string) error {
	switch {
	case len(lines) > 0 && lines[0] == "success":
		return nil
	case len(lines) > 0 && lines[0] == "failure":
		return failure(mode, lines)
	}
	return unexpected(mode, lines, "success, progress or failure on line 1")
}

// failure is the error of a site that has refused a request.
func failure(mode string, lines []string) error {
	reason := cmp.Or(strings.TrimSpace(strings.Join(lines[1:], " ")), "It does not say why.")
	return fault.New(fault.Conflict, "exchange_failed", "The site refused %s: %s", mode, reason)
}

func unexpected(mode string, lines []string, want string) error {
	first := ""
	if len(lines) > 0 {
		first = lines[0]
	}
	return fault.New(fault.Conflict, "unknown_status",
		"1C does not understand the answer to %s: it begins with %q, and "+
			"1C expects %s.", mode, first, want)
}
