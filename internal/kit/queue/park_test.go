package queue

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/testkit/storetest"
)

// deadly makes jobs hang whose payloads say so, until the test lets the process die.
type deadly struct {
	f     *fixture
	began chan string
	mu    sync.Mutex
	done  []string
}

func newDeadly(f *fixture) *deadly { return &deadly{f: f, began: make(chan string, 100)} }

// run hangs if the payload begins with "hang", and ends otherwise.
func (d *deadly) run(ctx context.Context, t *bytesTask) error {
	if strings.HasPrefix(string(t.Payload), "hang") {
		d.began <- string(t.Payload)
		<-ctx.Done()
		return ctx.Err()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.done = append(d.done, string(t.Payload))
	return nil
}

func (d *deadly) isDone(payload string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Contains(d.done, payload)
}

// waitForStarts waits until n jobs hang, and returns them, sorted.
func (d *deadly) waitForStarts(n int) (payloads []string) {
	d.f.Helper()
	for range n {
		select {
		case p := <-d.began:
			payloads = append(payloads, p)
		case <-time.After(20 * time.Second):
			d.f.Fatalf("timed out: %d of %d jobs have started: %v", len(payloads), n, payloads)
		}
	}
	slices.Sort(payloads)
	return payloads
}

// start runs a process that does not notice when others believe it dead.
func (f *fixture) start(kinds ...bytesKind) *Queue {
	q := f.node(kinds...)
	q.timings.renewInterval = time.Hour
	f.run(q)
	return q
}

// kill makes a process dead for the others: it neither polls nor writes results any more.
func (f *fixture) kill(q *Queue) {
	q.mu.Lock()
	q.membership.node = nodeID{}
	q.mu.Unlock()
	f.Clock.Advance(q.timings.leaseDuration + time.Second)
}

// An ordered job that kills three processes is parked. The next job of its lane runs, and nothing is lost.
func TestPark_afterThreeDeaths(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		d := newDeadly(f)
		var parked, unparked []string

		kind := bytesKind{Name: "kind", LaneSlots: 1, NodeSlots: 4, InOrder: true, Run: d.run,
			Owner: func(p []byte) string { return "owner of " + string(p) },
			OnPark: func(_ context.Context, _ database.Querier, p []byte) error {
				parked = append(parked, string(p))
				return nil
			},
			OnUnpark: func(_ context.Context, _ database.Querier, p []byte) error {
				unparked = append(unparked, string(p))
				return nil
			}}

		q := f.start(kind)
		f.add(q, Job{Kind: "kind", Lane: "a", UniqueName: "poison", Payload: []byte("hang")})
		f.add(q, Job{Kind: "kind", Lane: "a", Payload: []byte("next")})
		for range 3 {
			d.waitForStarts(1)
			f.kill(q)
			if len(parked) > 0 || d.isDone("next") {
				f.Fatalf("parked %v or went on before the third death", parked)
			}
			q = f.start(kind)
		}

		f.Eventually("the job is parked", func() bool { return f.Count("parked_jobs") == 1 })
		f.Eventually("the next job has run", func() bool { return d.isDone("next") })
		f.Eventually("the statistics have it", func() bool { return q.Stats()[0].Parked == 1 && f.Count("jobs") == 0 })

		if n := f.Count("job_starts"); n != 0 {
			f.Errorf("%d starts are left, want none", n)
		}

		// Adding it again runs nothing. A retry begins from the start.
		f.add(q, Job{Kind: "kind", Lane: "a", UniqueName: "poison", Payload: []byte("hang")})
		if n := f.Count("jobs"); n != 0 {
			f.Errorf("adding a job whose name is parked added %d jobs", n)
		}

		var job ParkedJob

		f.WriteUnscoped(func(tx database.Querier) (err error) {
			list, err := q.Parked(f.Context(), tx, "owner of hang", "kind", 10)
			if err != nil || len(list) != 1 || list[0].Deaths != 3 || list[0].UniqueName != "poison" {
				return fmt.Errorf("parked: %+v %w", list, err)
			}
			if _, err := q.Unpark(f.Context(), tx, "another owner", list[0].Key); fault.KindOf(err) != fault.NotFound {
				return fmt.Errorf("another owner unparks it: %w", err)
			}

			job, err = q.Unpark(f.Context(), tx, "owner of hang", list[0].Key)
			return err
		})

		d.waitForStarts(1)
		if job.Lane != "a" || len(unparked) != 1 || f.Count("parked_jobs") != 0 {
			f.Errorf("unparked %+v with calls %v and %d rows left", job, unparked, f.Count("parked_jobs"))
		}
	})
}

