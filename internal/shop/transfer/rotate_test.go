package transfer

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
)

// eachSecretInstallation runs fn on both engines with two stores and another vault.
func eachSecretInstallation(
	t *testing.T, fn func(t *testing.T, in *installation, stores [2]store.ID, to *vault.Vault),
) {
	t.Helper()
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			in := newInstallation(t, engine, "a")
			first := in.fill()
			source := newInstallation(t, database.SQLite, "a")
			second := source.fill()
			in.mustImport(source.export(second, ""), "")
			if err := store.CheckVault(t.Context(), in.DB, in.Vault); err != nil {
				t.Fatal(err)
			}

			to, err := vault.ParseKey(strings.Repeat("d", 64))
			if err != nil {
				t.Fatal(err)
			}
			fn(t, in, [2]store.ID{first, second}, to)

			if err := store.CheckVault(t.Context(), in.DB, to); err != nil {
				t.Errorf("the database does not belong to the new key: %v", err)
			}
		})
	}
}

func TestRotateSecrets_keepsEachSecretOfAllStores(t *testing.T) {
	t.Parallel()
	eachSecretInstallation(t, func(t *testing.T, in *installation, stores [2]store.ID, to *vault.Vault) {
		var want [2]content
		for i, storeID := range stores {
			want[i] = in.content(storeID)
		}
		if _, err := RotateSecrets(t.Context(), in.DB, in.Vault, to); err != nil {
			t.Fatal(err)
		}

		in.Vault = to
		for i, storeID := range stores {
			delete(want[i], "idempotency")
			delete(want[i], "idempotency_pieces")
			in.wantContent(storeID, want[i])
			if n := len(in.content(storeID)["idempotency"]); n > 0 {
				t.Errorf("%d responses are kept, which cannot be recognised", n)
			}
		}
	})
}

// A rotation that fails changes nothing.
func TestRotateSecrets_isWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	in := newInstallation(t, database.SQLite, "a")
	storeID := in.fill()
	in.write(func(ctx context.Context, q database.Querier) error {
		_, err := q.Exec(ctx, "UPDATE mail_servers SET settings = $1", []byte("damaged"))
		return err
	})
	to, err := vault.ParseKey(strings.Repeat("d", 64))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := RotateSecrets(t.Context(), in.DB, in.Vault, to); err == nil {
		t.Error("secrets that cannot be opened are rotated")
	}

	in.write(func(ctx context.Context, q database.Querier) error {
		_, err := q.Exec(ctx, "DELETE FROM mail_servers")
		return err
	})
	if n := len(in.content(storeID)["idempotency"]); n != 1 { // content opens all secrets
		t.Errorf("%d responses, want the one from before", n)
	}
}

func TestResetSecrets_leavesNoneOfTheFormerKey(t *testing.T) {
	t.Parallel()
	eachSecretInstallation(t, func(t *testing.T, in *installation, stores [2]store.ID, to *vault.Vault) {
		lost, err := ResetSecrets(t.Context(), in.DB, to)
		if err != nil {
			t.Fatal(err)
		}
		for what := range LostTexts() {
			if lost[what] == 0 {
				t.Errorf("nothing is said of %s", what)
			}
		}

		in.Vault = to
		for _, storeID := range stores {
			if got := in.content(storeID); len(got["products"]) != 1 || len(got["mail_servers"]) > 0 {
				t.Errorf("%d products and %d mail servers are left", len(got["products"]), len(got["mail_servers"]))
			}
		}
	})
}

// purposePattern matches the declaration of a purpose of a vault.
var purposePattern = regexp.MustCompile(`[pP]urpose *= *"([^"]+)"`)

// An archive names the purposes of secrets again. They are those with which the packages of the secrets encrypt them.
func TestPurposes_areThoseOfThePackages(t *testing.T) {
	t.Parallel()
	declared := map[string]bool{}
	for _, pattern := range []string{"../*/*.go", "../../api/httpapi/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, match := range purposePattern.FindAllStringSubmatch(string(text), -1) {
				declared[match[1]] = true
			}
		}
	}

	var used []string
	for _, tb := range tables() {
		for _, c := range tb.secrets() {
			used = append(used, c.purpose)
		}
	}
	for _, form := range jobForms() {
		if form.sealedFor != "" {
			used = append(used, form.sealedFor)
		}
	}
	for _, purpose := range used {
		if !declared[purpose] {
			t.Errorf("no package encrypts anything as a %q", purpose)
		}
	}
}
