package app

import (
	"context"
	"errors"
	"fmt"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/mail"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/inquiry"
	"vitrine/internal/shop/mailing"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

// newNotify creates the service that sends mail and SMS. It checks the settings, not whether a server is reachable.
func (a *App) newNotify() (*notify.Service, error) {
	deps := notify.Deps{DB: a.DB, Queue: a.Queue, Vault: a.Vault, Now: a.Now, Log: a.log,
		Outbound: a.Outbound, Development: a.cfg.Dev}
	if a.cfg.SMTP != "" {
		server, err := mail.NewSMTP(a.cfg.SMTP, mail.SMTPConfig{Now: a.Now})
		if err != nil {
			return nil, fmt.Errorf("--smtp: %w", err)
		}
		deps.Mail = server
	}

	if a.cfg.SMSURL != "" {
		gateway, err := notify.NewGateway(a.Outbound, a.cfg.SMSURL)
		var refused *fault.Error
		if errors.As(err, &refused) {
			return nil, errors.New("--sms-url: " + refused.Message)
		}
		if err != nil {
			return nil, err
		}

		deps.TextSender = gateway
	}

	return notify.New(deps), nil
}

// newCustomers creates the service that signs customers in by codes, which it sends through Notify.
func (a *App) newCustomers() *customer.Service {
	return customer.New(customer.Deps{
		DB: a.DB, Stores: a.Stores, Notify: a.Notify, Vault: a.Vault, Now: a.Now, Log: a.log,
		CodesPerHour: a.cfg.CodesPerPerson, CodesPerStore: a.cfg.CodesPerStore, CodesPerCountry: a.cfg.CodesPerCountry,
	})
}

// newMailing creates the service that writes mails about orders, inquiries and the exchange. The services that it
// reads were created before; they call it through the functions below.
func (a *App) newMailing(imagesURL string) error {
	adminURL, err := configuredURL("--admin-url", a.cfg.AdminURL)
	if err != nil {
		return err
	}
	a.mailing = mailing.New(mailing.Deps{DB: a.DB, Queue: a.Queue, Vault: a.Vault, Stores: a.Stores, Notify: a.Notify,
		Orders: a.orders, Inquiries: a.inquiries, Operators: a.Accounts.Operators, Now: a.Now, AdminURL: adminURL,
		ImagesURL: imagesURL})
	a.Queue.Register(a.mailing.Kind())
	return nil
}

func (a *App) announceOrder(ctx context.Context, tx store.Tx, t order.Transition) error {
	return a.mailing.OrderChanged(ctx, tx, t)
}

func (a *App) announceInquiry(ctx context.Context, tx store.Tx, kind inquiry.Kind, inquiryID inquiry.ID) error {
	return a.mailing.InquirySubmitted(ctx, tx, kind, inquiryID)
}

func (a *App) announceFailure(ctx context.Context, tx store.Tx, run *exchange.Run) error {
	f := mailing.Failure{RunID: run.ID, Entity: run.Entity}
	if run.Problem != nil {
		f.Problem = run.Problem.Message
	}
	return a.mailing.RunFailed(ctx, tx, f)
}
