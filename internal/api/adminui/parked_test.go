package adminui_test

import (
	"fmt"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
)

func TestParked_isShownAndTriedAgain(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	v := s.owner()
	v.get("/settings/jobs").wantStatus(200).wantHTML().contains("Nothing was set aside")
	run := s.OK(200, "POST", "/v2/sync-gate/"+s.store.ExchangeToken+"/categories", `{"payload": [{"id": 1, "name": "Shoes"}]}`,
		apitest.As("")).Text("data.id")
	job := s.ParkRun(s.store.StoreID, run)

	viewer := s.signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
	viewer.get("/settings/jobs").wantStatus(200).wantHTML().contains("/exchange/" + run).omits("Try again")
	viewer.post(fmt.Sprintf("/settings/jobs/%d/retry", job), nil).wantStatus(403)
	v.get("/exchange").wantStatus(200).wantHTML().contains(`id="parked"`)
	v.get("/exchange/"+run).wantStatus(200).wantHTML().contains("Set aside.", `action="/exchange/`+run+`/retry"`)
	v.post("/settings/jobs/5/retry", nil).wantStatus(404)
	v.post("/exchange/"+run+"/retry", nil).wantStatus(303)
	v.post("/exchange/"+run+"/retry", nil).wantStatus(409)
	v.get("/settings/jobs").contains("Nothing was set aside")
	v.get("/settings/log").contains("Push tried again")

	v.post(fmt.Sprintf("/settings/jobs/%d/discard", s.ParkRun(s.store.StoreID, run)), nil).wantStatus(303)
	v.get("/settings/jobs").contains("Nothing was set aside")
	v.get("/exchange/" + run).contains("an operator has discarded it")
	v.get("/settings/log").contains("was discarded")
}
