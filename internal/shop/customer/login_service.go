package customer

import (
	"context"
	"crypto/hmac"
	"errors"
	"time"

	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/store"
)

// RequestLogin sends a code to an e-mail address or phone number in the caller's transaction, and ends the previous
// code of that address. It does not look up the customer, so the response cannot reveal whether one exists. It returns
// fault.TooMany after too many codes in an hour: of the person, of the country of a phone number, or of the store.
func (s *Service) RequestLogin(
	ctx context.Context, tx store.Tx, shop store.Store, address string,
) (_ Login, err error) {
	defer fault.AddContext(&err, "request a login")

	now := s.moment()
	code := newLoginCode()
	login := Login{ID: id.New[Login](), ExpiresAt: now.Add(codeLifetime)}
	row := loginRow{id: login.ID, person: foldCase(address), address: address,
		codeMAC: s.codeMAC(shop.ID, login.ID, code), createdAt: now, expiresAt: login.ExpiresAt}

	if isPhone(address) {
		row.prefix = contact.CountryPrefix(address)
	}

	if err := s.checkStoreRate(ctx, tx, row); err != nil {
		return Login{}, err
	}
	if err := s.replaceLogin(ctx, tx, row); err != nil {
		return Login{}, err
	}

	return login, s.Notify.Send(ctx, tx, codeMessage(shop, address, code, login.ExpiresAt))
}

// replaceLogin ends the live login of a person and inserts a new one. The unique index on live logins serializes
// concurrent requests: the second inserts nothing, ends the login of the first and retries.
func (s *Service) replaceLogin(ctx context.Context, tx store.Tx, row loginRow) error {
	const attempts = 3
	for range attempts {
		if err := endLoginOfPerson(ctx, tx, row.person, row.createdAt); err != nil {
			return err
		}
		if err := s.checkCodeRate(ctx, tx, row); err != nil {
			return err
		}
		if inserted, err := insertLogin(ctx, tx, row); err != nil || inserted {
			return err
		}
	}
	return errTooManyCodes(time.Second)
}

// checkCodeRate returns fault.TooMany if the person has requested the maximum number of codes in the last hour.
func (s *Service) checkCodeRate(ctx context.Context, tx store.Tx, row loginRow) error {
	if s.CodesPerHour == 0 {
		return nil
	}
	count, first, err := countLogins(ctx, tx, row.person, row.createdAt.Add(-rateWindow))
	if err == nil && count >= int64(s.CodesPerHour) {
		err = errTooManyCodes(first.Add(rateWindow).Sub(row.createdAt))
	}
	return err
}

// checkStoreRate returns fault.TooMany if the store has sent the maximum number of codes in the last hour, or that to
// phone numbers of the country: somebody who asks from many addresses for codes to many numbers makes the store pay for
// them. Concurrent requests may exceed the limits by their number.
func (s *Service) checkStoreRate(ctx context.Context, tx store.Tx, row loginRow) error {
	since := row.createdAt.Add(-rateWindow)
	if s.CodesPerStore > 0 {
		count, first, err := countStoreLogins(ctx, tx, since, s.CodesPerStore)
		if err != nil {
			return err
		}

		if count >= int64(s.CodesPerStore) {
			s.refusedByStore.Add(1)
			return fault.New(fault.TooMany, "too_many_codes_in_store",
				"This store has sent as many login codes in the last hour as it may. Try again later.").
				After(first.Add(rateWindow).Sub(row.createdAt))
		}
	}

	if s.CodesPerCountry > 0 && row.prefix != "" {
		count, first, err := countPrefixLogins(ctx, tx, row.prefix, since, s.CodesPerCountry)
		if err != nil {
			return err
		}

		if count >= int64(s.CodesPerCountry) {
			s.refusedByCountry.Add(1)
			return fault.New(fault.TooMany, "too_many_codes_in_country",
				"This store has sent as many login codes to phone numbers of this country in the last hour as it may. "+
					"Use an e-mail address, or try again later.").After(first.Add(rateWindow).Sub(row.createdAt))
		}
	}

	return nil
}

// RefusedCodes returns how many codes were refused on this node since the start, because a store had sent too many, in
// all or to one country.
func (s *Service) RefusedCodes() (byStore, byCountry int64) {
	return s.refusedByStore.Load(), s.refusedByCountry.Load()
}

// CheckCode compares a code with the one that was sent. Before it compares, it counts the attempt in a transaction of
// its own, so that at most maxAttempts guesses are compared even if they are concurrent. A code that is wrong, used or
// expired and an unknown login get the same Unauthenticated fault, invalid_code.
func (s *Service) CheckCode(ctx context.Context, storeID store.ID, loginID LoginID, code string) (_ Proof, err error) {
	defer fault.AddContext(&err, "check the code of login %s", loginID)
	proof := Proof{login: loginID}
	var mac []byte
	err = s.DB.Write(ctx, func(q database.Querier) (err error) {
		proof.address, mac, err = countAttempt(ctx, store.In(q, storeID), loginID, s.moment())
		return err
	})
	if errors.Is(err, database.ErrNoRows) || err == nil && !hmac.Equal(mac, s.codeMAC(storeID, loginID, code)) {
		s.wrongCodes.Add(1)
		return Proof{}, errInvalidLoginCode()
	}
	return proof, err
}

// WrongCodes returns how many attempts of customers to sign in failed on this node since the start, because the code
// was wrong, used or expired.
func (s *Service) WrongCodes() int64 { return s.wrongCodes.Load() }

// codeMessage returns the message that carries a code, in the language of the store.
func codeMessage(shop store.Store, address, code string, until time.Time) notify.Message {
	texts := textsFor(shop)
	name := singleLineShopName(shop.Name)
	text := texts.mail
	if isPhone(address) {
		text = texts.phone
	}
	return notify.Message{To: address, From: name, Subject: fillPlaceholders(texts.subject, name, ""),
		Text: fillPlaceholders(text, name, code), UsefulUntil: until}
}
