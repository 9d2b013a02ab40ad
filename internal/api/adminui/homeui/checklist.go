package homeui

import (
	"context"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/store"
)

// step is something to be done before a shop sells. Done is whether it is.
type step struct {
	Done               bool
	Title, Text        string
	URL, Action, Needs string
}

// readSteps returns what is to be done in a new shop, and what of it is done already.
func (ui *UI) readSteps(ctx context.Context, tx store.Tx, r *httpapi.Request) ([]step, error) {
	pushed, err := ui.Exchange.Runs.HasAny(ctx, tx)
	if err != nil {
		return nil, err
	}
	captcha, err := ui.Protection.Settings(ctx, tx)
	if err != nil {
		return nil, err
	}

	sendsMail, err := ui.Notify.SendsMail(ctx, tx)
	if err != nil {
		return nil, err
	}

	_, receivers, err := ui.Webhooks.Receivers(ctx, tx, 1, 0)
	if err != nil {
		return nil, err
	}

	l := ui.pages.Language(r)
	shop := r.Principal.Store
	return []step{
		firstStep(l, r),
		{Done: pushed, Title: l.T("Connect accounting"), URL: "/exchange/connect", Action: l.T("Connect"),
			Needs: "keys:manage",
			Text:  l.T("Products, prices and quantities come from your accounting system, or from a file.")},
		{Done: len(shop.CORSOrigins) > 0, Title: l.T("Let your site use the shop"), URL: "/settings/sites",
			Action: l.T("Allow the site"), Needs: "store:write",
			Text: l.T("Name the address of your site. Browsers let only such sites show products and place orders.")},
		{Done: sendsMail, Title: l.T("Set up mail"), URL: "/settings/messages",
			Action: l.T("Name the mail server"), Needs: "store:write",
			Text: l.T("Customers sign in with a code by mail, and hear by mail what becomes of their orders. Use the " +
				"mailbox that your shop has at Yandex, Gmail or elsewhere. Until then messages stay here.")},
		{Done: captcha.Active, Title: l.T("Keep bots away"), URL: "/settings/captcha",
			Action: l.T("Set up the captcha"), Needs: "store:write",
			Text: l.T("A captcha protects orders and forms from programs that fill them by the thousand.")},
		{Done: receivers > 0, Title: l.T("Tell your systems"), URL: "/webhooks", Action: l.T("Add a receiver"),
			Needs: "webhooks:read",
			Text:  l.T("Your other systems hear of each order as it comes, through a webhook.")},
		{Title: l.T("Get the first order"), URL: "/orders", Action: l.T("See the orders"), Needs: "orders:read",
			Text: l.T("Place an order on your site as a customer would. Then this page shows the figures of the " +
				"shop.")},
	}, nil
}

// firstStep returns the step in which the owner looks at the settings and gives an e-mail address. It leads to what is
// left of both.
func firstStep(l *frame.Language, r *httpapi.Request) step {
	const untouched = 1 // the version of a store whose settings nobody has saved
	made := account.IsMadeUp(r.Principal.Operator.Email)
	first := step{Title: l.T("Your shop and you"), URL: "/settings", Action: l.T("Look at the settings"),
		Needs: "store:write", Done: !made && r.Principal.Store.Version > untouched,
		Text: l.T("Check the name of the shop, its currency and its time zone, and give your own e-mail address: you " +
			"sign in with it, and a forgotten password is replaced through it.")}

	if made && r.Principal.Store.Version > untouched {
		first.URL = "/account#email"
		first.Action = l.T("Give your address")
	}

	return first
}
