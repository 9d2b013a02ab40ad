// Package settingsui serves the pages of the store's settings, keys, messages, team and log, and those of a person's
// own account.
package settingsui

import (
	"embed"
	"html/template"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/protection"
	"vitrine/internal/shop/store"
)

//go:embed templates/*.html
var templates embed.FS

// Deps are the services that the pages use.
type Deps struct {
	*frame.Frame
	Stores     *store.Service
	Protection *protection.Service
	Notify     *notify.Service
	Queue      *queue.Queue
	// AdminURL is the configured URL of the administration without a trailing slash, or empty.
	AdminURL string
}

// UI serves the pages. It is safe for concurrent use.
type UI struct {
	Deps
	pages *frame.Pages
}

// New parses the embedded templates when they are first used.
func New(d Deps) *UI {
	return &UI{Deps: d, pages: d.NewPages("settingsui", templates, template.FuncMap{
		"language": frame.LanguageName, "provider": providerName, "days": daysOf})}
}

// Routes returns the routes of the pages.
func (ui *UI) Routes() []httpapi.Route {
	return []httpapi.Route{
		frame.Page("GET", "/settings", access.StoreRead, ui.storePage),
		frame.Page("POST", "/settings", access.StoreWrite, ui.saveStore),
		frame.Page("GET", "/settings/sites", access.StoreWrite, ui.sitesPage),
		frame.Page("POST", "/settings/sites", access.StoreWrite, ui.saveSites),
		frame.Page("GET", "/settings/captcha", access.StoreWrite, ui.captchaPage),
		frame.Page("POST", "/settings/captcha", access.StoreWrite, ui.saveCaptcha),
		frame.Page("GET", "/settings/messages", access.StoreWrite, ui.messagesPage),
		frame.LongAction("/settings/messages", access.StoreWrite, ui.sendTestMessage),
		frame.Page("GET", "/settings/jobs", access.StoreRead, ui.parkedPage),
		frame.Page("POST", "/settings/jobs/{key}/retry", access.CatalogWrite, ui.retryParked),
		frame.Page("POST", "/settings/jobs/{key}/discard", access.CatalogWrite, ui.discardParked),
		frame.Page("GET", "/mailbox", access.KeysManage, ui.mailboxPage),

		frame.Page("GET", "/settings/team", access.OperatorsManage, ui.teamPage),
		frame.Page("GET", "/settings/team/invite", access.OperatorsManage, ui.invitePage),
		frame.Page("POST", "/settings/team/invite", access.OperatorsManage, ui.invite),
		frame.Page("GET", "/settings/team/{id}", access.OperatorsManage, ui.pages.Show("team_member", ui.memberPage)),
		frame.Page("POST", "/settings/team/{id}", access.OperatorsManage, ui.editMember),
		frame.Page("POST", "/settings/team/{id}/sessions", access.OperatorsManage, ui.endMemberSessions),
		frame.Page("GET", "/settings/team/{id}/remove", access.OperatorsManage,
			ui.pages.Show("team_remove", ui.removeMemberPage)),
		frame.Page("POST", "/settings/team/{id}/remove", access.OperatorsManage, ui.removeMember),
		frame.Page("GET", "/settings/log", access.OperatorsManage, ui.logPage),

		frame.Page("GET", "/account", httpapi.AnyScope, ui.pages.Show("account", ui.accountPage)),
		frame.Page("POST", "/account/email", httpapi.AnyScope, ui.changeEmail),
		frame.Page("POST", "/account/email/cancel", httpapi.AnyScope, ui.cancelEmail),
		frame.Page("POST", "/account/password", httpapi.AnyScope, ui.changePassword),
		frame.Page("POST", "/account/language", httpapi.AnyScope, ui.changeLanguage),
		frame.Page("POST", "/account/codes", httpapi.AnyScope, ui.setUpCodes),
		frame.Page("POST", "/account/codes/enable", httpapi.AnyScope, ui.enableCodes),
		frame.Page("POST", "/account/codes/disable", httpapi.AnyScope, ui.disableCodes),
		frame.Page("POST", "/account/codes/recovery", httpapi.AnyScope, ui.renewRecoveryCodes),
		frame.Page("POST", "/account/sessions/{session}/end", httpapi.AnyScope, ui.endOwnSession),
		frame.Page("POST", "/account/sessions/end", httpapi.AnyScope, ui.endOtherSessions),

		frame.Page("GET", "/keys", access.KeysManage, ui.keysPage),
		frame.Page("GET", "/keys/new", access.KeysManage, ui.newKeyPage),
		frame.Page("POST", "/keys", access.KeysManage, ui.createKey),
		frame.Page("GET", "/keys/{id}/rotate", access.KeysManage, ui.rotateKeyPage),
		frame.Page("POST", "/keys/{id}/rotate", access.KeysManage, ui.rotateKey),
		frame.Page("GET", "/keys/{id}/revoke", access.KeysManage, ui.pages.Show("key_revoke", ui.revokeKeyPage)),
		frame.Page("POST", "/keys/{id}/revoke", access.KeysManage, ui.revokeKey),
	}
}