// The only light job is parked after three deaths, too, although the first of its starts is not recorded.
func TestPark_onlyLightJob(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		d := newDeadly(f)
		kind := bytesKind{Name: "kind", LaneSlots: 8, NodeSlots: 64, Light: true, Run: d.run}
		q := f.start(kind)
		f.add(q, Job{Kind: "kind", Lane: "a", UniqueName: "x", Payload: []byte("hang")})

		for range 3 {
			d.waitForStarts(1)
			f.kill(q)
			q = f.start(kind)
		}

		f.Eventually("the job is parked", func() bool { return f.Count("parked_jobs") == 1 })

		// RunNow tries it again.
		f.WriteUnscoped(func(tx database.Querier) error {
			found, err := q.RunNow(f.Context(), tx, "kind", "a", []string{"x"})
			if err == nil && !found["x"] {
				err = fmt.Errorf("RunNow found %v", found)
			}
			return err
		})
		d.waitForStarts(1)
	})
}

// Ten deaths under load park no light job, although they never end, and lose none.
func TestPark_noLightJobAfterTenDeathsUnderLoad(t *testing.T) {
	for _, hanging := range []int{3, 30} {
		t.Run(fmt.Sprint(hanging), func(t *testing.T) {
			eachEngine(t, func(f *fixture) {
				d := newDeadly(f)
				kind := bytesKind{Name: "kind", LaneSlots: 8, NodeSlots: 64, Light: true, Run: d.run}
				q := f.start(kind)
				for i := range hanging {
					f.add(q, Job{Kind: "kind", Lane: "slow", Payload: fmt.Appendf(nil, "hang %d", i)})
				}

				for i := range 10 {
					f.add(q, Job{Kind: "kind", Lane: "fast", Payload: fmt.Append(nil, i)})
					d.waitForStarts(1)
					f.Eventually("the fast job is done", func() bool { return d.isDone(fmt.Sprint(i)) })
					f.kill(q)
					d.drain()
					q = f.start(kind)
				}

				d.waitForStarts(1)

				if jobs, parked := f.Count("jobs WHERE lane = 'slow'"),
					f.Count("parked_jobs"); jobs != int64(hanging) || parked != 0 {
					f.Errorf("%d jobs and %d parked, want %d and none", jobs, parked, hanging)
				}
			})
		})
	}
}

func (d *deadly) drain() {
	for len(d.began) > 0 {
		<-d.began
	}
}

// Of the jobs that run beside a deadly one, none is parked: light ones are never suspected, and heavy ones are cleared.
func TestPark_neighboursAreCleared(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		d := newDeadly(f)
		heavy := bytesKind{Name: "heavy", LaneSlots: 1, NodeSlots: 8, Run: d.run}
		light := bytesKind{Name: "light", LaneSlots: 8, NodeSlots: 64, Light: true, Run: d.run}
		q := f.start(heavy, light)

		for i := range 4 { // three of them end as soon as they run alone
			f.add(q, Job{Kind: "heavy", Lane: fmt.Sprint(i), Payload: fmt.Appendf(nil, "hang heavy %d", i)})
			f.add(q, Job{Kind: "light", Lane: fmt.Sprint(i), Payload: fmt.Appendf(nil, "hang light %d", i)})
		}

		d.waitForStarts(8)
		f.kill(q)
		f.exec("UPDATE jobs SET payload = $1 WHERE kind = 'heavy' AND lane <> '2'", []byte("good"))

		for range 2 {
			q = f.start(heavy, light)
			d.waitForStarts(5) // the light ones, and the deadly one as soon as its turn comes
			f.kill(q)
		}

		f.start(heavy, light)
		f.Eventually("the deadly job is parked", func() bool { return f.Count("parked_jobs") == 1 })

		if n := f.Count("parked_jobs WHERE kind = 'heavy' AND lane = '2'"); n != 1 {
			f.Error("another job was parked")
		}

		f.Eventually("the other heavy jobs are done", func() bool { return f.Count("jobs WHERE kind = 'heavy'") == 0 })
		if n := f.Count("jobs WHERE kind = 'light'"); n != 4 {
			f.Errorf("%d light jobs are left, want all 4", n)
		}
	})
}

