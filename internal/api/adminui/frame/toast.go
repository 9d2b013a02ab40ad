package frame

import (
	"encoding/base64"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"

	"vitrine/internal/api/httpapi"
)

// toastCookie has the toast for the next page.
const toastCookie = "__Host-vitrine-toast"

// toastSeconds is how long a toast waits for the next page.
const toastSeconds = 60

// maxToastBytes limits the cookie of a toast; browsers refuse cookies over 4096 bytes.
const maxToastBytes = 3500

// Toast is a message that the page after a change shows, with a button to undo the change if that is possible.
type Toast struct {
	Text string `json:"text"`
	Undo *Undo  `json:"undo,omitzero"`
}

// Undo is a form that undoes a change.
type Undo struct {
	Action string     `json:"action"`
	Fields url.Values `json:"fields"`
}

// RedirectWith redirects to target, which shows the toast.
func (f *Frame) RedirectWith(w http.ResponseWriter, r *httpapi.Request, target string, t Toast) error {
	b, err := json.Marshal(t)
	if err == nil && len(b) > maxToastBytes*3/4 {
		// An undo form that does not fit is left out: the message matters more.
		b, err = json.Marshal(Toast{Text: t.Text})
	}
	if err != nil {
		return err
	}
	setToast(w, base64.RawURLEncoding.EncodeToString(b), toastSeconds)
	return Redirect(w, r.Request, target)
}

// Done answers a form: it redirects to target, which shows the text, or returns the error of the change.
func (f *Frame) Done(w http.ResponseWriter, r *httpapi.Request, err error, target, text string) error {
	if err != nil {
		return err
	}
	return f.RedirectWith(w, r, target, Toast{Text: text})
}

func setToast(w http.ResponseWriter, value string, seconds int) {
	http.SetCookie(w, &http.Cookie{Name: toastCookie, Value: value, Path: "/", Secure: true, HttpOnly: true,
		SameSite: http.SameSiteLaxMode, MaxAge: seconds})
}

func clearToast(w http.ResponseWriter) { setToast(w, "", -1) }

// readToast returns the toast of a request, or nil if it has none. Only this server sets the cookie, and templates
// escape its content.
func readToast(r *http.Request) *Toast {
	b, err := base64.RawURLEncoding.DecodeString(cookieValue(r, toastCookie))
	if err != nil || len(b) == 0 {
		return nil
	}
	var t Toast
	if json.Unmarshal(b, &t) != nil || t.Text == "" {
		return nil
	}
	if t.Undo != nil && LocalRedirectPath(t.Undo.Action) != t.Undo.Action {
		t.Undo = nil
	}
	return &t
}
