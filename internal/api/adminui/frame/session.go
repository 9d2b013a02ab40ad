package frame

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/store"
)

// The names of the cookies with the tokens of the session and of the device. They have the prefix __Host-: browsers
// accept such a cookie only with Secure, with Path=/ and without Domain.
const (
	sessionCookie = "__Host-vitrine"
	deviceCookie  = "__Host-vitrine-device"
)

// SessionToken returns the session token in the cookie of a request, and whether the request has one.
func SessionToken(r *http.Request) (string, bool) {
	token := cookieValue(r, sessionCookie)
	return token, token != ""
}

// DeviceToken returns the token by which the browser is known, or "".
func DeviceToken(r *http.Request) string { return cookieValue(r, deviceCookie) }

// cookieValue returns the value of a cookie, or "" if the request does not have it.
func cookieValue(r *http.Request, name string) string {
	c, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	return c.Value
}

// SetSessionCookie sets the session cookie, which lasts until the browser is closed. An empty token deletes the cookie.
func SetSessionCookie(w http.ResponseWriter, token string) {
	c := &http.Cookie{Name: sessionCookie, Value: token, Path: "/", Secure: true, HttpOnly: true,
		SameSite: http.SameSiteLaxMode}
	if token == "" {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}

// SetDeviceCookie sets the cookie by which the browser is known at the next login.
func SetDeviceCookie(w http.ResponseWriter, token string) {
	http.SetCookie(w, &http.Cookie{Name: deviceCookie, Value: token, Path: "/", Secure: true, HttpOnly: true,
		SameSite: http.SameSiteLaxMode, MaxAge: int(account.DeviceLifetime.Seconds())})
}

// LoginFailure maps a fault of a login to a status and a message for the form, in the language, and sets Retry-After if
// the fault has a delay. It returns ok=false for errors that the form does not show.
func LoginFailure(w http.ResponseWriter, l *Language, err error) (status int, message string, ok bool) {
	var f *fault.Error
	if !errors.As(err, &f) {
		return 0, "", false
	}

	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(f.RetryAfter.Seconds()))))
	}

	switch f.Kind {
	case fault.Unauthenticated:
		return http.StatusUnauthorized, l.Fault(f.Message), true
	case fault.TooMany:
		return http.StatusTooManyRequests, withRetryDelay(l, f), true
	case fault.Unavailable:
		return http.StatusServiceUnavailable, l.Fault(f.Message), true
	}

	return 0, "", false
}

// withRetryDelay returns the message of f with the number of seconds to wait.
func withRetryDelay(l *Language, f *fault.Error) string {
	message := l.Fault(f.Message)
	if f.Code == "too_many_attempts" {
		return message // it has the number
	}
	return message + " " + l.Plural(int(math.Ceil(f.RetryAfter.Seconds())), "Wait %d second, then try again.",
		"Wait %d seconds, then try again.")
}

// ConfirmPassword checks the password in the form before an action that a stolen session must not be able to perform.
// On success it replaces the session, so that a stolen session cookie stops working. If the password is refused, it
// returns fault.Invalid for the field password.
func (f *Frame) ConfirmPassword(w http.ResponseWriter, r *httpapi.Request) error {
	err := r.ConfirmPassword(f.Accounts.Sessions, r.PostForm.Get("password"))
	l := f.languages[f.languageIndex(r.Request)].forPart("frame")
	var refused *fault.Error
	if errors.As(err, &refused) && refused.Kind == fault.Denied {
		return fault.OneField("password", refused.Code, "%s", passwordMessage(l, refused))
	}
	if _, message, ok := LoginFailure(w, l, err); ok && refused.Kind != fault.Unauthenticated {
		return fault.OneField("password", "not_checked", "%s", message)
	}

	if err != nil {
		return err
	}

	release, err := r.Work.AdmitWrite(r.Context())
	if err != nil {
		return err
	}
	defer release()

	token, renewed, err := f.Accounts.Sessions.Renew(r.Context(), r.Principal)
	if err != nil {
		return err
	}

	r.Principal = renewed
	SetSessionCookie(w, token)
	return nil
}

// ConfirmIfTyped checks the password in the form, as ConfirmPassword does, if there is one. It is for a change of which
// only the transaction can tell whether it needs the password. It returns a function that the transaction calls in that
// case: it returns fault.Invalid for the field password if none was typed.
func (f *Frame) ConfirmIfTyped(w http.ResponseWriter, r *httpapi.Request) (required func() error, err error) {
	typed := r.PostForm.Get("password") != ""
	if typed {
		if err := f.ConfirmPassword(w, r); err != nil {
			return nil, err
		}
	}
	return func() error {
		if typed {
			return nil
		}
		l := f.languages[f.languageIndex(r.Request)].forPart("frame")
		return fault.OneField("password", account.PasswordRequired, "%s", l.T("Type your password again."))
	}, nil
}

// passwordMessage returns the message of a refused password for the form, which has a field for it.
func passwordMessage(l *Language, f *fault.Error) string {
	if f.Code == account.PasswordRequired {
		return l.T("Type your password again.")
	}
	return l.Fault(f.Message)
}

// IssueCredential checks the operator's password and then runs fn, which creates a token or a secret, as Change does.
func IssueCredential[T any](
	f *Frame, w http.ResponseWriter, r *httpapi.Request,
	fn func(context.Context, store.Tx) (T, error),
) (issued T, err error) {
	if r.Err() == nil {
		r.Fail(f.ConfirmPassword(w, r))
	}
	return Change(f, r, fn)
}

// LocalRedirectPath returns target if a browser reads it as a path of this server, and "/" otherwise. Browsers remove
// tabs and line breaks and treat a backslash as a slash, so "/\evil" and "/<tab>/evil" would lead to another host.
func LocalRedirectPath(target string) string {
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
