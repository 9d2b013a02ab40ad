package apitest

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/store"
)

// OperatorPassword is the password of the operators that NewOperator creates.
const OperatorPassword = "correct horse battery"

// DevMode starts the program in development mode. Tests in this mode share a server, too.
func DevMode() Option {
	return Option{apply: func(s *startSettings) { s.Dev = true }, mode: "development"}
}

// Provision creates a store with a credential of each kind and an owner who can sign in. The stores of the server have
// no operators.
func (s *Server) Provision(owner string) account.ProvisionedStore {
	s.tb.Helper()
	provisioned, err := s.App.CreateStore(s.tb.Context(),
		store.Edit{Name: new("North Shop"), Timezone: new("Europe/Moscow")}, account.NewOwner{Email: owner})
	if err != nil {
		s.tb.Fatal(err)
	}
	s.test.addStore(provisioned.StoreID)
	return provisioned
}

// NewOperator creates an operator of a store with OperatorPassword.
func (s *Server) NewOperator(storeID store.ID, email string, role access.Role) {
	s.tb.Helper()
	prepared, err := s.App.Accounts.Operators.Prepare(s.tb.Context(),
		account.NewOperator{Email: email, Role: role, Password: OperatorPassword, JoinExisting: true})
	if err != nil {
		s.tb.Fatal(err)
	}
	s.Write(func(ctx context.Context, q database.Querier) error {
		_, err := s.App.Accounts.Operators.Create(ctx, store.In(q, storeID), prepared)
		return err
	})
}
