// Package signinui serves the pages for signing in, for replacing a forgotten password, for accepting an invitation,
// for confirming an e-mail address and for switching the store.
package signinui

import (
	"embed"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/store"
)

//go:embed templates/*.html
var templates embed.FS

// Deps are the services that the pages use.
type Deps struct {
	*frame.Frame
	Stores *store.Service
	Notify *notify.Service
	// AdminURL is the configured URL of the administration without a trailing slash, or empty.
	AdminURL string
}

// UI serves the pages. It is safe for concurrent use.
type UI struct {
	Deps
	pages *frame.Pages
}

// New parses the embedded templates when they are first used.
func New(d Deps) *UI { return &UI{Deps: d, pages: d.NewPages("signinui", templates, nil)} }

// Routes returns the routes. Most of them need no session.
func (ui *UI) Routes() []httpapi.Route {
	return []httpapi.Route{
		{Method: "GET", Path: "/login", Class: httpapi.ClassList, Handler: ui.loginPage},
		{Method: "POST", Path: "/login", Handler: ui.login},
		{Method: "POST", Path: "/login/code", Handler: ui.loginCode},
		{Method: "POST", Path: "/logout", Handler: ui.logout},
		{Method: "GET", Path: "/invitation/{token}", Class: httpapi.ClassList, Handler: ui.invitationPage},
		{Method: "POST", Path: "/invitation/{token}", Handler: ui.acceptInvitation},
		{Method: "GET", Path: "/email/{token}", Class: httpapi.ClassList, Handler: ui.emailPage},
		{Method: "POST", Path: "/email/{token}", Handler: ui.confirmEmail},
		{Method: "GET", Path: "/password", Class: httpapi.ClassList, Handler: ui.forgottenPage},
		{Method: "POST", Path: "/password", Handler: ui.sendPasswordLink},
		{Method: "GET", Path: "/password/{token}", Class: httpapi.ClassList, Handler: ui.passwordPage},
		{Method: "POST", Path: "/password/{token}", Handler: ui.setPassword},
		{Method: "POST", Path: "/language", Handler: ui.setLanguage},
		frame.Page("POST", "/invitation/{token}/join", httpapi.AnyScope, ui.joinStore),
		frame.Page("POST", "/stores", httpapi.AnyScope, ui.switchStore),
	}
}
