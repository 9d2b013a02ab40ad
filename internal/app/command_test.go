package app_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
)

// vitrine store create --json prints one object with six members and nothing else. It works while a server is running.
func TestStoreCreate_worksWhileTheServerRuns(t *testing.T) {
	t.Parallel()
	sampledEngine(t, func(t *testing.T, inst *installation) {
		p, first := inst.FirstRun()
		text := inst.Run("store", "create", "--json", "--name", "Zweiter Laden", "--timezone", "Europe/Berlin",
			"--locale", "de", "--currency", "EUR", "--email", "owner@shop.example")
		var members map[string]string
		if err := json.Unmarshal([]byte(text), &members); err != nil {
			t.Fatalf("%v in %s", err, text)
		}

		want := []string{"admin_email", "admin_password", "exchange_token", "publishable_key", "secret_key", "store_id"}
		var got []string
		for name, value := range members {
			got = append(got, name)
			if value == "" {
				t.Errorf("%s is empty", name)
			}
		}

		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("the members are %q, want %q", got, want)
		}

		created := apitest.ParseJSON[apitest.Provisioned](t, text)
		shop := p.Server(created.Keys(t)) // without a restart
		r := shop.Get("/v2/store", apitest.As(created.PublishableKey))
		if r.Text("data.name") != "Zweiter Laden" || r.Text("data.timezone") != "Europe/Berlin" ||
			r.Text("data.locale") != "de" || r.Text("data.currency") != "EUR" {
			t.Errorf("the store does not have the given settings: %s", r.Body)
		}

		shop.OK(201, "POST", "/v2/variant-options", `{"name": "Größe"}`)
		if got := first.Get("/v2/variant-options").Len("data"); got != 0 {
			t.Errorf("the first store sees %d options of the second", got)
		}
		if created.AdminEmail != "owner@shop.example" || p.SignIn(created.AdminEmail, created.AdminPassword) == "" {
			t.Error("the owner cannot sign in")
		}

		list := inst.Run("store", "list")
		for _, word := range []string{created.StoreID, first.StoreID.String(), "Zweiter Laden", "Europe/Berlin",
			"My shop"} {
			if !strings.Contains(list, word) {
				t.Errorf("the list does not show %s: %s", word, list)
			}
		}

		stores := apitest.ParseJSON[[]map[string]any](t, inst.Run("store", "list", "--json"))
		if len(stores) != 2 || stores[1]["id"] != created.StoreID {
			t.Errorf("store list --json prints %v", stores)
		}

		for _, bad := range [][]string{{"--timezone", "Mars/Olympus"}, {"--locale", "tlh"}, {"--currency", "XXX"},
			{"--name", " "}, {"--email", "nobody"}} {
			inst.WantFailure(1, []string{strings.TrimPrefix(bad[0], "--")},
				append([]string{"store", "create", "--json"}, bad...)...)
		}

		if stores := apitest.ParseJSON[[]any](t, inst.Run("store", "list", "--json")); len(stores) != 2 {
			t.Errorf("there are %d stores after the refused commands, want 2", len(stores))
		}

		// With two stores, a command needs --store.
		inst.WantFailure(1, []string{"--store"}, "key", "create", "--name", "x")
	})
}

type keyOutput struct {
	ID      string   `json:"id"`
	StoreID string   `json:"store_id"`
	Kind    string   `json:"kind"`
	Name    string   `json:"name"`
	Scopes  []string `json:"scopes"`
	Token   string   `json:"token"`
}

