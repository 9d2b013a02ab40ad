package adminui_test

import (
	"context"
	"fmt"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

func TestParked_isShownAndTriedAgain(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	v := s.owner()
	v.get("/settings/jobs").wantStatus(200).wantHTML().contains("Nothing was set aside")
	run := s.OK(200, "POST", "/v2/sync-gate/"+s.store.ExchangeToken+"/categories",
		`{"payload": [{"id": 1, "name": "Shoes"}]}`,
		apitest.As("")).Text("data.id")
	job := s.ParkRun(s.store.StoreID, run)

	viewer := s.signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
	viewer.get("/settings/jobs").wantStatus(200).wantHTML().contains("/exchange/" + run).omits("Try again")
	viewer.post(fmt.Sprintf("/settings/jobs/%d/retry", job), nil).wantStatus(403)
	v.get("/exchange").wantStatus(200).wantHTML().contains(`id="parked"`)
	v.get("/exchange/"+run).wantStatus(200).wantHTML().contains("Set aside.", `action="/exchange/`+run+`/retry"`)
	viewer.post(fmt.Sprintf("/settings/jobs/%d/discard", job), nil).wantStatus(403)
	v.post("/settings/jobs/5/retry", nil).wantStatus(404)
	v.post("/exchange/"+run+"/retry", nil).wantStatus(303)
	v.post("/exchange/"+run+"/retry", nil).wantStatus(409)
	v.get("/settings/jobs").contains("Nothing was set aside")
	v.get("/settings/log").contains("Push tried again")
	storetest.EventuallyEqual(t, "the status of the run, whose body was not kept", "failed", func() string {
		return s.OK(200, "GET", "/v2/sync-gate/"+s.store.ExchangeToken+"/runs/"+run, nil,
			apitest.As("")).Text("data.status")
	})

	v.post(fmt.Sprintf("/settings/jobs/%d/discard", s.ParkRun(s.store.StoreID, run)), nil).wantStatus(303)
	v.get("/settings/jobs").contains("Nothing was set aside")
	v.get("/exchange/" + run).contains("an operator has discarded it")
	v.get("/settings/log").contains("was discarded")
}

// parkJob inserts a parked job of a kind. What it works on does not exist any more.
func (s *fixture) parkJob(key int64, kind string) {
	size := 24
	if kind == "bulk" {
		size = 32
	}
	s.Write(func(ctx context.Context, q database.Querier) error {
		return database.Exec(ctx, q,
			`INSERT INTO parked_jobs (key, kind, lane, payload, asked, created_at, owner, deaths, parked_at)
VALUES ($1, $2, 'a', $3, 1, 1, $4, 3, 2)`, key, kind, make([]byte, size), s.store.StoreID.String())
	})
}

// A manager may try again and discard the work of the catalogue, and an owner all of it. The page offers what a person
// may do.
func TestParked_needsTheRightOfTheWork(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	manager := s.signIn(s.newOperator(access.Manager), apitest.OperatorPassword)
	for i, c := range []struct {
		kind    string
		manager bool
	}{{"exchange.run", true}, {"exchange.commerceml", true}, {"image.download", true}, {"bulk", true},
		{"webhook.deliver", false}, {"mail.send", false}} {
		key := int64(2_000_000 + i)
		s.parkJob(key, c.kind)
		action := fmt.Sprintf("/settings/jobs/%d/", key)
		page := manager.get("/settings/jobs").wantStatus(200).wantHTML()

		if !c.manager {
			page.omits(action)
			manager.post(action+"retry", nil).wantStatus(403)
			manager.post(action+"discard", nil).wantStatus(403)
			continue
		}

		page.contains(action+"retry", action+"discard")
	}

	bulk := "/settings/jobs/2000003/"
	manager.post(bulk+"discard", nil).wantStatus(303)
	manager.get("/settings/jobs").omits(bulk)

	// A job of any kind can be discarded, also if what it works on is gone.
	v := s.owner()
	for _, key := range []int64{2_000_000, 2_000_001, 2_000_002, 2_000_004, 2_000_005} {
		v.post(fmt.Sprintf("/settings/jobs/%d/discard", key), nil).wantStatus(303)
	}

	v.get("/settings/jobs").contains("Nothing was set aside")
}

// The page of the pushes mentions only pushes and files of 1C that were set aside.
func TestParked_pushesDoNotMentionOtherWork(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	v := s.owner()
	s.parkJob(2_000_000, "webhook.deliver")
	v.get("/exchange").wantStatus(200).wantHTML().omits(`id="parked"`)
	s.parkJob(2_000_001, "exchange.commerceml")
	v.get("/exchange").wantStatus(200).wantHTML().contains(`id="parked"`)
}
