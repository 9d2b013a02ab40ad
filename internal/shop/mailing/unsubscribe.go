package mailing

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

const (
	// unsubscribePurpose is the vault's purpose for the links by which those who work in the shop end mails.
	unsubscribePurpose = "unsubscribe link"
	// UnsubscribePath is what stands before the token in the address of the page of such a link.
	UnsubscribePath = "/unsubscribe/"
	// maxUnsubscribed is how many addresses that get no mails are kept. The oldest ones are forgotten.
	maxUnsubscribed = 100
)

// Unsubscribed is an address of the shop that gets no mails of some kinds.
type Unsubscribed struct {
	// Address is in lower case.
	Address string `json:"address"`
	Kinds   []Kind `json:"kinds"`
}

// Link is what a link for unsubscribing is about: mails of a kind of a store to an address.
type Link struct {
	StoreID store.ID
	Kind    Kind
	To      string
}

// wants reports whether mails of a kind go to an address of the shop.
func (s Switches) wants(kind Kind, address string) bool {
	return !slices.ContainsFunc(s.Unsubscribed, func(u Unsubscribed) bool {
		return strings.EqualFold(u.Address, address) && slices.Contains(u.Kinds, kind)
	})
}

// without returns the switches after an address has ended mails of a kind.
func (s Switches) without(kind Kind, address string) Switches {
	list := slices.Clone(s.Unsubscribed)
	at := slices.IndexFunc(list, func(u Unsubscribed) bool { return strings.EqualFold(u.Address, address) })
	if at < 0 {
		list = append(list, Unsubscribed{Address: strings.ToLower(address)})
		at = len(list) - 1
	}
	list[at].Kinds = append(slices.Clone(list[at].Kinds), kind)
	s.Unsubscribed = list[max(0, len(list)-maxUnsubscribed):]
	return s
}

// keeping returns those of the unsubscribed addresses that are among the given ones.
func (s Switches) keeping(addresses []Unsubscribed) (list []Unsubscribed) {
	for _, u := range s.Unsubscribed {
		if slices.ContainsFunc(addresses, func(kept Unsubscribed) bool { return kept.Address == u.Address }) {
			list = append(list, u)
		}
	}
	return list
}

// unsubscribedText returns the addresses and kinds for the log.
func (s Switches) unsubscribedText() string {
	var list []string
	for _, u := range s.Unsubscribed {
		for _, kind := range u.Kinds {
			list = append(list, u.Address+" "+string(kind))
		}
	}
	return strings.Join(list, ", ")
}

// Token returns the token of a link. It is sealed, so that only the recipient of the mail can have it.
func (s *Service) Token(l Link) (string, error) {
	text, err := json.Marshal(l)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(s.Vault.Seal(unsubscribePurpose, text)), nil
}

// unsubscribeURL returns the address of the page, or "" if mails of the kind cannot be ended, or if the address of the
// administration is not known.
func (s *Service) unsubscribeURL(l Link) (string, error) {
	if l.Kind.ToCustomer() || s.AdminURL == "" {
		return "", nil
	}
	token, err := s.Token(l)
	return s.AdminURL + UnsubscribePath + token, err
}

// OpenLink returns what the link of a token is about, or fault.NotFound.
func (s *Service) OpenLink(token string) (l Link, err error) {
	sealed, err := base64.RawURLEncoding.DecodeString(token)
	var text []byte
	if err == nil {
		text, err = s.Vault.Open(unsubscribePurpose, sealed)
	}
	if err == nil {
		err = json.Unmarshal(text, &l)
	}
	if err != nil || l.Kind.ToCustomer() {
		return Link{}, fault.Missing("page")
	}
	return l, nil
}

// Wants reports whether the mails of a link are still sent to its address.
func (s *Service) Wants(ctx context.Context, tx store.Tx, l Link) (bool, error) {
	settings, err := s.switches(ctx, tx)
	return settings.On(l.Kind) && settings.wants(l.Kind, l.To), err
}

// Unsubscribe ends the mails of a link. It does nothing if they have ended.
func (s *Service) Unsubscribe(ctx context.Context, q database.Querier, l Link) (err error) {
	defer fault.AddContext(&err, "end mails of store %s", l.StoreID)

	tx := store.In(q, l.StoreID).By(store.Actor{Kind: store.ByStranger, Name: l.To}, s.Now())
	if err := lockSettings(ctx, tx); err != nil {
		return err
	}
	before, err := s.switches(ctx, tx)
	if err != nil || !before.wants(l.Kind, l.To) {
		return err
	}
	_, err = s.update(ctx, tx, nil, func(settings *Settings) []audit.Change {
		from := settings.unsubscribedText()
		settings.Switches = settings.without(l.Kind, l.To)
		return audit.AppendChange(nil, "mail.unsubscribed", from, settings.unsubscribedText())
	})
	return err
}