func (f *fixture) exec(sql string, args ...any) {
	f.Helper()
	f.WriteUnscoped(func(tx database.Querier) error { return database.Exec(f.Context(), tx, sql, args...) })
}

// A job runs alone among the heavy ones before it can be parked, so that no other job can make it be parked.
func TestPark_lastChanceRunsAlone(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		d := newDeadly(f)
		kind := bytesKind{Name: "kind", LaneSlots: 1, NodeSlots: 8, Run: d.run}
		q := f.start(kind)
		f.add(q, Job{Kind: "kind", Lane: "victim", Payload: []byte("hang victim")})
		d.waitForStarts(1)

		for i := range 2 {
			f.kill(q)
			q = f.start(kind)
			if got := d.waitForStarts(1); got[0] != "hang victim" {
				f.Fatalf("%v runs in round %d", got, i)
			}
		}

		f.add(q, Job{Kind: "kind", Lane: "other", Payload: []byte("hang other")})
		time.Sleep(200 * time.Millisecond)

		if len(d.began) > 0 {
			f.Error("another job started beside one that has its last chance")
		}
	})
}

// Processes that stop in order are no deaths, however often they interrupt a job.
func TestPark_shutdownIsNoDeath(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		d := newDeadly(f)
		kind := bytesKind{Name: "kind", LaneSlots: 1, NodeSlots: 1, Run: d.run}
		for i := range 4 {
			q := f.node(kind)
			stop := f.run(q)
			if i == 0 {
				f.add(q, Job{Kind: "kind", Payload: []byte("hang")})
			}
			d.waitForStarts(1)
			stop()
		}

		if jobs, starts := f.Count("jobs"), f.Count("job_starts"); jobs != 1 || starts != 0 {
			f.Errorf("%d jobs and %d starts, want 1 and 0", jobs, starts)
		}
		if n := f.Count("node_deaths"); n != 0 {
			f.Errorf("%d nodes count as dead", n)
		}
	})
}

// A job that fails in the usual way is cleared of earlier deaths.
func TestPark_failureClears(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		d := newDeadly(f)
		kind := bytesKind{Name: "kind", LaneSlots: 1, NodeSlots: 1, Retries: []time.Duration{time.Hour}, Run: d.run}
		q := f.start(kind)
		f.add(q, Job{Kind: "kind", Payload: []byte("hang")})
		d.waitForStarts(1)
		f.kill(q)
		kind.Run = func(context.Context, *bytesTask) error { return fmt.Errorf("refused") }
		f.start(kind)
		f.Eventually("the failure is recorded", func() bool { return f.Count("jobs WHERE attempts = 1") == 1 })
		if n := f.Count("job_starts"); n != 0 {
			f.Errorf("%d starts are left", n)
		}
	})
}

// A node that could not renew its lease is not dead: when it is back, its jobs have not died.
func TestPark_nodeThatIsAliveRetractsItsDeath(t *testing.T) {
	f := newFixture(storetest.Open(t, database.Postgres))
	d := newDeadly(f)
	kind := bytesKind{Name: "kind", LaneSlots: 1, NodeSlots: 8, Run: d.run}
	first := f.start(kind)
	f.add(first, Job{Kind: "kind", Payload: []byte("hang")})
	d.waitForStarts(1)
	f.Clock.Advance(first.timings.leaseDuration + time.Second)
	second := f.node(kind)
	f.run(second)
	d.waitForStarts(1)

	if n := f.Count("job_starts WHERE died_at IS NOT NULL"); n != 1 {
		t.Fatalf("%d deaths are recorded, want 1", n)
	}
	if err := first.membership.renewLease(t.Context()); err != nil {
		t.Fatal(err)
	}
	if deaths, nodes := f.Count("job_starts WHERE died_at IS NOT NULL"), f.Count("node_deaths"); deaths+nodes != 0 {
		t.Errorf("%d deaths of jobs and %d of nodes are recorded, want none", deaths, nodes)
	}
}

