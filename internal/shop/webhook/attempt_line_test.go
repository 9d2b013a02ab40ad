package webhook_test

import (
	"encoding/json"
	"log/slog"
	"testing"

	"vitrine/internal/shop/event"
)

// Each attempt has one line in the log: at WARN if it failed, else at INFO.
func TestAttempt_writesOneLineOfTheLog(t *testing.T) {
	logged := &safeList{}

	eachEngine(t, func(r *fixture) {
		good, bad := r.newReceiver(nil), r.newReceiver(nil)
		bad.respondWith(respondStatus(500))
		r.emit(event.OrderSubmitted, 1)
		r.waitForDeliveries(good.ID, "delivered 1")
		r.waitForDeliveries(bad.ID, "pending 1")
		lines := map[any]map[string]any{}

		for _, text := range logged.all() {
			var line map[string]any
			if err := json.Unmarshal([]byte(text), &line); err != nil {
				t.Fatal(err)
			}
			if line["delivered"] != nil {
				lines[line["receiver_id"]] = line
			}
		}

		for receiver, want := range map[string][3]any{
			good.ID.String(): {"INFO", true, 204.0}, bad.ID.String(): {"WARN", false, 500.0},
		} {
			line := lines[receiver]
			got := [3]any{line["level"], line["delivered"], line["status"]}
			if got != want || line["event_id"] == nil || line["attempt"] != 1.0 || line["duration_ms"] == nil ||
				line["store_id"] != r.Store.ID.String() {
				t.Errorf("the line of the attempt is %v, want %v", line, want)
			}
		}
	}, func(r *fixture) { r.log = slog.New(slog.NewJSONHandler(logged, nil)) })
}
