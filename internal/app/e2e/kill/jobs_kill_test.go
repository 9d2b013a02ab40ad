package kill

import (
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/client/onec"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/mail"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/bulk"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/promise"
	"vitrine/internal/testkit/storetest"
)

// killedJobs kills the program in the middle of jobs.
type killedJobs struct {
	t    *testing.T
	inst *installation
	args []string
	p    *apitest.Process
	keys apitest.Keys
	// hang makes the servers of the test answer nothing; began gets a value for each request or connection.
	hang  atomic.Bool
	began chan struct{}
	// killed has the kinds in whose middle the program was killed.
	killed map[string]bool
}

func (k *killedJobs) gate() gateClient { return gateClient{k.p.Server(k.keys), k.t} }

// hold reports a request to the test, and keeps it waiting if it has to.
func (k *killedJobs) hold(done <-chan struct{}) {
	if !k.hang.Load() {
		return
	}
	select {
	case k.began <- struct{}{}:
	default:
	}
	<-done
}

// holdRequest is hold until the client has left or the test ends.
func (k *killedJobs) holdRequest(r *http.Request, stopped <-chan struct{}) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-r.Context().Done():
		case <-stopped:
		}
	}()
	k.hold(done)
}

// kill kills the program when a job of a kind is running, three times, and waits until the job is parked.
func (k *killedJobs) kill(kind string, outside bool) {
	k.t.Helper()
	k.killed[kind] = true
	killed := int64(0) // when the process was killed last, in microseconds
	for i := range 3 {
		db := k.inst.openDB()
		if outside { // the first start of a light job is not recorded
			select {
			case <-k.began:
			case <-time.After(60 * time.Second):
				k.t.Fatalf("%s: no attempt %d", kind, i+1)
			}
		} else {
			storetest.Eventually(k.t, fmt.Sprintf("job %s is running for the %d. time", kind, i+1), func() bool {
				return apitest.CountRows(k.t, db,
					`SELECT COUNT(*) FROM job_starts s CROSS JOIN jobs j WHERE j.key = s.job_key AND j.kind = $1 `+
						`AND s.died_at IS NULL AND s.started_at > $2`,
					kind, killed) > 0
			})
		}

		k.p.Kill()
		killed = time.Now().UnixMicro()

		if n := apitest.CountRows(k.t, db, `SELECT COUNT(*) FROM jobs WHERE kind = $1`, kind); n == 0 {
			k.t.Fatalf("%s: the job ended before kill %d, so the test proves nothing", kind, i+1)
		}

		for len(k.began) > 0 {
			<-k.began
		}

		if err := db.Close(); err != nil {
			k.t.Error(err)
		}

		k.inst.expireLeases()
		k.p = k.inst.Serve(k.args...)
	}

	db := k.inst.openDB()
	defer db.Close()

	storetest.Eventually(k.t, "the job "+kind+" is parked", func() bool {
		return apitest.CountRows(k.t, db, `SELECT COUNT(*) FROM parked_jobs WHERE kind = $1`, kind) == 1
	})
	if n := apitest.CountRows(k.t, db, `SELECT COUNT(*) FROM parked_jobs`); n != 1 {
		k.t.Errorf("%d jobs are parked, want only that of %s", n, kind)
	}

	storetest.Eventually(k.t, "the log says that a job of "+kind+" was parked", func() bool {
		return strings.Contains(k.p.Stderr.String(), "a job was parked")
	})
}

// retry tries the parked job again with the command line, while the server runs.
func (k *killedJobs) retry(kind string) {
	k.t.Helper()
	if list := k.inst.Run("jobs", "list", "--store", k.keys.StoreID.String()); !strings.Contains(list, kind) {
		k.t.Errorf("vitrine jobs list does not have %s: %s", kind, list)
	}
	k.hang.Store(false)
	k.inst.Run("jobs", "retry", "--all", "--kind", kind)
	db := k.inst.openDB()
	defer db.Close()
	storetest.Eventually(k.t, "the job "+kind+" is done", func() bool {
		return apitest.CountRows(k.t, db,
			`SELECT (SELECT COUNT(*) FROM jobs WHERE kind = $1) + (SELECT COUNT(*) FROM parked_jobs)`, kind) == 0
	})
	k.hang.Store(true)
}

