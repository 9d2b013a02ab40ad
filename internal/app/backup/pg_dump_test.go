package backup_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/app/check"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/databasetest/pgserver"
)

// acknowledgedOrders are the orders whose submission was answered.
type acknowledgedOrders struct {
	mu  sync.Mutex
	ids []string
}

func (a *acknowledgedOrders) add(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ids = append(a.ids, id)
}

func (a *acknowledgedOrders) list() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]string{}, a.ids...)
}

// The commands that vitrine backup prints for PostgreSQL copy a database under load to another one, which is a
// consistent moment and has every order that was acknowledged before.
func TestBackup_printedCommandsOfPostgreSQL(t *testing.T) {
	t.Parallel()
	inst := apitest.NewInstallation(t, database.Postgres)
	_, shop := inst.FirstRun()
	variant := shop.NewStockedVariant()
	shop.OK(201, "POST", "/v2/images", apitest.PNG(1), apitest.Header("Content-Type", "image/png"))
	printed := apitest.Launch(t, inst.Command("backup", "anywhere"))
	printed.Wait()
	dump := printedCommand(t, printed, "pg_dump")
	restore := printedCommand(t, printed, "pg_restore")
	analyze := printedCommand(t, printed, "psql")

	var acknowledged acknowledgedOrders
	var clients sync.WaitGroup
	stop := make(chan struct{})
	for range 3 {
		clients.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				acknowledged.add(submitOneOrder(t, shop, variant))
			}
		})
	}

	for len(acknowledged.list()) < 10 && !t.Failed() {
		time.Sleep(10 * time.Millisecond)
	}

	before := acknowledged.list()
	dir := t.TempDir()
	runPrinted(inst, dir, dump)
	close(stop)
	clients.Wait()
	after := acknowledged.list()

	restored := *inst
	restored.Database = databasetest.NewURL(t, database.Postgres)
	runPrinted(&restored, dir, restore)
	runPrinted(&restored, dir, analyze)

	r := apitest.ParseJSON[check.Report](t, restored.Run("check", "--json"))
	if !r.OK || r.Tables["stores"] != 1 || r.Tables["images"] != 1 {
		t.Errorf("the check of the restored database says %+v", r)
	}

	copied := restored.Serve("--no-background").Server(shop.Keys)
	for _, order := range before {
		if state := copied.Get("/v2/orders/" + order).Text("data.state"); state != "submitted" {
			t.Errorf("order %s, acknowledged before the dump, is %s", order, state)
		}
	}

	reserved := len(before)
	for _, order := range after[len(before):] {
		if one, err := copied.Try("GET", "/v2/orders/"+order, nil); err == nil && one.Status == 200 &&
			one.Text("data.state") == "submitted" {
			reserved++
		}
	}

	if events := r.Tables["events"]; events < int64(reserved) {
		t.Errorf("there are %d submitted orders and %d events", reserved, events)
	}

	t.Logf("%d orders were acknowledged before the dump, %d in the end, and %d of them are restored", len(before),
		len(after), reserved)
}

// submitOneOrder orders a thousandth of a piece, so that the stock suffices.
func submitOneOrder(t *testing.T, s *apitest.Server, variant string) string {
	r, err := s.Try("POST", "/v2/orders", `{"items": [{"variant_id": "`+variant+`", "quantity": 0.001}]}`)
	if err != nil || r.Status != 201 {
		t.Errorf("create an order: %v", err)
		return ""
	}
	order := r.Text("data.id")
	r, err = s.Try("POST", "/v2/orders/"+order+"/submit", `{"contact": {"name": "Anna", "phone": "+49 30 1234567"}}`)
	if err != nil || r.Status != 200 {
		t.Errorf("submit an order: %v", err)
	}
	return order
}

// printedCommand returns the printed command line that begins with a program.
func printedCommand(t *testing.T, p *apitest.Process, program string) string {
	t.Helper()
	for line := range strings.Lines(p.Stderr.String()) {
		if command := strings.TrimSpace(line); strings.HasPrefix(command, program+" ") {
			return command
		}
	}
	t.Fatalf("no command begins with %s: %s", program, p.Stderr)
	return ""
}

// runPrinted runs a command as an operator does: in a shell, with the variable for the database.
func runPrinted(inst *apitest.Installation, dir, command string) {
	inst.T.Helper()
	programs, err := pgserver.Programs()
	if err != nil {
		inst.T.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", "-c", command)
	cmd.Dir = dir
	cmd.Env = []string{fmt.Sprintf("PATH=%s:%s", programs, os.Getenv("PATH")), "VITRINE_DATABASE=" + inst.Database}
	if out, err := cmd.CombinedOutput(); err != nil {
		inst.T.Fatalf("%s: %v: %s", command, err, out)
	}
}
