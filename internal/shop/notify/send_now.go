package notify

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/mail"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/shop/store"
)

// SendsMail reports whether mail of the store is sent: through the server of the command line or the store's own.
// Otherwise it is stored in the mailbox.
func (s *Service) SendsMail(ctx context.Context, tx store.Tx) (bool, error) {
	if s.Mail != nil {
		return true, nil
	}
	own, err := s.MailServer(ctx, tx)
	return own.IsSet(), err
}

// ServerSendsMail reports whether the command line sets a mail server, which sends the mail of all stores.
func (s *Service) ServerSendsMail() bool { return s.Mail != nil }

// ReachesPeople reports whether a message with ServerOnly reaches the one to whom it is written, so that a link in it
// proves their address: the command line sets a mail server or, in development, the mailbox stands for it. A mailbox in
// production, and the mail server of a store, are read by the owner of the store.
func (s *Service) ReachesPeople() bool { return s.ServerSendsMail() || s.Development }

// SendsText reports whether a gateway for text messages is configured.
func (s *Service) SendsText() bool { return s.TextSender != nil }

// ServerOfCommandLine returns the host and port of the mail server that the command line sets and the address that it
// sends from, or "".
func (s *Service) ServerOfCommandLine() (server, from string) {
	if smtp, ok := s.Mail.(*mail.SMTP); ok {
		return smtp.String(), smtp.From()
	}
	return "", ""
}

// SendNow sends a message at once, without the queue and without retries, for somebody who waits for the result. It
// returns false if no sender is configured: then the message is in the mailbox. It returns fault.Invalid for the field
// to, and fault.Unavailable if the message could not be sent. It must not be called inside a transaction.
func (s *Service) SendNow(ctx context.Context, storeID store.ID, m Message) (sent bool, err error) {
	defer fault.AddContext(&err, "send a message of store %s at once", storeID)

	if m.To, err = normalizeRecipient(m.To); err != nil {
		return false, err
	}

	job := outgoingMessage{ID: id.New[Message](), StoreID: storeID, Message: m}
	sender, err := s.mailSender(ctx, storeID, m)
	if err != nil {
		return false, err
	}
	if m.toPhone() && s.TextSender == nil || !m.toPhone() && sender == nil {
		return false, s.DB.Write(ctx, func(q database.Querier) error { return s.storeMessage(ctx, q, job) })
	}

	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()

	if m.toPhone() {
		err = s.TextSender.Send(ctx, TextMessage{ID: job.ID.String(), To: m.To, Text: m.Text})
	} else {
		err = sender.Send(ctx, m.mail(job.ID))
	}

	return err == nil, notSent(err)
}

// notSent returns the fault of a message that could not be sent, with the reply of the server. Nil stays nil.
func notSent(err error) error {
	if err == nil {
		return nil
	}
	return fault.New(fault.Unavailable, "not_sent", "%s", failureMessage(err)).Because(err)
}

// failureMessage returns what went wrong for people, with what the server replied or the technical cause in
// parentheses.
func failureMessage(err error) string {
	if e, ok := errors.AsType[*mail.Error](err); ok {
		if dial, ok := errors.AsType[*outbound.Failure](e.Unwrap()); ok {
			return e.Message + " (" + dial.Message + ")"
		}
		switch cause := errors.Unwrap(e); {
		case e.Code != 0 && e.Reply != "":
			return fmt.Sprintf("%s (%d %s)", e.Message, e.Code, e.Reply)
		case e.Code != 0:
			return fmt.Sprintf("%s (%d)", e.Message, e.Code)
		case cause != nil:
			return e.Message + " (" + cause.Error() + ")"
		}
		return e.Message
	}

	if e, ok := errors.AsType[*outbound.Failure](err); ok {
		return e.Message
	}
	return err.Error()
}

// normalizeRecipient returns an e-mail address or a phone number in the form of Message.To.
func normalizeRecipient(to string) (string, error) {
	check := contact.CheckPhone
	if strings.Contains(to, "@") {
		check = contact.CheckEmail
	}
	if normalized, err := check(to); err == nil {
		return normalized, nil
	}
	return "", fault.OneField("to", "invalid_recipient",
		"This is neither an e-mail address nor a phone number with its country code, such as +49 30 1234567.")
}
