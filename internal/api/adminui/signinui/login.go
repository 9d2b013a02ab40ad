package signinui

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/account"
)

// loginTimeout limits the duration of a login. A login waits for a free slot to hash the password, and in a flood of
// logins it must not wait forever.
const loginTimeout = 20 * time.Second

// loginForm is the data of the sign-in page.
type loginForm struct {
	Email string
	Next  string
	// MayReset says that a forgotten password can be replaced by mail.
	MayReset bool
}

func (ui *UI) loginPage(w http.ResponseWriter, r *httpapi.Request) error {
	next := frame.LocalRedirectPath(r.URL.Query().Get("next"))
	if token, ok := frame.SessionToken(r.Request); ok {
		_, err := ui.Accounts.Sessions.Authenticate(r.Context(), token)
		if err == nil {
			return frame.Redirect(w, r.Request, next)
		}
		if fault.KindOf(err) != fault.Unauthenticated {
			return err
		}
	}

	v := ui.pages.NewPublicView(r.Request, "Sign in", loginForm{Next: next, MayReset: ui.resetsPasswords()})
	v.Success = cmp.Or(frame.RedirectMessage(r, "signed_out", v.T("You are signed out.")),
		frame.RedirectMessage(r, "invitation_accepted", v.T("Your password is set. Sign in with it.")),
		frame.RedirectMessage(r, "password_link", v.T("If somebody signs in with this address, a link is on its way "+
			"to it. It works for an hour.")),
		frame.RedirectMessage(r, "email_confirmed",
			v.T("Your e-mail address is confirmed. Sign in with it from now on.")))
	return ui.pages.Render(w, http.StatusOK, "login", v)
}

func (ui *UI) login(w http.ResponseWriter, r *httpapi.Request) error {
	if frame.ParseForm(r); r.Err() != nil {
		return r.Err()
	}

	form := loginForm{Email: r.PostForm.Get("email"), Next: frame.LocalRedirectPath(r.PostForm.Get("next")),
		MayReset: ui.resetsPasswords()}
	rerender := func(status int, message string) error {
		v := ui.pages.NewPublicView(r.Request, "Sign in", form)
		v.Failure = message
		return ui.pages.Render(w, status, "login", v)
	}
	if dropsSecureCookie(r.Header.Get("Origin")) {
		return rerender(http.StatusBadRequest, ui.pages.Language(r).T(
			"This page came over plain HTTP, and browsers keep a session only over HTTPS or on localhost. "+
				"Open the administration by an https:// address."))
	}

	in, err := ui.signIn(r, form.Email, r.PostForm.Get("password"))
	if status, message, ok := frame.LoginFailure(w, ui.pages.Language(r), err); ok {
		return rerender(status, message)
	}
	if err != nil {
		return err
	}
	if in.Pending != "" {
		return ui.renderCode(w, r, http.StatusOK, codeForm{Pending: in.Pending, Next: form.Next}, "")
	}

	return ui.enter(w, r, in, form.Next)
}

// enter sets the cookies of a new session and leads to the page that was asked for.
func (ui *UI) enter(w http.ResponseWriter, r *httpapi.Request, in account.SignedIn, next string) error {
	if err := ui.replaceSession(w, r, in.Session); err != nil {
		return err
	}
	frame.SetDeviceCookie(w, in.Device)
	if language := in.Principal.Operator.Language; language != "" {
		frame.SetLanguage(w, language)
	}
	return frame.Redirect(w, r.Request, next)
}

// codeForm is the data of the page that asks for the code.
type codeForm struct{ Pending, Next string }

func (ui *UI) renderCode(
	w http.ResponseWriter, r *httpapi.Request, status int, form codeForm, failure string,
) error {
	v := ui.pages.NewPublicView(r.Request, "Second step", form)
	v.Failure = failure
	return ui.pages.Render(w, status, "login_code", v)
}

