package adminui

import (
	"cmp"
	"context"
	"errors"
	"math"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

// The names of the cookies with the tokens of the session and of the device. They have the prefix __Host-: browsers
// accept such a cookie only with Secure, with Path=/ and without Domain.
const (
	cookieName       = "__Host-vitrine"
	deviceCookieName = "__Host-vitrine-device"
)

// loginTimeout limits the duration of a login. A login waits for a free slot to hash the password, and in a flood of
// logins it must not wait forever.
const loginTimeout = 20 * time.Second

// loginForm is the data of the sign-in page.
type loginForm struct {
	Email string
	Next  string
}

// SessionToken returns the session token in the cookie of a request, and whether the request has one.
func SessionToken(r *http.Request) (string, bool) {
	token := cookieValue(r, cookieName)
	return token, token != ""
}

// cookieValue returns the value of a cookie, or "" if the request does not have it.
func cookieValue(r *http.Request, name string) string {
	c, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	return c.Value
}

// setSessionCookie sets the session cookie, which lasts until the browser is closed. An empty token deletes the cookie.
func setSessionCookie(w http.ResponseWriter, token string) {
	c := &http.Cookie{Name: cookieName, Value: token, Path: "/", Secure: true, HttpOnly: true,
		SameSite: http.SameSiteLaxMode}
	if token == "" {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}

// setDeviceCookie sets the cookie by which the browser is known at the next login.
func setDeviceCookie(w http.ResponseWriter, token string) {
	http.SetCookie(w, &http.Cookie{Name: deviceCookieName, Value: token, Path: "/", Secure: true, HttpOnly: true,
		SameSite: http.SameSiteLaxMode, MaxAge: int(access.DeviceLifetime.Seconds())})
}

func (ui *UI) loginPage(w http.ResponseWriter, r *httpapi.Request) error {
	next := localRedirectPath(r.URL.Query().Get("next"))
	if token, ok := SessionToken(r.Request); ok {
		_, err := ui.Access.Session(r.Context(), token)
		if err == nil {
			return redirect(w, r.Request, next)
		}
		if fault.KindOf(err) != fault.Unauthenticated {
			return err
		}
	}
	v := pageView{Title: "Sign in", Body: loginForm{Next: next}}
	v.Success = cmp.Or(redirectMessage(r, "signed_out", "You are signed out."),
		redirectMessage(r, "invitation_accepted", "Your password is set. Sign in with it."))
	return ui.render(w, http.StatusOK, "login", v)
}

func (ui *UI) login(w http.ResponseWriter, r *httpapi.Request) error {
	if parseForm(w, r); r.Err() != nil {
		return r.Err()
	}
	form := loginForm{Email: r.PostForm.Get("email"), Next: localRedirectPath(r.PostForm.Get("next"))}
	rerender := func(status int, message string) error {
		return ui.render(w, status, "login", pageView{Title: "Sign in", Failure: message, Body: form})
	}
	if dropsSecureCookie(r.Header.Get("Origin")) {
		return rerender(http.StatusBadRequest,
			"This page came over plain HTTP, and browsers keep a session only over HTTPS or on localhost. "+
				"Open the administration by an https:// address.")
	}
	in, err := ui.signIn(r, form.Email, r.PostForm.Get("password"))
	if status, message, ok := loginFailure(w, err); ok {
		return rerender(status, message)
	}
	if err != nil {
		return err
	}
	if err := ui.replaceSession(w, r, in.Session); err != nil {
		return err
	}
	setDeviceCookie(w, in.Device)
	return redirect(w, r.Request, form.Next)
}

// signIn opens a session. It refuses clients whose address sent too many bad credentials.
func (ui *UI) signIn(r *httpapi.Request, email, password string) (in access.SignedIn, err error) {
	succeeded, err := r.TryCredential()
	if err != nil {
		return in, err
	}
	// PostgreSQL refuses NUL bytes and invalid UTF-8. They are replaced with question marks, so that the query works
	// and finds no account.
	email = strings.ReplaceAll(strings.ToValidUTF8(email, "?"), "\x00", "?")
	ctx, cancel := context.WithTimeout(r.Context(), loginTimeout)
	defer cancel()
	session, _ := SessionToken(r.Request)
	in, err = ui.Access.SignIn(ctx, access.Login{Email: email, Password: password, Network: r.Network(),
		Device: cookieValue(r.Request, deviceCookieName), Session: session,
		AdmitWrite: r.AdmitWrite})
	if fault.KindOf(err) != fault.Unauthenticated {
		succeeded()
	}
	return in, err
}

// loginFailure maps a fault of a login to a status and a message for the form, and sets Retry-After if the fault has a
// delay. It returns ok=false for errors that the form does not show.
func loginFailure(w http.ResponseWriter, err error) (status int, message string, ok bool) {
	var f *fault.Error
	if !errors.As(err, &f) {
		return 0, "", false
	}
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(f.RetryAfter.Seconds()))))
	}
	switch f.Kind {
	case fault.Unauthenticated:
		return http.StatusUnauthorized, f.Message, true
	case fault.TooMany:
		return http.StatusTooManyRequests, withRetryDelay(f), true
	case fault.Unavailable:
		return http.StatusServiceUnavailable, f.Message, true
	}
	return 0, "", false
}