// On PostgreSQL a job is parked only when its last death is certain.
func TestPark_waitsUntilTheLastDeathIsCertain(t *testing.T) {
	f := newFixture(storetest.Open(t, database.Postgres))
	d := newDeadly(f)
	kind := bytesKind{Name: "kind", LaneSlots: 1, NodeSlots: 8, Run: d.run}
	q := f.start(kind)
	f.add(q, Job{Kind: "kind", Payload: []byte("hang")})

	for range 2 {
		d.waitForStarts(1)
		f.kill(q)
		q = f.start(kind)
	}

	d.waitForStarts(1)
	f.kill(q)
	last := f.node(kind)
	last.timings.deathGrace = 10 * time.Second
	f.run(last)
	f.Eventually("the third death is recorded", func() bool {
		return f.Count("job_starts WHERE died_at IS NOT NULL") == 3
	})
	time.Sleep(200 * time.Millisecond)

	if f.Count("parked_jobs") != 0 {
		t.Error("the job was parked at once")
	}

	for range 3 { // in steps, so that the node renews its own lease in between
		f.Clock.Advance(4 * time.Second)
		time.Sleep(100 * time.Millisecond)
	}

	f.Eventually("the job is parked", func() bool { return f.Count("parked_jobs") == 1 })
}

// The log names what was parked.
func TestPark_logs(t *testing.T) {
	f := newFixture(storetest.Open(t, database.SQLite))
	d := newDeadly(f)
	kind := bytesKind{Name: "kind", LaneSlots: 1, NodeSlots: 8, Run: d.run, Decode: decodeBytes,
		Owner: func([]byte) string { return "a store" }}
	var log syncBuffer
	start := func() *Queue {
		q := New(Deps{DB: f.DB, Now: f.Clock.Now, Log: slog.New(slog.NewTextHandler(&log, nil))}, kind)
		q.timings.renewInterval = time.Hour
		q.timings.pollInterval = 20 * time.Millisecond
		f.run(q)
		return q
	}
	q := start()
	f.add(q, Job{Kind: "kind", Payload: []byte("hang")})

	for range 3 {
		d.waitForStarts(1)
		f.kill(q)
		q = start()
	}

	f.Eventually("the log has a line", func() bool {
		return strings.Contains(log.String(), `kind=kind owner="a store" lane="" id=1 deaths=3`)
	})
}

// syncBuffer is a buffer that is safe for concurrent use.
type syncBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// startWith is start with changed timings.
func (f *fixture) startWith(change func(t *timings), kinds ...bytesKind) *Queue {
	q := f.node(kinds...)
	q.timings.renewInterval = time.Hour
	change(&q.timings)
	f.run(q)
	return q
}

// killTwice adds a job that hangs and kills two processes in its middle. The next process gives it its last chance.
func (f *fixture) killTwice(d *deadly, kind bytesKind) {
	f.Helper()
	for i := range 2 {
		q := f.start(kind)
		if i == 0 {
			f.add(q, Job{Kind: "kind", Lane: "victim", Payload: []byte("hang victim")})
		}
		d.waitForStarts(1)
		f.kill(q)
	}
}

// wantStart waits until a job hangs, and fails if it is another one.
func (d *deadly) wantStart(payload string) {
	d.f.Helper()
	if got := d.waitForStarts(1); got[0] != payload {
		d.f.Fatalf("%q runs, want %q", got[0], payload)
	}
}

// A long job in its last chance keeps the others waiting only for a while. If the process dies while others are running
// beside it, the job is not parked. The next death in which it is alone parks it.
func TestPark_lastChanceIsAloneForAWhile(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		d := newDeadly(f)
		kind := bytesKind{Name: "kind", LaneSlots: 1, NodeSlots: 8, Run: d.run}
		f.killTwice(d, kind)

		q := f.startWith(func(t *timings) { t.aloneTime = 50 * time.Millisecond }, kind)
		d.wantStart("hang victim")
		f.add(q, Job{Kind: "kind", Lane: "other", Payload: []byte("hang other")})
		d.wantStart("hang other")
		f.kill(q)

		f.exec("UPDATE jobs SET payload = $1 WHERE lane = 'other'", []byte("other"))
		q = f.start(kind)
		d.wantStart("hang victim")

		if n := f.Count("job_starts WHERE died_at IS NOT NULL"); n != 3 || !d.isDone("other") {
			f.Errorf("%d deaths are recorded, want 3; the other job is done: %v", n, d.isDone("other"))
		}

		f.kill(q)

		f.start(kind)
		f.Eventually("the job is parked", func() bool { return f.Count("parked_jobs") == 1 })

		if n := f.Count("parked_jobs WHERE deaths = 4 AND lane = 'victim'"); n != 1 {
			f.Error("the parked job is not the one that died four times")
		}
	})
}

