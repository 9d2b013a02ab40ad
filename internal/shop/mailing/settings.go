package mailing

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

const (
	// MaxRecipients is how many addresses of the shop get mails.
	MaxRecipients = 10
	maxOrderPage  = 1000 // bytes
)

// The placeholders of the address of an order's page.
const (
	numberPlaceholder = "{number}"
	idPlaceholder     = "{id}"
)

// Settings are what a store has set about its mails. A store that has set nothing sends all kinds once the server sends
// mail.
type Settings struct {
	Switches
	// Templates are the store's own subjects and texts. Kinds without one have those of the program.
	Templates map[Kind]Template
	// Version grows by one with every change; 0 if the store has set nothing.
	Version int64
}

// Switches are the settings without the texts.
type Switches struct {
	// Kinds are the kinds that are sent.
	Kinds []Kind `json:"kinds,omitempty"`
	// Recipients are those who work in the shop; empty for the owners.
	Recipients []string `json:"recipients,omitempty"`
	// OrderPage is the address of an order's page, with {number} or {id}; "" if the site has none.
	OrderPage string `json:"order_page,omitempty"`
	// Unsubscribed are addresses of the shop that get no mails of some kinds.
	Unsubscribed []Unsubscribed `json:"unsubscribed,omitempty"`
}

// On reports whether a kind is sent.
func (s Switches) On(kind Kind) bool { return slices.Contains(s.Kinds, kind) }

// Template returns the subject and the text of a kind in the language of the store.
func (s Settings) Template(kind Kind, l locale.Locale) Template {
	if own, ok := s.Templates[kind]; ok {
		return own
	}
	return DefaultTemplate(kind, l)
}

// Settings returns the settings of a store.
func (s *Service) Settings(ctx context.Context, tx store.Tx) (_ Settings, err error) {
	defer fault.AddContext(&err, "read the mail settings of store %s", tx.StoreID())
	return s.selectSettings(ctx, tx, "")
}

// switches returns the settings without the texts.
func (s *Service) switches(ctx context.Context, tx store.Tx) (Settings, error) {
	return s.selectSwitches(ctx, tx)
}

// newStoreSwitches are the switches of a store that has set nothing.
func (s *Service) newStoreSwitches(ctx context.Context, tx store.Tx) (Switches, error) {
	if sends, err := s.Notify.SendsMail(ctx, tx); err != nil || !sends {
		return Switches{}, err
	}
	return Switches{Kinds: Kinds()}, nil
}

// UpdateSwitches sets what is sent and to whom. An address that is not among the unsubscribed ones any more gets the
// mails again; none can be added. It returns fault.Stale if pre does not accept the version, or
// fault.Invalid for the fields kinds, recipients and order_page.
func (s *Service) UpdateSwitches(
	ctx context.Context, tx store.Tx, change Switches, pre fault.Precondition,
) (_ Settings, err error) {
	defer fault.AddContext(&err, "set the mails of store %s", tx.StoreID())
	change, err = change.check()
	if err != nil {
		return Settings{}, err
	}

	return s.update(ctx, tx, pre, func(settings *Settings) []audit.Change {
		before := settings.Switches
		settings.Switches = change
		settings.Unsubscribed = before.keeping(change.Unsubscribed)
		changes := audit.AppendChange(nil, "mail.unsubscribed", before.unsubscribedText(),
			settings.unsubscribedText())
		for _, kind := range Kinds() {
			changes = audit.AppendChange(changes, "mail."+string(kind), strconv.FormatBool(before.On(kind)),
				strconv.FormatBool(change.On(kind)))
		}
		changes = audit.AppendChange(changes, "mail.recipients", strings.Join(before.Recipients, ", "),
			strings.Join(change.Recipients, ", "))
		return audit.AppendChange(changes, "mail.order_page", before.OrderPage, change.OrderPage)
	})
}

// update changes the settings of a store, which no other transaction changes meanwhile.
func (s *Service) update(
	ctx context.Context, tx store.Tx, pre fault.Precondition, change func(*Settings) []audit.Change,
) (Settings, error) {
	if err := lockSettings(ctx, tx); err != nil {
		return Settings{}, err
	}
	settings, err := s.selectSettings(ctx, tx, tx.Dialect().ForUpdate)
	if err != nil {
		return Settings{}, err
	}
	if err := pre.Check(settings.Version); err != nil {
		return Settings{}, err
	}

	changes := change(&settings)
	settings.Version++
	if err := saveSettings(ctx, tx, settings, database.Moment(s.Now())); err != nil || changes == nil {
		return settings, err
	}

	return settings, audit.Record(ctx, tx, audit.Entry{Action: audit.SettingsChanged,
		Object: audit.Object{Kind: "settings"}, Changes: changes})
}

// check returns the switches with normalized addresses, or fault.Invalid.
func (s Switches) check() (Switches, error) {
	var problems []fault.Field
	kinds := []Kind{}
	for _, kind := range Kinds() {
		if s.On(kind) {
			kinds = append(kinds, kind)
		}
	}
	s.Kinds = kinds

	recipients := []string{}
	for _, given := range s.Recipients {
		address, err := contact.CheckEmail(given)
		if err != nil {
			problems = append(problems, fault.NewField("recipients", "invalid_email",
				"“%s” is no e-mail address; write one address a line.", given))
			continue
		}
		same := func(other string) bool { return strings.EqualFold(other, address) }
		if !slices.ContainsFunc(recipients, same) {
			recipients = append(recipients, address)
		}
	}
	if len(recipients) > MaxRecipients {
		problems = append(problems, fault.NewField("recipients", "too_many", "At most %d addresses are allowed.",
			MaxRecipients))
	}
	s.Recipients = recipients

	if broken := checkOrderPage(s.OrderPage); broken != nil {
		problems = append(problems, broken.At("order_page"))
	}

	return s, fault.Fields(problems)
}

// checkOrderPage is the rule of the address of an order's page. The empty one is valid.
func checkOrderPage(text string) *fault.Field {
	if text == "" {
		return nil
	}
	filled := strings.NewReplacer(numberPlaceholder, "1", idPlaceholder, "1").Replace(text)
	u, err := url.Parse(filled)
	if err != nil || filled == text || len(text) > maxOrderPage || rule.OneLine(text) != nil ||
		strings.ContainsAny(filled, "{} ") || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" ||
		u.User != nil {
		return fault.Broken("invalid_url", "Write the address of an order's page with {number} or {id} in it, such as "+
			"https://shop.example/orders/{number}, or leave it empty.")
	}
	return nil
}
