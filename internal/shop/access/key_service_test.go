package access

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/store"
)

func TestAuthenticate_returnsStoreAndScopesOfEachKind(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.NewStore(store.Edit{Timezone: new("UTC")}) // a second, unrelated store

		for kind, scopes := range map[Kind]string{PublishableKey: "catalog:read store:read", SecretKey: "*",
			ExchangeToken: "*"} {
			key, token := f.newKey(NewKey{Kind: kind, Name: "Key"})
			p, err := f.Authenticate(f.Context(), token)
			if err != nil {
				f.Fatal(err)
			}
			if p.Kind != kind || p.CredentialID != key.ID || p.Scopes.Text() != scopes || p.Operator != nil {
				f.Errorf("%s: %+v", kind, p)
			}

			if p.Store.ID != f.Store.ID || p.Store.Name != f.Store.Name || p.Store.Zone().String() != "Europe/Berlin" ||
				!p.Store.CreatedAt.Equal(f.Store.CreatedAt) {
				f.Errorf("store: %+v", p.Store)
			}
		}
	})
}

func TestAuthenticate_refusesAllBadTokensWithTheSameFault(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		revoked, revokedToken := f.newKey(NewKey{Kind: SecretKey, Name: "Revoked"})
		f.Write(func(tx store.Tx) error { return f.RevokeKey(f.Context(), tx, revoked.ID) })
		_, expired := f.newKey(NewKey{Kind: SecretKey, Name: "Expired", ExpiresAt: new(f.Clock.Now().Add(time.Minute))})
		f.Clock.Advance(time.Minute)
		var first *fault.Error

		for name, token := range map[string]string{
			"empty": "", "malformed": "sk_x", "unknown": NewToken(SecretKey), "revoked": revokedToken,
			"expired": expired,
			"session": NewToken(OperatorSession),
		} {
			p, err := f.Authenticate(f.Context(), token)
			got := wantFault(f, err, fault.Unauthenticated, "invalid_credential")
			if first == nil {
				first = got
			}
			if diff := cmp.Diff(first, got); diff != "" || p.Kind != "" {
				f.Errorf("%s differs: %s", name, diff)
			}
		}
	})
}

func TestAuthenticate_refusesTokenWhoseRowHasAnotherKind(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		token := NewToken(PublishableKey)
		f.WriteUnscoped(func(q database.Querier) error {
			_, err := insertKey(f.Context(), q, Key{ID: id.New[Key](), StoreID: f.Store.ID, Kind: SecretKey,
				Scopes: Scopes{Everything}}, HashToken(token))
			return err
		})
		_, err := f.Authenticate(f.Context(), token)
		wantFault(f, err, fault.Unauthenticated, "invalid_credential")
	})
}

func TestCreateKey_listsHintButNoToken(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		end := f.Clock.Now().Add(time.Hour)
		created, token := f.newKey(NewKey{Kind: ExchangeToken, Name: "  1C ", Scopes: []string{"prices", "products"},
			ExpiresAt: &end})
		want := Key{
			ID: created.ID, StoreID: f.Store.ID, Kind: ExchangeToken, Name: "1C", Hint: "xt_" + token[len(token)-4:],
			Scopes:    Scopes{"prices", "products"},
			CreatedAt: f.Clock.Now().Truncate(time.Microsecond), ExpiresAt: new(end.Truncate(time.Microsecond)),
		}
		if diff := cmp.Diff([]Key{want, want}, []Key{created, f.keys()[0]}); diff != "" {
			f.Error(diff)
		}
	})
}

func TestCreateKey_reportsEveryInvalidFieldAndStoresNothing(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		err := f.TryWrite(func(tx store.Tx) error {
			_, _, err := f.CreateKey(f.Context(), tx,
				NewKey{Kind: OperatorSession, Name: "a\x00", Scopes: []string{"all"}, ExpiresAt: new(f.Clock.Now())})
			return err
		})
		want := map[string]string{"kind": "unknown_kind", "name": "invalid_characters", "scopes[0]": "unknown_scope",
			"expires_at": "in_the_past"}
		if diff := cmp.Diff(want, fieldCodes(err)); diff != "" {
			f.Error(diff)
		}

		for name, code := range map[string]string{" ": "required", strings.Repeat("я", 256): "too_long",
			strings.Repeat("я", 255): ""} {
			_, err := NewKey{Kind: SecretKey, Name: name}.check(f.Clock.Now())
			if got := fieldCodes(err)["name"]; got != code {
				f.Errorf("name of %d bytes: %q, want %q", len(name), got, code)
			}
		}

		if keys := f.keys(); len(keys) != 0 {
			f.Errorf("stored keys %v, want none", keys)
		}
	})
}

func TestCreateKey_returnsNotFoundForUnknownStore(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		err := f.DB.Write(f.Context(), func(q database.Querier) error {
			_, _, err := f.CreateKey(f.Context(), store.In(q, id.New[store.Store]()),
				NewKey{Kind: SecretKey, Name: "Key"})
			return err
		})
		wantFault(f, err, fault.NotFound, "not_found")
	})
}

