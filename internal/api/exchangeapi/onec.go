package exchangeapi

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/wording"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/exchange/onec"
)

const (
	// oneCPath is the path, below the token, at which 1C exchanges.
	oneCPath = "commerceml"
	// oneCCookie is the name of the session cookie that the response to checkauth names.
	oneCCookie = "vitrine_1c"
	// cookiePurpose is the purpose of the sealed cookie, cookieAge how long it works.
	cookiePurpose = "commerceml cookie"
	cookieAge     = 7 * 24 * time.Hour
	// filePartBytes is the size of the parts in which 1C sends files. Proxies accept bodies of this size.
	filePartBytes = 4 << 20
	// ordersBytes is the same for files with orders, which are applied as they come: they are not split or packed.
	ordersBytes = 256 << 20
)

// oneCAnswer is the answer to a request of 1C.
type oneCAnswer struct {
	verdict string   // success, progress or failure
	lines   []string // after the verdict, or alone
	xml     func(w io.Writer) error
}

// lateResponse sends the header of an XML document with its first byte. Until then, an error can be answered as text.
type lateResponse struct {
	http.ResponseWriter
	began bool
}

func (l *lateResponse) Write(b []byte) (int, error) {
	if !l.began {
		l.began = true
		l.Header().Set("Content-Type", "application/xml; charset=utf-8")
		l.WriteHeader(http.StatusOK)
	}
	return l.ResponseWriter.Write(b)
}

func succeeded(lines ...string) oneCAnswer { return oneCAnswer{verdict: "success", lines: lines} }

// serveOneC speaks the protocol of 1C. Every response is 200: 1C reads only the lines of the body.
func (api *API) serveOneC(w http.ResponseWriter, r *httpapi.Request) error {
	answer, err := api.answerOneC(w, r)
	if err == nil && answer.xml != nil {
		out := &lateResponse{ResponseWriter: w}
		if err = answer.xml(out); err == nil || out.began {
			api.saveContact(r, []string{"XML"})
			return err
		}
	}

	if err != nil {
		answer = oneCAnswer{verdict: "failure", lines: []string{api.failureText(r, err)}}
	}

	lines := answer.lines
	if answer.verdict != "" {
		lines = append([]string{answer.verdict}, inStoreLanguage(r, lines)...)
	}

	api.saveContact(r, lines)

	text, err := encoding.ReplaceUnsupported(charmap.Windows1251.NewEncoder()).String(strings.Join(lines, "\n"))
	if err != nil {
		return err
	}

	w.Header().Set("Content-Type", "text/plain; charset=windows-1251")
	w.WriteHeader(http.StatusOK)
	_, err = w.Write([]byte(text))
	return err
}

// inStoreLanguage returns lines that 1C shows to people in the language of the store. Without a valid password the
// store is not known: then the lines are in English and in Russian, the language of 1C.
func inStoreLanguage(r *httpapi.Request, lines []string) []string {
	all := make([]string, len(lines))
	for i, line := range lines {
		if r.Principal.Store.ID.IsZero() {
			all[i] = line + " " + wording.Answer("ru", line)
		} else {
			all[i] = wording.Answer(r.Principal.Store.Locale, line)
		}
	}
	return all
}

// saveContact stores the request and the lines of its answer for the page that connects 1C. A failure to do so does not
// matter to 1C.
func (api *API) saveContact(r *httpapi.Request, lines []string) {
	storeID := r.Principal.Store.ID
	if storeID.IsZero() {
		return
	}

	query := r.URL.Query()
	said := []string{"type=" + query.Get("type"), "mode=" + query.Get("mode")}
	if name := oneCFileName(query); name != "" {
		said = append(said, "filename="+name)
	}

	if query.Get("mode") == "checkauth" {
		lines = lines[:1] // the others are a secret
	}

	answered := lines[0]
	if len(lines) > 1 {
		answered += ": " + strings.Join(lines[1:], " ")
	}

	contact := onec.Contact{Said: strings.Join(said, " "), Answered: answered, Failed: lines[0] == "failure"}
	if err := api.onec.SaveContact(r.Context(), storeID, contact); err != nil && r.Context().Err() == nil {
		api.log.WarnContext(r.Context(), "the last request of 1C was not stored", "request_id", r.ID, "error", err)
	}
}

// failureText returns the explanation of an error on one line. An internal error goes to the log.
func (api *API) failureText(r *httpapi.Request, err error) string {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind == fault.Internal {
		if r.Context().Err() == nil {
			api.log.ErrorContext(r.Context(), "exchange with 1C failed", "request_id", r.ID, "error", err)
		}
		return "Internal error; the request id is " + r.ID + "."
	}
	return strings.Join(strings.Fields(f.Message), " ")
}

