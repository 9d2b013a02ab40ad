package account

import (
	"context"
	"log/slog"
	"strings"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

// ProvisionedStore holds the credentials of a new store for its owner. They are not stored and can be shown only once.
type ProvisionedStore struct {
	StoreID        store.ID `json:"store_id"`
	SecretKey      string   `json:"secret_key"`
	PublishableKey string   `json:"publishable_key"`
	ExchangeToken  string   `json:"exchange_token"`
	AdminEmail     string   `json:"admin_email"`
	// AdminPassword is empty if the owner administers another store and has a password already.
	AdminPassword string `json:"admin_password"`
	// AdminInvitation is the token of the invitation of an owner who has an account already, or a link with it; empty
	// for a new account.
	AdminInvitation string `json:"admin_invitation,omitempty"`
}

// String returns a text without the secrets, so that messages do not contain them.
func (p ProvisionedStore) String() string { return "provisioned store " + p.StoreID.String() }

// LogValue returns the text of String, so that logs do not contain the secrets.
func (p ProvisionedStore) LogValue() slog.Value { return slog.StringValue(p.String()) }

// NewOwner is the owner of a new store. The fields have the same meaning as in NewOperator.
type NewOwner struct {
	Email        string
	JoinExisting bool
}

// PreparedProvision is the prepared owner of a new store with the generated password.
type PreparedProvision struct {
	owner    PreparedOperator
	password string
}

// String returns a text without the password, so that messages do not contain it.
func (p PreparedProvision) String() string { return "prepared provision" }

// LogValue returns the text of String, so that logs do not contain the password.
func (p PreparedProvision) LogValue() slog.Value { return slog.StringValue(p.String()) }

// madeUpDomain ends the addresses of owners for whom none was given. No mail reaches it.
const madeUpDomain = "@vitrine.localhost"

// IsMadeUp reports whether an operator's e-mail address was made up, because none was given.
func IsMadeUp(email string) bool { return strings.HasSuffix(email, madeUpDomain) }

// PrepareProvision generates the password of a new store's owner and hashes it, because hashing is too slow for a
// transaction. An empty e-mail address is replaced by a random one: owner-<6 characters>@vitrine.localhost.
func (s *Operators) PrepareProvision(ctx context.Context, o NewOwner) (_ PreparedProvision, err error) {
	defer fault.AddContext(&err, "prepare the owner of a store")
	if o.Email == "" {
		o.Email = "owner-" + readableText(randomBits(), 6) + madeUpDomain
	}
	password := GeneratePassword()
	owner, err := s.Prepare(ctx,
		NewOperator{Email: o.Email, Role: access.Owner, Password: password, JoinExisting: o.JoinExisting})
	return PreparedProvision{owner: owner, password: password}, err
}

// Provision creates the owner of a store and one key of each kind, in the caller's transaction.
func (s *Operators) Provision(ctx context.Context, tx store.Tx, p PreparedProvision) (ProvisionedStore, error) {
	owner, err := s.Create(ctx, tx, p.owner)
	if err != nil {
		return ProvisionedStore{}, err
	}

	provisioned := ProvisionedStore{StoreID: tx.StoreID(), AdminEmail: owner.Email, AdminPassword: p.password,
		AdminInvitation: owner.Invitation}
	if owner.Existed {
		provisioned.AdminPassword = ""
	}

	for _, key := range []struct {
		kind   access.Kind
		scopes access.Scopes // nil selects the default of the kind
		to     *string
	}{{access.SecretKey, nil, &provisioned.SecretKey}, {access.PublishableKey, nil, &provisioned.PublishableKey},
		{access.ExchangeToken, access.FullExchange(), &provisioned.ExchangeToken}} {
		n := access.NewKey{Kind: key.kind, Name: "Default"}
		if key.scopes != nil {
			n.Scopes = key.scopes.Words()
		}
		if _, *key.to, err = s.Keys.CreateKey(ctx, tx, n); err != nil {
			return ProvisionedStore{}, err
		}
	}

	return provisioned, nil
}