// core calls fn with the services of the command line on the database, beside the running server.
func (k *killedJobs) core(fn func(core *app.Core, q database.Querier) error) {
	k.t.Helper()
	core, err := app.Open(k.t.Context(), config.Storage{Data: k.inst.Data, Database: k.inst.Database},
		slog.New(slog.DiscardHandler))
	if err != nil {
		k.t.Fatal(err)
	}
	defer core.Close()
	if err := core.DB.Write(k.t.Context(), func(q database.Querier) error { return fn(core, q) }); err != nil {
		k.t.Fatal(err)
	}
}

// A job of any kind in whose middle the program is killed three times is parked. What it works on says so. When it is
// tried again, it does its work to the end.
func TestKill_jobOfEveryKindIsParkedAfterThreeDeaths(t *testing.T) {
	promise.OnlyThorough(t)
	t.Parallel()
	eachEngine(t, func(t *testing.T, inst *installation) {
		k := &killedJobs{t: t, inst: inst, began: make(chan struct{}, 100), killed: map[string]bool{}}
		k.hang.Store(true)
		stopped := make(chan struct{})
		t.Cleanup(func() { close(stopped) })
		smtp := k.mailServer(stopped)
		k.args = []string{"--dev", "--smtp", "smtp://" + smtp + "?from=shop@shop.example"}
		p, shop := inst.FirstRun(k.args...)
		k.p = p
		k.keys = shop.Keys

		k.testDelivery(stopped)
		k.testMessage()
		k.testEventMail()
		k.testImage(stopped)
		k.testPush()
		k.testBulk()
		k.testOneC()
		k.testAdoption()
		k.core(func(core *app.Core, _ database.Querier) error {
			for _, kind := range jobKinds(core.NewJobs()) {
				if !k.killed[kind] {
					t.Errorf("no job of the kind %s was killed: add one here", kind)
				}
			}
			return nil
		})
	})
}

// jobKinds returns the kinds of jobs that a queue knows, sorted.
func jobKinds(q *queue.Queue) (names []string) {
	for _, s := range q.Stats() {
		names = append(names, s.Kind)
	}
	slices.Sort(names)
	return names
}

// A parked job of any kind can be tried again with the command.
func TestJobs_commandKnowsEveryKind(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, database.SQLite, apitest.Alone())
	if got, want := jobKinds(s.App.Core.NewJobs()), jobKinds(s.App.Queue); !slices.Equal(got, want) {
		t.Errorf("the command knows the kinds %q, the server %q", got, want)
	}
}

func (k *killedJobs) testDelivery(stopped <-chan struct{}) {
	shop := k.p.Server(k.keys)
	receiver := startReceiver(k.t, shop, func(_ int, r *http.Request) int {
		k.holdRequest(r, stopped)
		return http.StatusNoContent
	})
	r := shop.DoAdmin("POST", "/api/store/webhook-receivers/"+receiver.id+"/test", `{"type": "order.submitted"}`)
	if r.Status >= 300 {
		k.t.Fatalf("sending a test returns %d %s", r.Status, r.Body)
	}

	k.kill("webhook.deliver", true)
	db := k.inst.openDB()
	defer db.Close()

	if n := apitest.CountRows(k.t, db, `SELECT COUNT(*) FROM deliveries WHERE status = 'dead'`); n != 1 {
		k.t.Errorf("%d deliveries are dead, want 1", n)
	}

	k.retry("webhook.deliver")
	if n := apitest.CountRows(k.t, db, `SELECT COUNT(*) FROM deliveries WHERE status = 'delivered'`); n != 1 {
		k.t.Errorf("%d deliveries are delivered, want 1", n)
	}
	if r := k.p.Server(k.keys).DoAdmin("DELETE", "/api/store/webhook-receivers/"+receiver.id, nil); r.Status >= 300 {
		k.t.Errorf("deleting the receiver returns %d %s", r.Status, r.Body)
	}
}