// The running server immediately respects keys that are created, rotated and revoked on the command line.
func TestKeys_takeEffectAtOnce(t *testing.T) {
	t.Parallel()
	sampledEngine(t, func(t *testing.T, inst *installation) {
		_, shop := inst.FirstRun()
		status := func(token, method string) int {
			var body any
			if method != "GET" {
				body = `{"name": "x"}`
			}
			return shop.Do(method, "/v2/variant-options", body, apitest.As(token)).Status
		}
		create := func(args ...string) keyOutput {
			return apitest.ParseJSON[keyOutput](t, inst.Run(append([]string{"key", "create", "--json"}, args...)...))
		}
		all := create("--name", "all")
		if all.Kind != "secret" || all.StoreID != shop.StoreID.String() || status(all.Token, "GET") != 200 ||
			status(all.Token, "POST") != 201 {
			t.Errorf("the new secret key is of kind %s in store %s; GET returns %d", all.Kind, all.StoreID,
				status(all.Token, "GET"))
		}

		reader := create("--name", "reader", "--scopes", "catalog:read")
		if status(reader.Token, "GET") != 200 || status(reader.Token, "POST") != 403 {
			t.Errorf("with a key that may only read, GET returns %d and POST %d", status(reader.Token, "GET"),
				status(reader.Token, "POST"))
		}

		public := create("--name", "site", "--kind", "publishable", "--store", shop.StoreID.String())
		if status(public.Token, "GET") != 200 || status(public.Token, "POST") != 403 {
			t.Errorf("with a publishable key, GET returns %d and POST %d", status(public.Token, "GET"),
				status(public.Token, "POST"))
		}

		exchange := create("--name", "1C", "--kind", "exchange", "--scopes", "products")
		if status(exchange.Token, "GET") != 403 {
			t.Errorf("with an exchange token, GET returns %d, want 403", status(exchange.Token, "GET"))
		}

		// With an overlap, both the old and the new key are active. With an overlap of 0s, only the new key is.
		next := apitest.ParseJSON[keyOutput](t, inst.Run("key", "rotate", all.ID, "--json"))
		if status(all.Token, "GET") != 200 || status(next.Token, "GET") != 200 || next.Name != "all" {
			t.Errorf("after a rotation with an overlap, the old key gets %d and the new one %d",
				status(all.Token, "GET"), status(next.Token, "GET"))
		}

		// key rotate accepts the token in place of the id.
		last := apitest.ParseJSON[keyOutput](t, inst.Run("key", "rotate", next.Token, "--overlap", "0s", "--json"))
		if status(next.Token, "GET") != 401 || status(last.Token, "GET") != 200 {
			t.Errorf("after a rotation without an overlap, the old key gets %d and the new one %d",
				status(next.Token, "GET"), status(last.Token, "GET"))
		}

		// key revoke accepts an id and a token.
		inst.Run("key", "revoke", last.ID)
		inst.Run("key", "revoke", reader.Token)

		if status(last.Token, "GET") != 401 || status(reader.Token, "GET") != 401 ||
			status(public.Token, "GET") != 200 {
			t.Errorf("revoked keys get %d and %d, the other one %d", status(last.Token, "GET"),
				status(reader.Token, "GET"), status(public.Token, "GET"))
		}

		list := inst.Run("key", "list")
		for _, word := range []string{"all", "reader", "site", "1C", "revoked", "active", "expired", "catalog:read",
			all.ID} {
			if !strings.Contains(list, word) {
				t.Errorf("the list does not show %s: %s", word, list)
			}
		}

		for _, token := range []string{all.Token, reader.Token, public.Token, shop.Secret} {
			if strings.Contains(list, token) {
				t.Error("key list shows a token")
			}
		}

		if text := inst.Run("key", "create", "--name", "words"); !strings.Contains(text, "shown only now") ||
			!strings.Contains(text, "sk_") {
			t.Errorf("key create without --json prints %s", text)
		}

		inst.WantFailure(1, []string{"no such key"}, "key", "revoke", "018f0000-0000-7000-8000-000000000000")
		inst.WantFailure(1, []string{"id"}, "key", "revoke", "nonsense")
		inst.WantFailure(1, []string{"scope"}, "key", "create", "--name", "x", "--scopes", "everything")
		inst.WantFailure(2, []string{"kind"}, "key", "create", "--kind", "master")
		inst.WantFailure(1, []string{"revoked or expired"}, "key", "rotate", last.ID)
	})
}

