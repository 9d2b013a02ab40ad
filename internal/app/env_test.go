package app_test

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"vitrine/internal/app"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
)

// envCommand returns the command vitrine env of an installation. It takes no --database.
func (inst *installation) envCommand() *exec.Cmd {
	withoutDatabase := *inst.Installation
	withoutDatabase.Database = ""
	return withoutDatabase.Command("env")
}

// The variables of vitrine env give a second terminal the keys and the addresses of the store that the first run
// created. Later runs update the addresses.
func TestFirstHour1_envHasTheKeysOfTheFirstRun(t *testing.T) {
	t.Parallel()
	sampledEngine(t, func(t *testing.T, inst *installation) {
		p, shop := inst.FirstRun()

		shell := func(words ...string) string {
			script := `eval "$(` + strings.Join(inst.envCommand().Args, " ") + `)"; printf '%s\n' "` +
				strings.Join(words, `" "`) + `"`
			out, err := exec.Command("sh", "-c", script).CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v: %s", script, err, out)
			}
			return string(out)
		}

		want := strings.Join([]string{shop.StoreID.String(), shop.Secret, shop.Publishable, shop.Exchange, shop.Secret,
			shop.Exchange}, "\n") + "\n"
		if got := shell("$STORE_ID", "$STORE_SECRET_KEY", "$STORE_PUBLISHABLE_KEY", "$STORE_EXCHANGE_TOKEN",
			"$VITRINE_KEY",
			"$VITRINE_EXCHANGE_TOKEN"); got != want {
			t.Errorf("vitrine env sets %s, want %s", got, want)
		}

		addresses := func() string {
			return shell("$STORE_URL", "$STORE_ADMIN_URL", "$VITRINE_TO", "$VITRINE_ADMIN_URL")
		}
		wantAddresses := func(p *apitest.Process) {
			t.Helper()
			if got := addresses(); got != strings.Repeat(p.URL+"\n"+p.AdminURL+"\n", 2) {
				t.Errorf("vitrine env sets the addresses %s, want those of %s", got, p.Stdout)
			}
		}
		wantAddresses(p)

		if info, err := os.Stat(app.FirstRunFile(inst.Data)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s does not have mode 0600: %v %v", app.FirstRunFile(inst.Data), info, err)
		}

		p.Signal(syscall.SIGTERM)
		p.Wait()
		wantAddresses(inst.Serve())
	})
}

// Without first-run.json vitrine env says which file is missing, and serve does not create it again.
func TestEnv_saysThatTheFileIsMissing(t *testing.T) {
	t.Parallel()
	inst := newInstallation(t, database.SQLite)
	inst.WantFailure(1, []string{app.FirstRunFile(inst.Data), "--data", "vitrine key create"}, "env")
	p, _ := inst.FirstRun()
	p.Signal(syscall.SIGTERM)
	p.Wait()
	if err := os.WriteFile(app.FirstRunFile(inst.Data), []byte(`{"store_id":`), 0o600); err != nil {
		t.Fatal(err)
	}
	inst.WantFailure(1, []string{app.FirstRunFile(inst.Data), "damaged"}, "env")
	if err := os.Remove(app.FirstRunFile(inst.Data)); err != nil {
		t.Fatal(err)
	}
	inst.Serve()
	inst.WantFailure(1, []string{app.FirstRunFile(inst.Data)}, "env")
}

// Ctrl-C ends serve with exit code 0 and a line on standard output.
func TestFirstHour3_interruptPrintsALine(t *testing.T) {
	t.Parallel()
	p, _ := newInstallation(t, database.SQLite).FirstRun()
	p.Signal(syscall.SIGINT)
	if code := p.Wait(); code != 0 || !strings.HasSuffix(p.Stdout.String(), "\nVitrine stopped.\n") {
		t.Errorf("after SIGINT serve exits with %d and prints %s", code, p.Stdout)
	}
}

// vitrine alone prints the help, --version the version, and the help of a command the defaults of its flags.
func TestFirstHour12_helpAndVersion(t *testing.T) {
	t.Parallel()
	inst := newInstallation(t, database.SQLite)
	inst.Data = ""
	if got, want := inst.Run(), inst.Run("--help"); got != want {
		t.Errorf("vitrine alone prints %s, want %s", got, want)
	}
	if got, want := inst.Run("--version"), inst.Run("version"); got != want || !strings.HasPrefix(got, "vitrine ") {
		t.Errorf("vitrine --version prints %s, want %s", got, want)
	}

	help := strings.Join(strings.Fields(inst.Run("serve", "--help")), " ")
	for _, text := range []string{"($VITRINE_DATA). Default: vitrine-data.",
		"($VITRINE_CONNECTIONS_PER_ADDRESS). Default: 256.", "($VITRINE_EVENT_RETENTION). Default: 720h.",
		"($VITRINE_LOG_LEVEL). Default: info."} {
		if !strings.Contains(help, text) {
			t.Errorf("vitrine serve --help does not contain %q: %s", text, help)
		}
	}

	if strings.Contains(help, "Default: -") {
		t.Errorf("vitrine serve --help has a negative default: %s", help)
	}

	// VITRINE_VERSION may name the version to deploy.
	cmd := inst.Command("--version")
	cmd.Env = append(cmd.Env, "VITRINE_VERSION=1.2.3")
	if p := apitest.Launch(t, cmd); p.Wait() != 0 {
		t.Errorf("with VITRINE_VERSION, vitrine --version exits with %d: %s", p.Wait(), p.Stderr)
	}

	cmd = inst.Command("push", "missing.csv")
	if p := apitest.Launch(t, cmd); p.Wait() != 2 || !strings.Contains(p.Stderr.String(),
		"the file missing.csv does not exist") {
		t.Errorf("vitrine push missing.csv exits with %d: %s", p.Wait(), p.Stderr)
	}
}