// withRetryDelay returns the message of f with the number of seconds to wait.
func withRetryDelay(f *fault.Error) string {
	if f.Code == "too_many_attempts" {
		return f.Message
	}
	return f.Message + " Wait " + strconv.Itoa(int(math.Ceil(f.RetryAfter.Seconds()))) + " seconds, then try again."
}

func (ui *UI) logout(w http.ResponseWriter, r *httpapi.Request) error {
	if err := ui.replaceSession(w, r, ""); err != nil {
		return err
	}
	return redirect(w, r.Request, "/login?signed_out")
}

// replaceSession ends the session of the request, if it has one, and sets the session cookie to token. An empty token
// deletes the cookie.
func (ui *UI) replaceSession(w http.ResponseWriter, r *httpapi.Request, token string) error {
	if old, ok := SessionToken(r.Request); ok {
		release, err := r.AdmitWrite(r.Context())
		if err != nil {
			return err
		}
		defer release()
		if err := ui.Access.SignOut(r.Context(), old); err != nil {
			return err
		}
	}
	setSessionCookie(w, token)
	return nil
}

// confirmPassword checks the password in the form before an action that a stolen session must not be able to perform.
// On success it replaces the session, so that a stolen session cookie stops working. If the password is refused, it
// returns fault.Invalid for the field password.
func (ui *UI) confirmPassword(w http.ResponseWriter, r *httpapi.Request) error {
	err := r.ConfirmPassword(ui.Access, r.PostForm.Get("password"))
	var f *fault.Error
	if errors.As(err, &f) && f.Kind == fault.Denied {
		return fault.OneField("password", f.Code, "%s", passwordMessage(f))
	}
	if _, message, ok := loginFailure(w, err); ok && f.Kind != fault.Unauthenticated {
		return fault.OneField("password", "not_checked", "%s", message)
	}
	if err != nil {
		return err
	}
	release, err := r.AdmitWrite(r.Context())
	if err != nil {
		return err
	}
	defer release()
	token, err := ui.Access.RenewSession(r.Context(), r.Principal)
	if err != nil {
		return err
	}
	setSessionCookie(w, token)
	return nil
}

// passwordMessage returns the message of a refused password for the form, which has a field for it.
func passwordMessage(f *fault.Error) string {
	if f.Code == access.PasswordRequired {
		return "Type your password again."
	}
	return f.Message
}

// issueCredential checks the operator's password and then runs fn, which creates a token or a secret, in a transaction.
func issueCredential[T any](
	ui *UI, w http.ResponseWriter, r *httpapi.Request, fn func(context.Context, store.Tx) (T, error),
) (issued T, err error) {
	if r.Err() == nil {
		r.Fail(ui.confirmPassword(w, r))
	}
	return inStore(r, ui.DB.Write, fn)
}

// localRedirectPath returns target if a browser reads it as a path of this server, and "/" otherwise. Browsers remove
// tabs and line breaks and treat a backslash as a slash, so "/\evil" and "/<tab>/evil" would lead to another host.
func localRedirectPath(target string) string {
	const start = "/"
	if !strings.HasPrefix(target, "/") || strings.Contains(target, "//") || strings.ContainsRune(target, '\\') ||
		strings.ContainsFunc(target, func(c rune) bool { return c <= ' ' || c == 0x7f || c == utf8.RuneError }) {
		return start
	}
	u, err := url.Parse(target)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Fragment != "" {
		return start
	}
	switch u.Path {
	case "/login", "/logout":
		return start
	}
	return target
}

// dropsSecureCookie reports whether a browser at this origin would silently drop the session cookie. Browsers drop
// Secure cookies over plain HTTP, except on loopback hosts.
func dropsSecureCookie(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" {
		return false
	}
	host := u.Hostname()
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return false
	}
	ip := net.ParseIP(host)
	return ip == nil || !ip.IsLoopback()
}