// mailServer starts a server that takes mail, or hangs after the first line.
func (k *killedJobs) mailServer(stopped <-chan struct{}) (address string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		k.t.Fatal(err)
	}
	k.t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go k.takeMail(conn, stopped)
		}
	}()
	return l.Addr().String()
}

func (k *killedJobs) takeMail(conn net.Conn, stopped <-chan struct{}) {
	defer conn.Close()

	done := make(chan struct{})
	go func() {
		<-stopped
		close(done)
	}()
	k.hold(done)
	fmt.Fprint(conn, "220 shop.example\r\n")
	data := false
	var line []byte
	b := make([]byte, 1)

	for {
		if _, err := io.ReadFull(conn, b); err != nil {
			return
		}
		if line = append(line, b[0]); b[0] != '\n' {
			continue
		}

		text := strings.TrimSpace(string(line))
		line = nil
		switch {
		case data && text == ".":
			data = false
			fmt.Fprint(conn, "250 ok\r\n")
		case data:
		case strings.EqualFold(text, "DATA"):
			data = true
			fmt.Fprint(conn, "354 go\r\n")
		case strings.EqualFold(text, "QUIT"):
			fmt.Fprint(conn, "221 bye\r\n")
			return
		default:
			fmt.Fprint(conn, "250 ok\r\n")
		}
	}
}

// unusedSender makes a notify.Service believe that mail is sent.
type unusedSender struct{ mail.Sender }

func (k *killedJobs) testMessage() {
	k.core(func(core *app.Core, q database.Querier) error {
		s := notify.New(notify.Deps{DB: core.DB, Vault: core.Vault, Queue: core.NewJobs(), Now: time.Now,
			Mail: unusedSender{}})
		return s.Send(k.t.Context(), store.In(q, k.keys.StoreID),
			notify.Message{From: "Shop", To: "anna@mail.example", Subject: "Hello", Text: "Hello."})
	})
	k.kill("mail.send", true)
	k.retry("mail.send")
}

// testEventMail submits an inquiry, of which a mail to the owner tells.
func (k *killedJobs) testEventMail() {
	v := &visitors{t: k.t}
	if done, err := v.sendFeedback(k.p.Server(k.keys)); err != nil || done == "" {
		k.t.Fatalf("the inquiry is not accepted: %v", err)
	}

	k.kill("mail.event", true)
	k.retry("mail.event")
}

func (k *killedJobs) testImage(stopped <-chan struct{}) {
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		k.holdRequest(r, stopped)
		_, _ = w.Write(apitest.PNG(7))
	}))
	k.t.Cleanup(host.CloseClientConnections)
	g := k.gate()
	g.OK(200, "POST", g.path("products"), `{"payload": [{"id": "picture", "name": "Lamp", "single_variant": true, `+
		`"variant_price": 1, "images": ["`+host.URL+`/lamp.png"]}]}`)
	k.kill("image.download", true)

	// Another push of the same picture does not start it again.
	g = k.gate()
	g.OK(200, "POST", g.path("products"), `{"payload": [{"id": "picture", "name": "Lamp 2", "single_variant": true, `+
		`"variant_price": 1, "images": ["`+host.URL+`/lamp.png"]}]}`)
	k.retry("image.download")
	storetest.Eventually(k.t, "the product has its picture", func() bool {
		return k.p.Server(k.keys).Get("/v2/products?with=images").Len("data.0.images") == 1
	})
}

