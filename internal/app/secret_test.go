package app_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/transfer"
	"vitrine/internal/testkit/apitest"
)

// The secret key is replaced while no server runs, and secrets stay.
func TestSecretRotate_replacesTheKey(t *testing.T) {
	t.Parallel()
	sampledEngine(t, func(t *testing.T, inst *installation) {
		p, s := inst.FirstRun()
		r := s.DoAdmin("POST", "/api/store/webhook-receivers",
			map[string]any{"url": "https://hooks.example/", "webhook_types": []string{"*"}})
		if r.Status != 201 {
			t.Fatalf("creating a receiver returns %d %s", r.Status, r.Body)
		}
		key := filepath.Join(inst.Data, "secret.key")
		next := filepath.Join(t.TempDir(), "new.key")
		inst.WantFailure(1, []string{"a server is running"}, "secret", "rotate", "--new-key-file", next)
		p.Signal(syscall.SIGTERM)
		p.Wait()

		inst.WantFailure(1, []string{"has the present secret key"}, "secret", "rotate", "--new-key-file", key)
		if out := inst.Run("secret", "rotate", "--new-key-file", next); !strings.Contains(out, "mv "+next+" "+key) {
			t.Errorf("secret rotate prints %s", out)
		}
		inst.WantFailure(1, []string{"does not belong to this database"}, "store", "list")
		if err := os.Rename(next, key); err != nil {
			t.Fatal(err)
		}

		s = inst.Serve().Server(s.Keys)
		id := r.Text("data.id")
		if r := s.DoAdmin("POST", "/api/store/webhook-receivers/"+id+"/test", nil); r.Status >= 300 {
			t.Errorf("a test of the receiver returns %d %s", r.Status, r.Body)
		}
	})
}

// A shop whose secret key is lost starts again without its secrets.
func TestSecretReset_letsAShopStartWithoutItsKey(t *testing.T) {
	t.Parallel()
	sampledEngine(t, func(t *testing.T, inst *installation) {
		p, s := inst.FirstRun()
		r := s.DoAdmin("POST", "/api/store/webhook-receivers",
			map[string]any{"url": "https://hooks.example/", "webhook_types": []string{"*"}})
		if r.Status != 201 {
			t.Fatalf("creating a receiver returns %d %s", r.Status, r.Body)
		}
		p.Signal(syscall.SIGTERM)
		p.Wait()

		inst.WantFailure(1, []string{"secret rotate"}, "secret", "reset", "--yes")
		if err := os.Remove(filepath.Join(inst.Data, "secret.key")); err != nil {
			t.Fatal(err)
		}
		inst.WantFailure(1, []string{"secret reset"}, "store", "list")
		inst.WantFailure(1, []string{"--yes"}, "secret", "reset")

		out := inst.Run("secret", "reset", "--yes")
		if !strings.Contains(out, "1: "+transfer.LostTexts()["receivers"]) {
			t.Errorf("secret reset prints %s", out)
		}
		s = inst.Serve().Server(s.Keys)
		if got := s.DoAdmin("GET", "/api/store/webhook-receivers", nil); !strings.Contains(string(got.Body),
			`"enabled":false`) {
			t.Errorf("the receivers are %s", got.Body)
		}
	})
}

// An archive of a store has jobs: each kind is known.
func TestStoreExport_knowsAllKindsOfJobs(t *testing.T) {
	t.Parallel()
	apitest.EachSQLite(t, func(t *testing.T, s *apitest.Server) {
		err := s.App.NewJobs().Add(t.Context(), nil, queue.Job{Kind: "none"})
		if err == nil {
			t.Fatal("a job of an unknown kind is added")
		}
		_, list, _ := strings.Cut(err.Error(), "the registered kinds are ")
		if diff := cmp.Diff(strings.Split(list, ", "), slices.Sorted(slices.Values(transfer.JobKinds()))); diff != "" {
			t.Errorf("kinds of jobs (-) and those that package transfer knows (+):\n%s", diff)
		}
	})
}