// An operator created on the command line can sign in immediately, and after a reset only with the new password.
func TestAdmin_createAndResetPassword(t *testing.T) {
	t.Parallel()
	sampledEngine(t, func(t *testing.T, inst *installation) {
		p, _ := inst.FirstRun()
		type operator struct{ ID, Email, Role, Password string }
		created := apitest.ParseJSON[operator](t,
			inst.Run("admin", "create", "--email", "Manager@Shop.example", "--json"))
		if created.Role != "manager" || p.SignIn("manager@shop.example", created.Password) == "" {
			t.Errorf("%s of role %s cannot sign in", created.Email, created.Role)
		}

		reset := apitest.ParseJSON[operator](t,
			inst.Run("admin", "reset-password", "--email", "manager@shop.example", "--json"))
		if reset.Password == created.Password || p.SignIn("manager@shop.example", reset.Password) == "" {
			t.Error("the new password does not sign in")
		}
		if p.SignIn("manager@shop.example", created.Password) != "" {
			t.Error("the old password still signs in")
		}

		// A password that the user has set is not printed.
		cmd := inst.Command("admin", "create", "--email", "viewer@shop.example", "--role", "viewer", "--json")
		cmd.Env = append(cmd.Env, "VITRINE_PASSWORD=correct horse battery")
		run := apitest.Launch(t, cmd)
		if code := run.Wait(); code != 0 || strings.Contains(run.Stdout.String(), "horse") ||
			p.SignIn("viewer@shop.example", "correct horse battery") == "" {
			t.Errorf("admin create with VITRINE_PASSWORD exits with %d and prints %s", code, run.Stdout)
		}

		inst.WantFailure(1, []string{"email"}, "admin", "create", "--email", "manager@shop.example")
		inst.WantFailure(1, []string{"operator"}, "admin", "reset-password", "--email", "nobody@shop.example")
		inst.WantFailure(2, []string{"role"}, "admin", "create", "--email", "x@shop.example", "--role", "king")
		inst.WantFailure(2, []string{"email"}, "admin", "create")
		inst.WantFailure(1, []string{"password"}, "admin", "create", "--email", "x@shop.example", "--password", "short")

		// A person who has an account is invited to another store, unless --join-existing says that it is theirs.
		second := apitest.ParseJSON[map[string]string](t, inst.Run("store", "create", "--json", "--email",
			"manager@shop.example"))
		if second["admin_password"] != "" || !strings.HasPrefix(second["admin_invitation"],
			"http://localhost:8081/invitation/oi_") {
			t.Errorf("store create for an existing account prints %v", second)
		}

		storeID := second["store_id"]
		invited := inst.Run("admin", "create", "--store", storeID, "--email", "viewer@shop.example", "--role", "owner",
			"--admin-url", "https://admin.shop.example/")
		if !strings.Contains(invited, "https://admin.shop.example/invitation/oi_") ||
			strings.Contains(invited, "can sign in") {
			t.Errorf("admin create for an existing account prints %s", invited)
		}

		if list := inst.Run("admin", "list", "--store", storeID); strings.Count(list, "invited") != 2 {
			t.Errorf("the operators are %s", list)
		}

		joined := apitest.ParseJSON[map[string]string](t, inst.Run("store", "create", "--json", "--email",
			"manager@shop.example",
			"--join-existing"))
		if joined["admin_invitation"] != "" ||
			!strings.Contains(inst.Run("admin", "list", "--store", joined["store_id"]), "active") {
			t.Errorf("store create --join-existing prints %v", joined)
		}

		if link := inst.Run("admin", "change-email", "--email", "manager@shop.example", "--to",
			"boss@shop.example"); !strings.Contains(link, "http://localhost:8081/email/oe_") {
			t.Errorf("admin change-email prints %s", link)
		}

		inst.WantFailure(1, []string{"no operator"}, "admin", "change-email", "--email", "nobody@shop.example", "--to",
			"x@shop.example")
	})
}

// Flags take precedence over VITRINE_… variables, and variables over the file of --config.
func TestSettings_precedence(t *testing.T) {
	t.Parallel()
	inst := newInstallation(t, database.SQLite)
	inst.Data = "" // the cases set the data directory
	dirs := map[string]string{}

	for _, name := range []string{"file", "variable", "flag"} {
		dirs[name] = filepath.Join(t.TempDir(), name)
	}

	file := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(file, []byte(`{"data": "`+dirs["file"]+`", "log-level": "error"}`), 0o600); err != nil {
		t.Fatal(err)
	}

	for _, c := range []struct {
		used string
		env  []string
		args []string
	}{
		{"file", nil, []string{"--config", file}},
		{"variable", []string{"VITRINE_DATA=" + dirs["variable"]}, nil},
		{"variable", []string{"VITRINE_DATA=" + dirs["variable"]}, []string{"--config", file}},
		{"flag", []string{"VITRINE_DATA=" + dirs["variable"]}, []string{"--config", file, "--data", dirs["flag"]}},
		{"flag", nil, []string{"--config", file, "--data", dirs["flag"]}},
		{"variable", []string{"VITRINE_CONFIG=" + file, "VITRINE_DATA=" + dirs["variable"]}, nil},
	} {
		cmd := inst.Command(append([]string{"migrate"}, c.args...)...)
		cmd.Env = append(cmd.Env, c.env...)
		if p := apitest.Launch(t, cmd); p.Wait() != 0 {
			t.Fatalf("%v %v exits with %d: %s", c.env, c.args, p.Wait(), p.Stderr)
		}

		for name, dir := range dirs {
			_, err := os.Stat(filepath.Join(dir, "vitrine.db"))
			if used := err == nil; used != (name == c.used) {
				t.Errorf("%v %v: the directory of the %s is used: %t", c.env, c.args, name, used)
			}
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		}
	}

	// The settings of serve can come from variables, too.
	cmd := inst.Command("serve")
	cmd.Env = append(cmd.Env, "VITRINE_DATA="+dirs["variable"], "VITRINE_API_ADDR=127.0.0.1:0",
		"VITRINE_ADMIN_ADDR=127.0.0.1:0", "VITRINE_LOG_LEVEL=warn", "VITRINE_SECRET_KEY="+strings.Repeat("0f", 32))
	p := apitest.LaunchServer(t, cmd)
	keys, _ := p.FirstRunKeys()
	p.Server(keys.Keys(t)).Get("/v2/store")
	if strings.Contains(p.Stderr.String(), `"msg":"request"`) {
		t.Error("VITRINE_LOG_LEVEL has no effect")
	}

	if _, err := os.Stat(filepath.Join(dirs["variable"], "secret.key")); err == nil {
		t.Error("a key file was created although VITRINE_SECRET_KEY is set")
	}
}