func (k *killedJobs) testPush() {
	g := k.gate()
	all, next := testCatalog{3000, 1}, testCatalog{1, 2}
	for _, entity := range referencedEntities {
		g.OK(200, "POST", g.path(entity), all.payload(entity))
	}

	async := apitest.Header("Prefer", "respond-async")
	first := g.pushLines(202, strings.Join(all.paddedLines(), ""), async).Text("data.id")
	second := g.pushLines(202, next.ndjson(), async).Text("data.id")
	k.kill("exchange.run", false)
	g = k.gate()
	g.waitForEnd(second) // the next push of the store goes on

	run := g.run(first)
	if run.Text("data.status") != "failed" || run.Text("data.problem.code") != "parked" {
		k.t.Errorf("the run is %s", run.Body)
	}

	k.retry("exchange.run")

	if r := k.gate().waitForEnd(first); r.Text("data.status") != "completed" ||
		k.gate().runCount(r, "received") != 3000 {
		k.t.Errorf("the run is %s", r.Body)
	}
}

// slowUpdates makes each update of a table's rows take some milliseconds, so that a job which updates many is killed in
// the middle. The result undoes it.
func (k *killedJobs) slowUpdates(table string) (undo func()) {
	begin := []string{`CREATE TRIGGER slow BEFORE UPDATE ON ` + table + ` BEGIN
	SELECT COUNT(*) FROM (
		WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 10000)
		SELECT n FROM c);
END`}
	end := []string{`DROP TRIGGER slow`}
	if k.inst.Engine == database.Postgres {
		begin = []string{
			`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.002); RETURN NEW; ` +
				`END'`,
			`CREATE TRIGGER slow BEFORE UPDATE ON ` + table + ` FOR EACH ROW EXECUTE FUNCTION slow()`,
		}
		end = []string{`DROP TRIGGER slow ON ` + table, `DROP FUNCTION slow()`}
	}

	write := func(statements []string) {
		k.inst.WriteDB(func(q database.Querier) error {
			for _, sql := range statements {
				if _, err := q.Exec(k.t.Context(), sql); err != nil {
					return err
				}
			}
			return nil
		})
	}

	write(begin)
	return func() { write(end) }
}

func (k *killedJobs) testBulk() {
	undo := k.slowUpdates("products")

	k.core(func(core *app.Core, q database.Querier) error {
		var keys []int64
		err := database.QueryEach(k.t.Context(), q, `SELECT key FROM products WHERE store_id = $1 ORDER BY key`,
			[]any{k.keys.StoreID}, func(rows database.Rows) error {
				keys = append(keys, 0)
				return rows.Scan(&keys[len(keys)-1])
			})
		if err != nil {
			return err
		}

		changes := bulk.New(bulk.Deps{DB: core.DB, Queue: core.NewJobs(), Now: time.Now})
		_, err = changes.Start(k.t.Context(), store.In(q, k.keys.StoreID), bulk.Archive, bulk.Target{}, "Archive", keys)
		return err
	})

	k.kill("bulk", false)
	undo()
	db := k.inst.openDB()
	defer db.Close()

	if n := apitest.CountRows(k.t, db,
		`SELECT COUNT(*) FROM bulk_changes WHERE finished_at IS NULL AND failure <> ''`); n != 1 {
		k.t.Errorf("%d changes say that they stand still, want 1", n)
	}

	k.retry("bulk")

	if n := apitest.CountRows(k.t, db,
		`SELECT COUNT(*) FROM bulk_changes WHERE finished_at IS NOT NULL AND failure = ''`); n != 1 {
		k.t.Errorf("%d changes are finished, want 1", n)
	}
}

