package app

import (
	"errors"
	"fmt"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/mail"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/notify"
)

// newNotify creates the service that sends mail and SMS. It checks the settings, not whether a server is reachable.
func (a *App) newNotify() (*notify.Service, error) {
	deps := notify.Deps{DB: a.DB, Queue: a.Queue, Vault: a.Vault, Now: a.Now, Log: a.log,
		Development: a.cfg.Dev}
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
