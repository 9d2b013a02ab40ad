package settingsui

import (
	"embed"
	"html/template"
	"net/http"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/address"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/feed"
	"vitrine/internal/shop/mailing"
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
	Mailing    *mailing.Service
	Queue      *queue.Queue
	Prices     *pricelist.Service
	Addresses  *address.Service
	Feeds      *feed.Service
	Catalog    *catalog.Service
	// APIURL returns the address of the store's API, as the client of the request may reach it.
	APIURL func(r *http.Request) string
	// AdminURL is the configured URL of the administration without a trailing slash, or empty.
	AdminURL string
}

// UI serves the pages of the settings and the log itself, and has what the pages of the team, the account and the keys
// use. It is safe for concurrent use.
type UI struct {
	Deps
	pages *frame.Pages
}

// New parses the embedded templates when they are first used.
func New(d Deps) *UI {
	return &UI{Deps: d, pages: d.NewPages("settingsui", templates, template.FuncMap{
		"language": frame.LanguageName, "provider": providerName, "days": daysOf,
		"hasPrefix": strings.HasPrefix})}
}

// Routes returns the routes of the pages.
func (ui *UI) Routes() []httpapi.Route {
	team := teamUI{ui}
	account := accountUI{ui}
	keys := keyUI{ui}
	mails := mailUI{ui}

	return []httpapi.Route{
		frame.Page("GET", "/settings", access.StoreRead, ui.storePage),
		frame.Page("POST", "/settings", access.StoreWrite, ui.saveStore),
		frame.Page("GET", "/settings/sites", access.StoreWrite, ui.sitesPage),
		frame.Page("POST", "/settings/sites", access.StoreWrite, ui.saveSites),
		frame.Page("GET", "/settings/captcha", access.StoreWrite, ui.captchaPage),
		frame.Page("POST", "/settings/captcha", access.StoreWrite, ui.saveCaptcha),
		frame.Page("GET", redirectsPath, access.CatalogRead, ui.pages.Show("redirects", ui.redirectsView)),
		frame.Page("POST", redirectsPath, access.CatalogWrite, ui.createRedirect),
		frame.Page("POST", redirectsPath+"/{id}/delete", access.CatalogWrite, ui.deleteRedirect),
		frame.Page("GET", feedsPath, access.CatalogRead, ui.pages.Show("feeds", ui.feedsView)),
		frame.Page("POST", feedsPath, access.CatalogWrite, ui.createFeed),
		frame.Page("GET", newFeedPath, access.CatalogWrite, ui.pages.Show("feed", ui.newFeedView)),
		frame.Page("GET", feedsPath+"/{name}", access.CatalogRead, ui.pages.Show("feed", ui.feedView)),
		frame.Page("POST", feedsPath+"/{name}", access.CatalogWrite, ui.saveFeed),
		frame.Page("POST", feedsPath+"/{name}/key", access.CatalogWrite, ui.renewFeedKey),
		frame.Page("POST", feedsPath+"/{name}/delete", access.CatalogWrite, ui.deleteFeed),
		frame.Page("GET", feedsPath+"/{name}/report", access.CatalogRead,
			ui.pages.Show("feed_report", ui.feedReportView)),
		{Method: "GET", Path: "/unsubscribe/{token}", Class: httpapi.ClassList, Handler: unsubscribing{ui}.page},
		{Method: "POST", Path: "/unsubscribe/{token}", Handler: unsubscribing{ui}.end},
		frame.Page("GET", "/settings/messages", access.StoreWrite, ui.messagesPage),
		frame.LongAction("/settings/messages", access.StoreWrite, ui.sendTestMessage),
		frame.Page("POST", messagesPath+"/mails", access.StoreWrite, ui.saveMails),
		frame.Page("GET", messagesPath+"/{kind}", access.StoreWrite, ui.pages.Show("mail_text", mails.mailTextView)),
		frame.Page("POST", messagesPath+"/{kind}", access.StoreWrite, mails.saveMailText),
		frame.LongAction(messagesPath+"/{kind}/test", access.StoreWrite, mails.testMailText),
		frame.Page("GET", mailServerPath, access.StoreWrite, ui.pages.Show("mail_server", mails.mailServerView)),
		frame.LongAction(mailServerPath, access.StoreWrite, mails.saveMailServer),
		frame.Page("GET", "/settings/jobs", access.StoreRead, ui.parkedPage),
		frame.Page("POST", "/settings/jobs/{key}/retry", access.CatalogWrite, ui.retryParked),
		frame.Page("POST", "/settings/jobs/{key}/discard", access.CatalogWrite, ui.discardParked),
		frame.Page("GET", "/mailbox", access.KeysManage, ui.mailboxPage),

		frame.Page("GET", "/settings/team", access.OperatorsManage, team.teamPage),
		frame.Page("GET", "/settings/team/invite", access.OperatorsManage, team.invitePage),
		frame.Page("POST", "/settings/team/invite", access.OperatorsManage, team.invite),
		frame.Page("GET", "/settings/team/{id}", access.OperatorsManage, ui.pages.Show("team_member", team.memberPage)),
		frame.Page("POST", "/settings/team/{id}", access.OperatorsManage, team.editMember),
		frame.Page("POST", "/settings/team/{id}/sessions", access.OperatorsManage, team.endMemberSessions),
		frame.Page("GET", "/settings/team/{id}/remove", access.OperatorsManage,
			ui.pages.Show("team_remove", team.removeMemberPage)),
		frame.Page("POST", "/settings/team/{id}/remove", access.OperatorsManage, team.removeMember),
		frame.Page("GET", "/settings/log", access.OperatorsManage, ui.logPage),

		frame.Page("GET", "/account", httpapi.AnyScope, ui.pages.Show("account", account.accountPage)),
		frame.Page("POST", "/account/email", httpapi.AnyScope, account.changeEmail),
		frame.Page("POST", "/account/email/cancel", httpapi.AnyScope, account.cancelEmail),
		frame.Page("POST", "/account/password", httpapi.AnyScope, account.changePassword),
		frame.Page("POST", "/account/language", httpapi.AnyScope, account.changeLanguage),
		frame.Page("POST", "/account/codes", httpapi.AnyScope, account.setUpCodes),
		frame.Page("POST", "/account/codes/enable", httpapi.AnyScope, account.enableCodes),
		frame.Page("POST", "/account/codes/disable", httpapi.AnyScope, account.disableCodes),
		frame.Page("POST", "/account/codes/recovery", httpapi.AnyScope, account.renewRecoveryCodes),
		frame.Page("POST", "/account/sessions/{session}/end", httpapi.AnyScope, account.endOwnSession),
		frame.Page("POST", "/account/sessions/end", httpapi.AnyScope, account.endOtherSessions),

		frame.Page("GET", "/keys", access.KeysManage, keys.keysPage),
		frame.Page("GET", "/keys/new", access.KeysManage, keys.newKeyPage),
		frame.Page("POST", "/keys", access.KeysManage, keys.createKey),
		frame.Page("GET", "/keys/{id}/rotate", access.KeysManage, keys.rotateKeyPage),
		frame.Page("POST", "/keys/{id}/rotate", access.KeysManage, keys.rotateKey),
		frame.Page("GET", "/keys/{id}/revoke", access.KeysManage, ui.pages.Show("key_revoke", keys.revokeKeyPage)),
		frame.Page("POST", "/keys/{id}/revoke", access.KeysManage, keys.revokeKey),
	}
}