// The exit code is 0 for a success, 1 for a failure and 2 for an invalid command line.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	inst := newInstallation(t, database.SQLite)
	inst.Data = ""
	for _, line := range [][]string{{"fly"}, {"store"}, {"store", "sell"}, {"serve", "--unknown"},
		{"serve", "--log-level", "loud"}, {"serve", "extra"}, {"key", "revoke"},
		{"serve", "--config", "/nowhere.json"}} {
		inst.WantFailure(2, []string{"vitrine"}, line...)
	}

	for _, line := range [][]string{{"--help"}, {"serve", "--help"}, {"key", "rotate", "--help"}, {"version"}, {}} {
		if out := inst.Run(line...); out == "" {
			t.Errorf("%v prints nothing", line)
		}
	}

	help := inst.Run("--help")
	for _, word := range []string{"serve", "migrate", "store create", "key rotate", "admin reset-password", "demo",
		"push", "version"} {
		if !strings.Contains(help, word) {
			t.Errorf("the help does not mention %s", word)
		}
	}

	inst.Data = filepath.Join(t.TempDir(), "data")
	inst.WantFailure(1, []string{"database"}, "store", "list", "--database", "postgres://nobody@127.0.0.1:1/nothing")
	nowhere := *inst.Installation
	nowhere.Data = "/proc/nowhere"
	nowhere.WantFailure(1, []string{"create the data directory"}, "serve")

	if out := inst.Run("migrate"); !strings.Contains(out, "SQLite") {
		t.Errorf("migrate prints %s", out)
	}

	inst.WantFailure(1, []string{"--allow-net", "10.0.0.0/8", "10.1.2.3/32"}, "serve", "--allow-net", "10.1.2.3/8")
	inst.WantFailure(1, []string{"--smtp", "from="}, "serve", "--smtp", "smtp://mail.example")
	inst.WantFailure(1, []string{"--sms-url", "https://"}, "serve", "--sms-url", "ftp://sms.example")

	p := apitest.LaunchServer(t,
		inst.ServeCommand("--allow-http", "--allow-net", "10.0.0.0/8", "--allow-net", "fd00::/8",
			"--smtp", "smtp://user:hidden@mail.example?from=shop@example.com", "--sms-url", "https://sms.example/send"))
	if log := p.Stderr.String(); strings.Contains(log, "hidden") {
		t.Errorf("the log shows a password: %s", log)
	}
}

// A replica in the environment, which all commands share, made every command on a SQLite file fail.
func TestReplica_ofASQLiteFileIsRefusedByServeOnly(t *testing.T) {
	t.Parallel()
	inst := newInstallation(t, database.SQLite)
	run := func(variable string, args ...string) (code int, stderr string) {
		cmd := inst.Command(args...)
		cmd.Env = append(cmd.Env, "VITRINE_DATABASE_REPLICA="+variable)
		p := apitest.Launch(t, cmd)
		return p.Wait(), p.Stderr.String()
	}
	const replica = "postgres://vitrine:hush@standby/vitrine"

	for _, args := range [][]string{{"store", "create"}, {"store", "list"}, {"key", "list"}, {"migrate"},
		{"backup", filepath.Join(t.TempDir(), "backup")}, {"check"}, {"blob", "accept"}, {"demo", "--products", "1"}} {
		if code, stderr := run(replica, args...); code != 0 {
			t.Errorf("vitrine %v exits with %d: %s", args, code, stderr)
		}
	}

	code, stderr := run(replica, serveFreePorts...)
	if code != 1 || !strings.Contains(stderr, "VITRINE_DATABASE_REPLICA") || !strings.Contains(stderr, "vitrine.db") ||
		strings.Contains(stderr, "hush") {
		t.Errorf("serve exits with %d: %s", code, stderr)
	}

	inst.Database = "postgres://nobody@127.0.0.1:1/nothing"

	if code, stderr := run("standby.db", serveFreePorts...); code != 1 ||
		!strings.Contains(stderr, "must be a postgres://") {
		t.Errorf("serve with a file as the replica exits with %d: %s", code, stderr)
	}
}
