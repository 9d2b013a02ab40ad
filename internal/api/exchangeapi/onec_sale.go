package exchangeapi

import (
	"io"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/wording"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/exchange/onec"
)

// answerSale answers a request of the exchange of orders.
func (api *API) answerSale(r *httpapi.Request, login onec.Login, mode string) (oneCAnswer, error) {
	if !r.Principal.MayExchange(access.ExchangeOrders) {
		return oneCAnswer{}, fault.New(fault.Denied, "forbidden",
			"This password may not exchange orders: its exchange token lacks the scope %s. Make a new one on the page "+
				"Connect 1C of the administration, where you allow the exchange of orders, and enter it in 1C.",
			access.ExchangeOrders)
	}

	ctx := r.Context()
	switch mode {
	case "init":
		return api.initOneC(ctx, login, r.URL.Query().Get("version"))
	case "query":
		err := r.RecordDownload(audit.Entry{Action: audit.OrdersDownloaded, Object: audit.Object{Kind: "orders"}}, true)
		if err != nil {
			return oneCAnswer{}, err
		}
		return oneCAnswer{xml: func(w io.Writer) error {
			return api.onec.WriteOrders(ctx, login, r.Principal.Store, w)
		}}, nil
	case "info":
		return oneCAnswer{xml: func(w io.Writer) error {
			return onec.WriteStates(r.Principal.Store, w)
		}}, nil
	case "success":
		return succeeded(), api.onec.OrdersTaken(ctx, login)

	case "file":
		body, release, err := openOneCBody(r)
		if err != nil {
			return oneCAnswer{}, err
		}
		defer release()
		problems, err := api.onec.ReceiveOrders(ctx, login, r.Principal.Store,
			onec.OrdersFile{Name: oneCFileName(r.URL.Query()), Content: body, Memory: body.Memory}, r.Actor())
		var lines []string
		for _, p := range problems {
			lines = append(lines, p.Order+": "+wording.Answer(r.Principal.Store.Locale, p.Message))
		}
		return succeeded(lines...), err

	case "import", "complete", "deactivate":
		return succeeded(), nil // files with orders are applied when they come
	}

	return oneCAnswer{}, errUnknownMode(mode, "checkauth, init, info, query, success or file")
}
