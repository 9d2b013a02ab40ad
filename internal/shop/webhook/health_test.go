package webhook_test

import (
	"maps"
	"testing"
	"time"

	"vitrine/internal/shop/event"
	"vitrine/internal/shop/webhook"
)

func TestHealth_countsReceiversAndStrandedDeliveries(t *testing.T) {
	eachEngine(t, func(r *fixture) {
		healthy := r.newReceiver(nil)
		off := r.newReceiver(nil)
		gone := r.newReceiver(nil)
		failing := r.newReceiver(nil)
		r.setEnabled(off.ID, false)
		gone.respondWith(respondStatus(410))
		failing.respondWith(respondStatus(500))
		r.emit(event.OrderSubmitted, 1)
		r.waitForDeliveries(healthy.ID, "delivered 1")
		r.waitForDeliveries(off.ID, "held 0")
		r.waitForDeliveries(gone.ID, "held 1")
		r.waitForDeliveries(failing.ID, "pending 1")
		r.Eventually("the failing receiver is noted",
			func() bool { return r.loadReceiver(failing.ID).FailingSince != nil })

		h, err := r.Health(r.Context())
		if err != nil {
			t.Fatal(err)
		}
		disabled := map[string]int64{"": 1, webhook.DisabledGone: 1}
		if h.Receivers != 4 || h.Failing != 1 || !maps.Equal(h.Disabled, disabled) || h.Held != 2 || h.Dead != 0 {
			t.Errorf("the health is %+v", h)
		}
	})
}

func TestBacklogs_showTheReceiversWithTheOldestEvents(t *testing.T) {
	eachEngine(t, func(r *fixture) {
		good, bad := r.newReceiver(nil), r.newReceiver(nil)
		bad.respondWith(respondStatus(500))
		before := r.Clock.Now().Add(-time.Second)
		r.emit(event.OrderSubmitted, 1)
		r.waitForDeliveries(good.ID, "delivered 1")
		r.waitForDeliveries(bad.ID, "pending 1")
		node, _ := r.startNode() // it counts the jobs at its start
		r.Eventually("the failing receiver has a backlog", func() bool {
			list := node.Backlogs(20)
			return len(list) == 1 && list[0].ReceiverID == bad.ID.String() && list[0].Since.After(before)
		})

		if list := node.Backlogs(0); len(list) != 0 {
			t.Errorf("with a limit of 0 there are the backlogs %v", list)
		}
	})
}
