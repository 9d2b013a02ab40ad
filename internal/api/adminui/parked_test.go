package adminui_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
)

// parkRun makes a run look as if processes died while they applied it.
func (s *fixture) parkRun(runID string, jobKey int64) {
	s.t.Helper()
	s.Write(func(ctx context.Context, q database.Querier) error {
		tx := store.In(q, s.store.StoreID)
		var key int64
		const newestSQL = `SELECT MAX(key) FROM exchange_runs WHERE store_id = $1`
		if err := database.QueryRow(ctx, tx, newestSQL, nil, &key); err != nil {
			return err
		}
		const failSQL = `UPDATE exchange_runs SET status = 'failed', problem_code = 'parked', problem = 'Set aside.' WHERE store_id = $1 AND key = $2`
		if err := database.Exec(ctx, tx, failSQL, key); err != nil {
			return err
		}
		storeID := s.store.StoreID.Bytes()
		payload := binary.BigEndian.AppendUint64(storeID[:], uint64(key))
		const parkSQL = `INSERT INTO parked_jobs (key, kind, lane, unique_name, payload, asked, created_at, owner, deaths, parked_at) VALUES ($1, 'exchange.run', $2, $3, $4, 1, 1, $2, 3, 2)`
		return database.Exec(ctx, q, parkSQL, jobKey, s.store.StoreID.String(), runID, payload)
	})
}

func TestParked_isShownAndTriedAgain(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	v := s.owner()
	v.get("/settings/jobs").wantStatus(200).wantHTML().contains("Nothing was set aside")
	run := s.OK(200, "POST", "/v2/sync-gate/"+s.store.ExchangeToken+"/categories", `{"payload": [{"id": 1, "name": "Shoes"}]}`,
		apitest.As("")).Text("data.id")
	s.parkRun(run, 1_000_001)

	viewer := s.signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
	viewer.get("/settings/jobs").wantStatus(200).wantHTML().contains("/exchange/" + run).omits("Try again")
	viewer.post("/settings/jobs/1000001/retry", nil).wantStatus(403)
	v.get("/exchange").wantStatus(200).wantHTML().contains(`id="parked"`)
	v.get("/exchange/"+run).wantStatus(200).wantHTML().contains("Set aside.", `action="/exchange/`+run+`/retry"`)
	v.post("/settings/jobs/5/retry", nil).wantStatus(404)
	v.post("/exchange/"+run+"/retry", nil).wantStatus(303)
	v.post("/exchange/"+run+"/retry", nil).wantStatus(409)
	v.get("/settings/jobs").contains("Nothing was set aside")
	v.get("/settings/log").contains("Push tried again")

	s.parkRun(run, 1_000_002)
	v.post(fmt.Sprintf("/settings/jobs/%d/discard", 1_000_002), nil).wantStatus(303)
	v.get("/settings/jobs").contains("Nothing was set aside")
	v.get("/exchange/" + run).contains("an operator has discarded it")
	v.get("/settings/log").contains("was discarded")
}
