package signinui

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
)

// loginTimeout limits the duration of a login. A login waits for a free slot to hash the password, and in a flood of
// logins it must not wait forever.
const loginTimeout = 20 * time.Second

// loginForm is the data of the sign-in page.
type loginForm struct {
	Email string
	Next  string
}

func (ui *UI) loginPage(w http.ResponseWriter, r *httpapi.Request) error {
	next := frame.LocalRedirectPath(r.URL.Query().Get("next"))
	if token, ok := frame.SessionToken(r.Request); ok {
		_, err := ui.Access.Session(r.Context(), token)
		if err == nil {
			return frame.Redirect(w, r.Request, next)
		}
		if fault.KindOf(err) != fault.Unauthenticated {
			return err
		}
	}
	v := ui.pages.NewPublicView(r.Request, "Sign in", loginForm{Next: next})
	v.Success = cmp.Or(frame.RedirectMessage(r, "signed_out", v.T("You are signed out.")),
		frame.RedirectMessage(r, "invitation_accepted", v.T("Your password is set. Sign in with it.")))
	return ui.pages.Render(w, http.StatusOK, "login", v)
}

func (ui *UI) login(w http.ResponseWriter, r *httpapi.Request) error {
	if frame.ParseForm(w, r); r.Err() != nil {
		return r.Err()
	}
	form := loginForm{Email: r.PostForm.Get("email"), Next: frame.LocalRedirectPath(r.PostForm.Get("next"))}
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
	if status, message, ok := frame.LoginFailure(w, err); ok {
		return rerender(status, message)
	}
	if err != nil {
		return err
	}
	if err := ui.replaceSession(w, r, in.Session); err != nil {
		return err
	}
	frame.SetDeviceCookie(w, in.Device)
	return frame.Redirect(w, r.Request, form.Next)
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
	session, _ := frame.SessionToken(r.Request)
	in, err = ui.Access.SignIn(ctx, access.Login{Email: email, Password: password, Network: r.Network(),
		Device: frame.DeviceToken(r.Request), Session: session,
		AdmitWrite: r.AdmitWrite})
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
		release, err := r.AdmitWrite(r.Context())
		if err != nil {
			return err
		}
		defer release()
		if err := ui.Access.SignOut(r.Context(), old); err != nil {
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
	if frame.ParseForm(w, r); r.Err() != nil {
		return r.Err()
	}
	frame.SetLanguage(w, r.PostForm.Get("language"))
	return frame.Redirect(w, r.Request, frame.LocalRedirectPath(r.PostForm.Get("next")))
}
