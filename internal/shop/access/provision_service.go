package access

import (
	"context"
	"log/slog"

	"vitrine/internal/shop/store"
)

// Provisioned is what the owner of a new store needs to begin. Its secrets are not stored and can be shown only once.
type Provisioned struct {
	StoreID        store.ID `json:"store_id"`
	SecretKey      string   `json:"secret_key"`
	PublishableKey string   `json:"publishable_key"`
	ExchangeToken  string   `json:"exchange_token"`
	AdminEmail     string   `json:"admin_email"`
	AdminPassword  string   `json:"admin_password"`
}

// String keeps the secrets out of messages.
func (p Provisioned) String() string { return "provisioned store " + p.StoreID.String() }

// LogValue keeps the secrets out of logs.
func (p Provisioned) LogValue() slog.Value { return slog.StringValue(p.String()) }

// PreparedProvision is a future owner with a generated password, which is already hashed.
type PreparedProvision struct {
	owner    PreparedOperator
	password string
}

// String keeps the password out of messages.
func (p PreparedProvision) String() string { return "prepared provision" }

// LogValue keeps the password out of logs.
func (p PreparedProvision) LogValue() slog.Value { return slog.StringValue(p.String()) }

// PrepareProvision generates and hashes a password for the owner of a new store, which is too slow for a transaction.
// An empty e-mail address is replaced by a random one: owner-<6 characters>@vitrine.localhost.
func (s *Service) PrepareProvision(ctx context.Context, email string) (PreparedProvision, error) {
	if email == "" {
		email = "owner-" + readableText(randomBits(), 6) + "@vitrine.localhost"
	}
	password := GeneratePassword()
	owner, err := s.PrepareOperator(ctx, NewOperator{Email: email, Role: Owner, Password: password})
	return PreparedProvision{owner: owner, password: password}, err
}

// Provision gives a store its owner and one key of each kind in the caller's transaction.
func (s *Service) Provision(ctx context.Context, tx store.Tx, p PreparedProvision) (Provisioned, error) {
	owner, err := s.CreateOperator(ctx, tx, p.owner)
	if err != nil {
		return Provisioned{}, err
	}
	provisioned := Provisioned{StoreID: tx.StoreID(), AdminEmail: owner.Email, AdminPassword: p.password}
	for _, key := range []struct {
		kind Kind
		to   *string
	}{{SecretKey, &provisioned.SecretKey}, {PublishableKey, &provisioned.PublishableKey},
		{ExchangeToken, &provisioned.ExchangeToken}} {
		if _, *key.to, err = s.CreateKey(ctx, tx, NewKey{Kind: key.kind, Name: "Default"}); err != nil {
			return Provisioned{}, err
		}
	}
	return provisioned, nil
}