// A job that must run alone waits only for a while until others have ended, and runs beside them then.
func TestPark_lastChanceWaitsForAWhile(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		d := newDeadly(f)
		kind := bytesKind{Name: "kind", LaneSlots: 1, NodeSlots: 8, Run: d.run}
		f.killTwice(d, kind)

		f.exec("UPDATE jobs SET due_at = due_at + $1", time.Hour.Microseconds())
		q := f.startWith(func(t *timings) { t.aloneWait = 50 * time.Millisecond }, kind)
		f.add(q, Job{Kind: "kind", Lane: "other", Payload: []byte("hang other")})
		d.wantStart("hang other")
		f.exec("UPDATE jobs SET due_at = 1 WHERE lane = 'victim'")
		q.Wake()
		d.wantStart("hang victim")
		f.add(q, Job{Kind: "kind", Lane: "late", Payload: []byte("hang late")})
		d.wantStart("hang late")
	})
}

// A job that is never alone in its last chance is parked after ten deaths.
func TestPark_afterTenDeathsBesideOthers(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		d := newDeadly(f)
		kind := bytesKind{Name: "kind", LaneSlots: 1, NodeSlots: 8, Run: d.run}
		f.killTwice(d, kind)
		for i := range 8 {
			q := f.startWith(func(t *timings) { t.aloneTime = 0 }, kind)
			d.wantStart("hang victim")
			f.add(q, Job{Kind: "kind", Lane: "other", Payload: []byte("hang other")})
			d.wantStart("hang other")

			if n := f.Count("parked_jobs"); n != 0 {
				f.Fatalf("the job was parked after %d deaths", 2+i)
			}

			f.kill(q)
			f.exec("UPDATE jobs SET payload = $1 WHERE lane = 'other'", []byte("other"))
		}

		f.start(kind)
		f.Eventually("the job is parked", func() bool { return f.Count("parked_jobs WHERE deaths = 10") == 1 })
	})
}

// An attempt that was not made does not clear a job of its deaths: a deadly job that is postponed in between is parked.
func TestPark_postponedAttemptClearsNothing(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		d := newDeadly(f)
		kind := bytesKind{Name: "kind", LaneSlots: 1, NodeSlots: 1, Run: d.run}
		busy := kind
		var postponed sync.WaitGroup
		busy.Run = func(ctx context.Context, t *bytesTask) error {
			defer postponed.Done()
			return Postpone(time.Hour, fmt.Errorf("no room"))
		}
		q := f.start(kind)
		f.add(q, Job{Kind: "kind", Payload: []byte("hang")})

		for i := range 3 {
			d.waitForStarts(1)
			f.kill(q)

			if i == 2 {
				break
			}

			postponed.Add(1)
			stop := f.run(f.node(busy))
			postponed.Wait()
			stop()
			deaths := f.Count("job_starts WHERE died_at IS NOT NULL")

			running := f.Count("job_starts WHERE died_at IS NULL")
			if deaths != int64(i+1) || running != 0 {
				f.Fatalf("%d deaths and %d running starts are recorded, want %d and 0", deaths, running, i+1)
			}

			f.exec("UPDATE jobs SET due_at = 1")
			q = f.start(kind)
		}

		f.start(kind)
		f.Eventually("the job is parked", func() bool { return f.Count("parked_jobs") == 1 })
	})
}

// A node whose death another one has recorded meanwhile, and blamed jobs for, convicts no light job that was due.
func TestPark_deathIsBlamedOnce(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		d := newDeadly(f)
		kind := bytesKind{Name: "kind", LaneSlots: 1, NodeSlots: 8, Light: true, Run: d.run}
		q := f.start(kind)
		f.add(q, Job{Kind: "kind", Lane: "a", Payload: []byte("hang")})
		d.waitForStarts(1)
		q.mu.Lock()
		dead := q.membership.node
		q.mu.Unlock()

		// The row is as old as if the other transaction had committed after this one looked for the last death.
		f.WriteUnscoped(func(tx database.Querier) error {
			_, err := insertNodeDeaths(f.Context(), tx, []nodeID{dead}, f.Clock.Now().Add(-2*cautionPeriod))
			return err
		})
		f.WriteUnscoped(func(tx database.Querier) error {
			return q.membership.buryNodes(f.Context(), tx, []nodeID{dead}, f.Clock.Now(), func() error { return nil })
		})

		if n := f.Count("job_starts"); n != 0 {
			f.Errorf("%d deaths are recorded, want none", n)
		}
	})
}
