package adminui_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/pquerna/otp/totp"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
)

// An owner invites a colleague with a link; the colleague chooses a password, turns the second step on and signs in
// with it, all in a browser.
func TestBrowser_inviteColleagueWithSecondStep(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	base := strings.Replace(s.AdminURL, "127.0.0.1", "localhost", 1)
	b := newTab(t, true)
	b.do(chromedp.Navigate(base+"/settings/team"), chromedp.WaitVisible(chromedp.ID("email")))
	b.signIn(s.store.AdminEmail, s.store.AdminPassword)
	b.do(b.follow("Invite somebody"), chromedp.WaitVisible(chromedp.ID("email")))
	b.wantFitsPhone("the invitation form")
	b.do(chromedp.SendKeys(chromedp.ID("email"), "clara@north.example"),
		chromedp.Click(chromedp.CSS(`input[name=how][value=link]`)),
		chromedp.SendKeys(chromedp.ID("password"), s.store.AdminPassword), b.press("Invite"),
		chromedp.WaitVisible(chromedp.ID("link")))
	b.wantFitsPhone("the link of the invitation")
	link := evaluate(b, chromedp.Value(chromedp.ID("link")))
	link = base + link[strings.Index(link, "/invitation/"):]
	b.do(b.press("Sign out"), chromedp.WaitVisible(chromedp.ID("email")))

	b.do(chromedp.Navigate(link), chromedp.WaitVisible(chromedp.ID("password")),
		chromedp.SendKeys(chromedp.ID("password"), "clara's battery"), b.press("Set the password"),
		chromedp.WaitVisible(chromedp.CSS("#top"))) // one is signed in
	b.do(chromedp.Navigate(base+"/account"), chromedp.WaitVisible(chromedp.ID("codes-confirm")))
	b.wantFitsPhone("the account")
	b.do(chromedp.SendKeys(chromedp.ID("codes-confirm"), "clara's battery"), b.press("Set up"),
		chromedp.WaitVisible(chromedp.ID("secret")))
	b.wantFitsPhone("the secret of the codes")
	secret := strings.ReplaceAll(evaluate(b, chromedp.Text(chromedp.ID("secret"))), " ", "")
	code, err := totp.GenerateCode(secret, s.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}

	b.do(chromedp.SendKeys(chromedp.ID("code"), code), b.press("Turn on"), chromedp.WaitVisible(chromedp.ID("codes")))
	b.wantFitsPhone("the recovery codes")
	recovery, _, _ := strings.Cut(evaluate(b, chromedp.Value(chromedp.ID("codes"))), "\n")
	b.do(b.press("Sign out"), chromedp.WaitVisible(chromedp.ID("email")))
	b.signIn("clara@north.example", "clara's battery")
	b.do(chromedp.WaitVisible(chromedp.ID("code")), chromedp.SendKeys(chromedp.ID("code"), recovery),
		b.press("Sign in"),
		chromedp.WaitVisible(chromedp.CSS("#top")))

	if m := s.member("clara@north.example"); !m.CodesEnabled || m.Invited || m.Role != access.Manager {
		t.Errorf("the colleague is %+v", m)
	}
	if messages := b.consoleMessages(); len(messages) > 0 {
		t.Errorf("the console shows %q", messages)
	}
}