// loginCode opens a session after the second step.
func (ui *UI) loginCode(w http.ResponseWriter, r *httpapi.Request) error {
	if frame.ParseForm(r); r.Err() != nil {
		return r.Err()
	}

	form := codeForm{Pending: r.PostForm.Get("pending"), Next: frame.LocalRedirectPath(r.PostForm.Get("next"))}
	in, err := ui.signInWithCode(r, form.Pending, r.PostForm.Get("code"))
	var f *fault.Error
	if errors.As(err, &f) && f.Code == "sign_in_expired" {
		v := ui.pages.NewPublicView(r.Request, "Sign in", loginForm{Next: form.Next, MayReset: ui.resetsPasswords()})
		v.Failure = v.T("The sign-in took too long. Type your password again.")
		return ui.pages.Render(w, http.StatusUnauthorized, "login", v)
	}

	if status, message, ok := frame.LoginFailure(w, ui.pages.Language(r), err); ok {
		if f.Code == "invalid_code" {
			message = ui.pages.Language(r).T("The code is wrong or was used already. Type the one that the app shows " +
				"now.")
		}
		return ui.renderCode(w, r, status, form, message)
	}

	if err != nil {
		return err
	}

	return ui.enter(w, r, in, form.Next)
}

// signInWithCode refuses clients whose address sent too many bad credentials.
func (ui *UI) signInWithCode(r *httpapi.Request, pending, code string) (in account.SignedIn, err error) {
	succeeded, err := r.TryCredential()
	if err != nil {
		return in, err
	}
	in, err = ui.Accounts.Sessions.SignInWithCode(r.Context(), account.CodeLogin{Pending: pending, Code: code,
		Login: newLogin(r, "", "")})
	if fault.KindOf(err) != fault.Unauthenticated {
		succeeded()
	}
	return in, err
}

// newLogin returns a login with what the request says about its source.
func newLogin(r *httpapi.Request, email, password string) account.Login {
	session, _ := frame.SessionToken(r.Request)
	return account.Login{Email: email, Password: password, Network: r.Network(), Device: frame.DeviceToken(r.Request),
		Session: session, Browser: browserName(r.UserAgent()), AdmitWrite: r.Work.AdmitWrite}
}

// signIn opens a session. It refuses clients whose address sent too many bad credentials.
func (ui *UI) signIn(r *httpapi.Request, email, password string) (in account.SignedIn, err error) {
	succeeded, err := r.TryCredential()
	if err != nil {
		return in, err
	}
	// PostgreSQL refuses NUL bytes and invalid UTF-8. They are replaced with question marks, so that the query works
	// and finds no account.
	email = strings.ReplaceAll(strings.ToValidUTF8(email, "?"), "\x00", "?")
	ctx, cancel := context.WithTimeout(r.Context(), loginTimeout)
	defer cancel()
	in, err = ui.Accounts.Sessions.SignIn(ctx, newLogin(r, email, password))
	if fault.KindOf(err) != fault.Unauthenticated {
		succeeded()
	}
	return in, err
}

func (ui *UI) logout(w http.ResponseWriter, r *httpapi.Request) error {
	if err := ui.replaceSession(w, r, ""); err != nil {
		return err
	}
	return frame.Redirect(w, r.Request, "/login?signed_out")
}

// replaceSession ends the session of the request, if it has one, and sets the session cookie to token. An empty token
// deletes the cookie.
func (ui *UI) replaceSession(w http.ResponseWriter, r *httpapi.Request, token string) error {
	if old, ok := frame.SessionToken(r.Request); ok {
		release, err := r.Work.AdmitWrite(r.Context())
		if err != nil {
			return err
		}
		defer release()
		if err := ui.Accounts.Sessions.SignOut(r.Context(), old); err != nil {
			return err
		}
	}
	frame.SetSessionCookie(w, token)
	return nil
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

// setLanguage sets the language of the pages in this browser and leads back to the page that has the form.
func (ui *UI) setLanguage(w http.ResponseWriter, r *httpapi.Request) error {
	if frame.ParseForm(r); r.Err() != nil {
		return r.Err()
	}
	frame.SetLanguage(w, r.PostForm.Get("language"))
	return frame.Redirect(w, r.Request, frame.LocalRedirectPath(r.PostForm.Get("next")))
}