func TestRevokeKey_isIdempotentAndLimitedToItsStore(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		key, token := f.newKey(NewKey{Kind: SecretKey, Name: "Key"})
		other := f.NewStore(store.Edit{Timezone: new("UTC")})
		err := f.DB.Write(f.Context(), func(q database.Querier) error {
			return f.RevokeKey(f.Context(), store.In(q, other.ID), key.ID)
		})
		wantFault(f, err, fault.NotFound, "not_found")
		if _, err := f.Authenticate(f.Context(), token); err != nil {
			f.Errorf("another store revoked the key: %v", err)
		}

		for range 2 {
			f.Write(func(tx store.Tx) error { return f.RevokeKey(f.Context(), tx, key.ID) })
			if at := f.keys()[0].RevokedAt; at == nil || !at.Equal(key.CreatedAt) {
				f.Errorf("revoked at %v, want %v", at, key.CreatedAt)
			}
			f.Clock.Advance(time.Hour)
		}
	})
}

func (f *fixture) rotate(keyID KeyID, overlap time.Duration) (key Key, token string, err error) {
	err = f.TryWrite(func(tx store.Tx) (err error) {
		key, token, err = f.RotateKey(f.Context(), tx, keyID, overlap)
		return err
	})
	return key, token, err
}

func TestRotateKey_acceptsBothKeysDuringOverlap(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		old, oldToken := f.newKey(NewKey{Kind: SecretKey, Name: "Site", Scopes: []string{"catalog:read"}})
		next, nextToken, err := f.rotate(old.ID, DefaultOverlap)
		if err != nil {
			f.Fatal(err)
		}

		if next.ID == old.ID || nextToken == oldToken || next.Kind != old.Kind || next.Name != old.Name ||
			!slices.Equal(next.Scopes, old.Scopes) || next.ExpiresAt != nil {
			f.Errorf("rotated to %+v from %+v", next, old)
		}

		for _, step := range []struct {
			pass time.Duration
			want bool
		}{{0, true}, {24*time.Hour - time.Microsecond, true}, {time.Microsecond, false}} {
			f.Clock.Advance(step.pass)
			if _, err := f.Authenticate(f.Context(), oldToken); (err == nil) != step.want {
				f.Errorf("the old key after %v more: %v", step.pass, err)
			}
			if _, err := f.Authenticate(f.Context(), nextToken); err != nil {
				f.Errorf("the new key: %v", err)
			}
		}

		_, _, err = f.rotate(old.ID, DefaultOverlap)
		wantFault(f, err, fault.Conflict, "key_not_active")
	})
}

func TestRotateKey_endsOldKeyImmediatelyWithoutOverlap(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		old, oldToken := f.newKey(NewKey{Kind: ExchangeToken, Name: "1C"})
		if _, _, err := f.rotate(old.ID, 0); err != nil {
			f.Fatal(err)
		}
		_, err := f.Authenticate(f.Context(), oldToken)
		wantFault(f, err, fault.Unauthenticated, "invalid_credential")
	})
}

func TestRotateKey_keepsLifetime(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		old, _ := f.newKey(NewKey{Kind: SecretKey, Name: "Key", ExpiresAt: new(f.Clock.Now().Add(90 * 24 * time.Hour))})
		f.Clock.Advance(89*24*time.Hour + 12*time.Hour)
		next, _, err := f.rotate(old.ID, DefaultOverlap)
		if err != nil {
			f.Fatal(err)
		}
		if life := next.ExpiresAt.Sub(next.CreatedAt); life != 90*24*time.Hour {
			f.Errorf("the new key lives %v, want 90 days", life)
		}
		if got := f.keys()[0].ExpiresAt; !got.Equal(*old.ExpiresAt) {
			f.Errorf("the overlap moved the old key's end from %v to %v", old.ExpiresAt, got)
		}
	})
}

func TestRotateKey_refusesRevokedAndUnknownKeysAndBadOverlaps(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		key, _ := f.newKey(NewKey{Kind: SecretKey, Name: "Key"})
		for _, overlap := range []time.Duration{-1, 31 * 24 * time.Hour} {
			if _, _, err := f.rotate(key.ID, overlap); fieldCodes(err)["overlap"] != "out_of_range" {
				f.Errorf("overlap %v: %v", overlap, err)
			}
		}

		_, _, err := f.rotate(id.New[Key](), 0)
		wantFault(f, err, fault.NotFound, "not_found")
		f.Write(func(tx store.Tx) error { return f.RevokeKey(f.Context(), tx, key.ID) })
		_, _, err = f.rotate(key.ID, 0)
		wantFault(f, err, fault.Conflict, "key_not_active")

		if n := len(f.keys()); n != 1 {
			f.Errorf("%d keys, want 1", n)
		}
	})
}

func TestFindKey_findsByIDAndByToken(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		key, token := f.newKey(NewKey{Kind: SecretKey, Name: "Key"})
		find := func(reference string) (found Key, err error) {
			err = f.TryRead(func(tx store.Tx) (err error) {
				found, err = f.FindKey(f.Context(), tx.Unscoped(), reference)
				return err
			})
			return found, err
		}
		for _, reference := range []string{key.ID.String(), token} {
			found, err := find(reference)
			if diff := cmp.Diff(key, found); diff != "" || err != nil {
				f.Error(diff, err)
			}
		}

		for _, reference := range []string{id.New[Key]().String(), NewToken(SecretKey)} {
			_, err := find(reference)
			wantFault(f, err, fault.NotFound, "not_found")
		}

		_, err := find("sk_mistyped")
		wantFault(f, err, fault.Invalid, "invalid_reference")
	})
}
