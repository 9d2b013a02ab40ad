package adminui_test

import (
	"context"
	"net/url"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
)

// Logins, invitations and confirmed passwords are written in the class of writes. In an overload they are refused like
// other writes, and an account that exists gets the same answer as one that does not.
func TestOverload_refusesWritesOfCredentials(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite, apitest.ShortAdmissionWait())
	v := s.owner()
	session := v.session
	var path string
	s.Write(func(ctx context.Context, q database.Querier) error {
		_, token, err := s.App.Accounts.Operators.Invite(ctx, store.In(q, s.store.StoreID), "boris@north.example",
			access.Manager)
		path = "/invitation/" + token
		return err
	})
	release := s.FillWriteSlots()
	const overloaded = "The server has more requests of this kind than it can answer"

	for _, email := range []string{s.store.AdminEmail, "nobody@north.example"} {
		(&client{fixture: s}).post("/login", url.Values{"email": {email}, "password": {s.store.AdminPassword}}).
			wantStatus(503).contains(overloaded)
	}

	v.post("/keys", url.Values{"kind": {"secret"}, "password": {s.store.AdminPassword}}).
		wantStatus(422).contains(overloaded) // the message is at the field of the password
	v.post(path, url.Values{"password": {"correct horse"}}).wantStatus(503)
	v.post("/logout", nil).wantStatus(503)
	v.session = session
	release()
	v.get("/").wantStatus(200)
	v.post(path, url.Values{"password": {"correct horse"}}).wantStatus(303)
	v.post("/logout", nil).wantStatus(303)
}
