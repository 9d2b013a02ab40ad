package account

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
)

// Tokens and passwords must not appear in errors, logs or the database, whether they are right or wrong.
func TestSecrets_neverAppearInErrorsLogsOrDatabase(t *testing.T) {
	for _, engine := range databasetest.SampledEngines(t) {
		t.Run(engine, func(t *testing.T) {
			url := databasetest.NewMigratedURL(t, engine)
			db, err := database.Open(t.Context(), database.Config{URL: url})
			if err != nil {
				t.Fatal(err)
			}

			var seen bytes.Buffer
			log := slog.New(slog.NewJSONHandler(&seen, &slog.HandlerOptions{Level: slog.LevelDebug}))
			f := newFixture(storetest.New(t, db), log)
			secrets := f.useSecrets(func(v any) {
				fmt.Fprintf(&seen, "%v %+v\n", v, v)
				log.Info("seen", "value", v)
			})
			dump := seen.String() + f.dump()

			if err := db.Close(); err != nil {
				t.Fatal(err)
			}

			if engine == database.SQLite {
				dump += readFiles(t, filepath.Dir(url))
			}

			if !strings.Contains(dump, f.Store.ID.String()) || !strings.Contains(dump, "invalid_credential") {
				t.Fatal("the dump lacks the store id or the refusals: the search for secrets would prove nothing")
			}

			for _, secret := range secrets {
				// Search for the middle part, since a partial leak counts. A hint legitimately shows the last four
				// characters.
				part := secret[len(secret)/4 : len(secret)*3/4]
				if len(part) < 4 {
					t.Fatalf("%q is too short to search for", secret)
				}
				if at := strings.Index(dump, part); at >= 0 {
					t.Errorf("%s leaked: …%s…", secret, dump[max(0, at-100):min(len(dump), at+100)])
				}
			}
		})
	}
}

// useSecrets calls every function that takes or returns a secret, passes all errors and values that a caller might log
// to record, and returns the secrets.
func (f *fixture) useSecrets(record func(any)) []string {
	t := f.TB
	ctx := f.Context()
	record(f.Store.ID)

	prepared, err := f.Operators.PrepareProvision(ctx, NewOwner{})
	if err != nil {
		t.Fatal(err)
	}

	var provisioned ProvisionedStore
	f.Write(func(tx store.Tx) (err error) {
		provisioned, err = f.Operators.Provision(ctx, tx, prepared)
		return err
	})
	session := f.mustSignIn(provisioned.AdminEmail, provisioned.AdminPassword)
	const mistyped, wrongPassword = "sk_QQcanaryCanaryCANARYcanaryCanaryCANARYcanary1234567", "wrongCanaryPassword"
	newOperator := NewOperator{Email: "canary", Role: "canary", Password: wrongPassword}
	record(prepared)
	record(provisioned)
	record(newOperator)

	for _, token := range []string{provisioned.SecretKey, provisioned.PublishableKey, provisioned.ExchangeToken,
		session, mistyped} {
		_, err := access.ParseToken(token)
		record(err)
		p, err := f.keys.Authenticate(ctx, token)
		record(p)
		record(err)
		p, err = f.Sessions.Authenticate(ctx, token)
		record(p)
		record(err)

		// A client may put a token into the wrong field.
		f.recordWrite(record, func(q database.Querier) error {
			_, _, err := f.keys.CreateKey(ctx, store.In(q, f.Store.ID),
				access.NewKey{Kind: access.Kind(token), Name: "Key", Scopes: []string{token}})
			return err
		})
		f.recordWrite(record, func(q database.Querier) error {
			key, err := f.keys.FindKey(ctx, q, token)
			record(key)
			return err
		})
		_, err = f.Operators.Prepare(ctx, NewOperator{Email: token, Role: access.Role(token), Password: "short"})
		record(err)
	}

	_, err = f.signInFrom(testNetwork, provisioned.AdminEmail, wrongPassword)
	record(err)
	_, err = f.signInFrom(testNetwork, provisioned.AdminEmail, provisioned.AdminPassword)
	record(err)
	_, err = f.signInFrom(testNetwork, "nobody@shop.example", wrongPassword)
	record(err)
	_, err = f.Operators.Prepare(ctx, newOperator)
	record(err)
	f.runUntilStopped(f.keys.Run)
	f.runUntilStopped(f.Run)

	f.recordWrite(record, func(q database.Querier) error {
		_, err := f.Operators.Create(ctx, store.In(q, f.Store.ID),
			PreparedOperator{email: provisioned.AdminEmail, role: access.Owner, hash: "x"})
		return err
	})
	f.recordWrite(record, func(q database.Querier) error {
		_, err := f.Operators.Create(ctx, store.In(q, store.ID{}),
			PreparedOperator{email: "b@shop.example", role: access.Owner, hash: "x"})
		return err
	})

	return []string{provisioned.SecretKey, provisioned.PublishableKey, provisioned.ExchangeToken,
		provisioned.AdminPassword, session, mistyped, wrongPassword}
}

func (f *fixture) recordWrite(record func(any), fn func(database.Querier) error) {
	record(f.DB.Write(f.Context(), fn))
}

// dump returns all text of the tables that this package writes.
func (f *fixture) dump() string {
	var all strings.Builder

	f.Read(func(tx store.Tx) error {
		for _, sql := range []string{
			"SELECT name, hint, scopes, kind FROM credentials ORDER BY id",
			"SELECT a.email, o.role, a.password_hash, a.language FROM operators AS o JOIN accounts AS a " +
				"ON a.id = o.account_id ORDER BY o.id",
		} {
			err := database.QueryEach(f.Context(), tx.Unscoped(), sql, nil, func(rows database.Rows) error {
				var a, b, c, d string
				if err := rows.Scan(&a, &b, &c, &d); err != nil {
					return err
				}
				fmt.Fprintln(&all, a, b, c, d)
				return nil
			})
			if err != nil {
				return err
			}
		}

		return nil
	})

	return all.String()
}

// readFiles returns the content of all files in a directory.
func readFiles(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all.Write(content)
	}
	return all.String()
}