// answerOneC answers one request of the protocol.
func (api *API) answerOneC(w http.ResponseWriter, r *httpapi.Request) (oneCAnswer, error) {
	query := r.URL.Query()
	mode, kind := query.Get("mode"), query.Get("type")
	login, err := api.authenticateOneC(r)
	if err != nil {
		return oneCAnswer{}, err
	}

	if kind == "" {
		kind = "catalog"
	}

	if login.Kind = kind; kind != "catalog" && kind != "sale" {
		return oneCAnswer{}, fault.New(fault.Invalid, "unknown_type",
			"The type %.40q is not known; use catalog or sale.", kind)
	}

	if mode == "checkauth" {
		return api.checkAuth(w, r), nil
	}
	if kind == "sale" {
		return api.answerSale(r, login, mode)
	}

	entities := pushable(r.Principal)
	if len(entities) == 0 {
		return oneCAnswer{}, errNoPushScope()
	}

	ctx := r.Context()
	switch mode {
	case "init":
		return api.initOneC(ctx, login, query.Get("version"))
	case "file":
		return api.receiveOneC(r, login, oneCFileName(query))
	case "import":
		state, err := api.onec.Import(ctx, login, onec.ImportFile{Name: oneCFileName(query), Entities: entities})
		return importAnswer(state, err)
	case "deactivate":
		state, err := api.onec.Deactivate(ctx, login)
		return importAnswer(state, err)
	case "complete":
		return succeeded(), api.onec.CompleteSession(ctx, login)
	}

	return oneCAnswer{}, errUnknownMode(mode, "checkauth, init, file, import, deactivate or complete")
}

// oneCFileName returns the parameter filename. Older versions of 1C write Cyrillic names in windows-1251.
func oneCFileName(query url.Values) string {
	name := query.Get("filename")
	if utf8.ValidString(name) {
		return name
	}
	decoded, err := charmap.Windows1251.NewDecoder().String(name)
	if err != nil {
		return name
	}
	return decoded
}

func errUnknownMode(mode, known string) error {
	return fault.New(fault.Invalid, "unknown_mode", "The mode %.40q is not known; use %s.", mode, known)
}

// errNoPushScope says that a token may push nothing, and what it would need.
func errNoPushScope() error {
	var scopes []string
	for _, scope := range access.EntityScopes() {
		scopes = append(scopes, string(scope))
	}
	return fault.New(fault.Denied, "forbidden",
		"This password may not send a catalogue: its exchange token needs * or one of the scopes %s. Make a new one "+
			"on the "+
			"page Connect 1C of the administration, and enter it in 1C.", strings.Join(scopes, ", "))
}

// pushable returns the entities that the token may push.
func pushable(p access.Principal) (entities []string) {
	for _, scope := range access.EntityScopes() {
		if p.MayExchange(scope) {
			entities = append(entities, string(scope))
		}
	}
	return entities
}

func importAnswer(state onec.ImportState, err error) (oneCAnswer, error) {
	switch {
	case err != nil:
		return oneCAnswer{}, err
	case state.Done && state.Problem != "":
		return oneCAnswer{verdict: "failure", lines: []string{state.Problem}}, nil
	case state.Done && state.Warnings != "":
		return succeeded(state.Text, state.Warnings), nil
	case state.Done:
		return succeeded(state.Text), nil
	}
	return oneCAnswer{verdict: "progress", lines: []string{state.Text}}, nil
}

// initOneC begins a session. Newer versions of 1C send their version, and want the session's id and the version back.
func (api *API) initOneC(ctx context.Context, login onec.Login, version string) (oneCAnswer, error) {
	session, err := api.onec.BeginSession(ctx, login, version)
	if err != nil {
		return oneCAnswer{}, err
	}
	lines := []string{"zip=yes", fmt.Sprintf("file_limit=%d", filePartBytes)}
	if login.Kind == "sale" {
		lines = []string{"zip=no", fmt.Sprintf("file_limit=%d", ordersBytes)}
	}
	if version != "" {
		lines = append(lines, fmt.Sprintf("sessid=%d", session.Key), "version=3.1")
	}
	return oneCAnswer{lines: lines}, nil
}

// receiveOneC stores a part of a file.
func (api *API) receiveOneC(r *httpapi.Request, login onec.Login, name string) (oneCAnswer, error) {
	body, release, err := openOneCBody(r)
	if err != nil {
		return oneCAnswer{}, err
	}
	defer release()
	return succeeded(), api.onec.ReceivePart(r.Context(), login, name, body)
}

// openOneCBody returns the body, whatever media type it claims to have.
func openOneCBody(r *httpapi.Request) (body *httpapi.Stream, release func(), err error) {
	free, err := r.Work.Admit(r.Context(), httpapi.ClassGate)
	if err != nil {
		return nil, nil, err
	}
	const media = "application/octet-stream"
	r.Header.Set("Content-Type", media)
	if body, err = r.Stream(media); err != nil {
		free()
		return nil, nil, err
	}
	return body, func() { body.Release(); free() }, nil
}

