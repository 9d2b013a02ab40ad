package app

import (
	"log/slog"

	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/bulk"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/exchange/onec"
	"vitrine/internal/shop/mailing"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/webhook"
)

// NewJobs returns a queue that knows all kinds of jobs, for commands that list, retry and discard parked jobs. It must
// not be run: its services cannot do the work of the jobs.
func (c *Core) NewJobs() *queue.Queue {
	log := slog.New(slog.DiscardHandler)
	q := queue.New(queue.Deps{DB: c.DB, Now: c.Now})

	products := catalog.New(catalog.Deps{Now: c.Now})
	pushes := exchange.New(exchange.Deps{DB: c.DB, Catalog: products, Stores: c.Stores, Importer: onec.Importer(),
		Queue: q, Now: c.Now, Log: log})
	files := onec.New(onec.Deps{DB: c.DB, Stores: c.Stores, Exchange: pushes, Queue: q, Now: c.Now, Log: log})
	images := catalog.NewDownloader(catalog.DownloaderDeps{DB: c.DB, Catalog: products})
	messages := notify.New(notify.Deps{DB: c.DB, Vault: c.Vault, Queue: q, Now: c.Now})
	webhooks := webhook.New(webhook.Deps{DB: c.DB, Vault: c.Vault, Queue: q, Now: c.Now, Log: log})
	changes := bulk.New(bulk.Deps{DB: c.DB, Queue: q, Now: c.Now})
	adoptions := order.NewAdoptions(order.AdoptionDeps{DB: c.DB, Queue: q, Now: c.Now})
	mails := mailing.New(mailing.Deps{DB: c.DB, Queue: q, Vault: c.Vault, Stores: c.Stores, Notify: messages,
		Now: c.Now})

	q.Register(pushes.Pushes.Kind(), files.Kind(), images.Kind(), messages.Kind(), mails.Kind(), webhooks.Kind(),
		changes.Kind(), adoptions.Kind())
	return q
}