// testAdoption links the orders of a guest to the customer who has proven the address.
func (k *killedJobs) testAdoption() {
	k.hang.Store(false) // the mails about the orders are sent

	const guestOrders = 300
	shop := k.p.Server(k.keys)
	v := newVisitors(k.t, shop)
	for range guestOrders {
		if done, err := v.submitOrder(shop); err != nil || done == "" {
			k.t.Fatalf("the order is not accepted: %v", err)
		}
	}

	count := func(sql string) int { // without a connection that stays: kill waits until there is none
		db := k.inst.openDB()
		defer db.Close()
		return apitest.CountRows(k.t, db, sql)
	}
	storetest.Eventually(k.t, "the orders belong to a guest", func() bool {
		return count(`SELECT COUNT(*) FROM orders WHERE guest_key IS NOT NULL`) == guestOrders
	})

	undo := k.slowUpdates("orders")
	k.core(func(core *app.Core, q database.Querier) error {
		tx := store.In(q, k.keys.StoreID)
		c, err := customer.New(customer.Deps{DB: core.DB, Now: time.Now}).Register(k.t.Context(), tx, "+49301234567",
			customer.Edit{})
		if err != nil {
			return err
		}

		payload := slices.Concat(k.keys.StoreID[:], c.ID[:])
		return core.NewJobs().Add(k.t.Context(), q, queue.Job{Kind: "order.adopt", Lane: k.keys.StoreID.String(),
			UniqueName: c.ID.String(), Payload: payload})
	})

	k.kill("order.adopt", false)
	undo()
	k.retry("order.adopt")
	if n := count(`SELECT COUNT(*) FROM orders WHERE customer_key IS NOT NULL`); n != guestOrders {
		k.t.Errorf("%d orders belong to the customer, want %d", n, guestOrders)
	}
}

func (k *killedJobs) testOneC() {
	dir := k.t.TempDir()
	if err := onec.Generate(dir, onec.Generated{Goods: 4000, Offers: 2, Version: "2.08"}); err != nil {
		k.t.Fatal(err)
	}

	ended := make(chan error, 1)
	site := k.gate().oneC()
	go func() {
		ended <- site.Exchange(k.t.Context(), onec.Catalog{Directory: dir, Version: "2.08"})
	}()
	k.kill("exchange.commerceml", false)

	if err := <-ended; err == nil {
		k.t.Fatal("the exchange was over before the kill, so the test proves nothing")
	}

	db := k.inst.openDB()
	defer db.Close()

	if n := apitest.CountRows(k.t, db, `SELECT COUNT(*) FROM commerceml_files WHERE state = 'parked'`); n != 1 {
		k.t.Errorf("%d files are parked, want 1", n)
	}

	k.retry("exchange.commerceml")
	storetest.Eventually(k.t, "the goods of the file are there", func() bool {
		return apitest.CountRows(k.t, db,
			`SELECT COUNT(*) FROM exchange_runs WHERE entity = 'products' AND file_name <> '' `+
				`AND status = 'completed'`) > 0
	})
}

// Ten kills in a row under load, with a receiver that takes its time, lose and park no delivery.
func TestKill_tenTimesUnderLoadParksNoDelivery(t *testing.T) {
	promise.OnlyThorough(t)
	t.Parallel()
	eachEngine(t, func(t *testing.T, inst *installation) {
		p, shop := inst.FirstRun("--dev")
		c := newVisitors(t, shop)
		fast := startReceiver(t, shop, nil)

		// Slow only until the last kill: a fast machine submits more than a slow receiver takes in the time of a test.
		var killed atomic.Bool
		slow := startReceiver(t, shop, func(int, *http.Request) int {
			if !killed.Load() {
				time.Sleep(400 * time.Millisecond)
			}
			return http.StatusOK
		})

		for range 10 {
			c.start(t.Context(), p.Server(shop.Keys), 4, false)
			c.waitForMore(10)
			time.Sleep(rand.N(400 * time.Millisecond)) // kill the process at a random time
			p.Kill()
			c.wait.Wait()
			inst.expireLeases()
			p = inst.Serve("--dev")
		}
		killed.Store(true)

		db := inst.openDB()
		defer db.Close()

		storetest.Eventually(t, "all events are fanned out",
			func() bool { return apitest.CountRows(t, db, notFannedOutSQL) == 0 })
		c.verifyDelivered(inst, fast, slow)

		if n := apitest.CountRows(t, db, `SELECT COUNT(*) FROM parked_jobs`); n != 0 {
			t.Errorf("%d jobs were parked", n)
		}
	})
}