// checkAuth gives the cookie with which 1C sends all further requests. A client that has only a cookie gets the same
// one again: its time goes on.
func (api *API) checkAuth(w http.ResponseWriter, r *httpapi.Request) oneCAnswer {
	if token := api.sentToken(r); token == "" {
		if cookie, err := r.Cookie(oneCCookie); err == nil {
			return succeeded(oneCCookie, cookie.Value)
		}
	}

	login := make([]byte, loginBytes)
	_, _ = rand.Read(login) // never fails
	plain := binary.BigEndian.AppendUint64(login, uint64(api.now().Unix()))
	plain = append(plain, api.oneCToken(r)...)
	value := base64.RawURLEncoding.EncodeToString(api.vault.Seal(cookiePurpose, plain))

	http.SetCookie(w, &http.Cookie{Name: oneCCookie, Value: value, Path: prefix, HttpOnly: true,
		SameSite: http.SameSiteStrictMode, Secure: strings.HasPrefix(api.publicURL, "https://")})
	return succeeded(oneCCookie, value)
}

const (
	// loginBytes is the length of the random part of a cookie, which tells exchanges apart.
	loginBytes  = 16
	cookieStart = loginBytes + 8
)

// openCookie returns the random part of the cookie and its token; both are empty without a valid cookie.
func (api *API) openCookie(r *httpapi.Request) (login []byte, token string) {
	cookie, err := r.Cookie(oneCCookie)
	if err != nil {
		return nil, ""
	}
	sealed, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil {
		return nil, ""
	}

	plain, err := api.vault.Open(cookiePurpose, sealed)
	if err != nil || len(plain) < cookieStart {
		return nil, ""
	}
	issued := time.Unix(int64(binary.BigEndian.Uint64(plain[loginBytes:])), 0)
	if api.now().Sub(issued) > cookieAge {
		return nil, ""
	}

	return plain[:loginBytes], string(plain[cookieStart:])
}

// oneCToken returns the token with which a request was sent, or else the token of the cookie.
func (api *API) oneCToken(r *httpapi.Request) string {
	if _, _, ok := r.BasicAuth(); ok {
		return api.sentToken(r)
	}
	if token := api.sentToken(r); token != "" {
		return token
	}
	_, token := api.openCookie(r)
	return token
}

// sentToken returns the token in the path, or in the password or the login of HTTP Basic, or "".
func (api *API) sentToken(r *httpapi.Request) string {
	if token, _ := r.Context().Value(tokenKey{}).(string); token != "" {
		return token
	}
	name, password, ok := r.BasicAuth()
	switch {
	case !ok:
		return ""
	case !strings.HasPrefix(password, "xt_") && strings.HasPrefix(name, "xt_"):
		return name
	}
	return password
}

// authenticateOneC finds the store and the token of a request, and sets its Principal. A wrong token counts as a failed
// credential of the address.
func (api *API) authenticateOneC(r *httpapi.Request) (login onec.Login, err error) {
	token := api.oneCToken(r)
	fromCookie, _ := api.openCookie(r)
	if token == "" {
		return login, fault.New(fault.Unauthenticated, "invalid_exchange_token",
			"The password is missing. It is the exchange token, which begins with xt_; any login will do.")
	}

	credentialIsRight, err := r.TryCredential()
	if err != nil {
		return login, err
	}

	free, err := r.Work.Admit(r.Context(), httpapi.ClassShort)
	if err != nil {
		credentialIsRight()
		return login, err
	}

	p, err := api.authenticate(r.Context(), token)
	free()
	if err == nil && p.Kind != access.ExchangeToken || fault.KindOf(err) == fault.Unauthenticated {
		return login, fault.New(fault.Unauthenticated, "invalid_exchange_token",
			"The password is wrong. It is the exchange token, which begins with xt_; it may have been revoked or "+
				"have expired.")
	}

	credentialIsRight()
	if err != nil {
		return login, err
	}

	r.Principal = p
	slots := onec.Slots{
		Heavy: func(ctx context.Context) (func(), error) { return r.Work.Admit(ctx, httpapi.ClassHeavy) },
		Poll:  func(ctx context.Context) (func(), error) { return r.Work.Admit(ctx, httpapi.ClassList) },
	}
	// 1C sends the sessid back that init gave it. One that is no number is of another site.
	session, _ := strconv.ParseInt(r.URL.Query().Get("sessid"), 10, 64)
	return onec.Login{Store: p.Store.ID, Credential: p.CredentialID, Login: fromCookie, Session: session,
		Slots: slots}, nil
}
