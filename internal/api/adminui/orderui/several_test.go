package orderui

import (
	"errors"
	"testing"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/order"
)

// A failure that is no conflict stops the change of several orders; those before it stay changed.
func TestChangeEach_stopsAtAFailure(t *testing.T) {
	ids := []order.ID{id.New[order.Order](), id.New[order.Order](), id.New[order.Order](), id.New[order.Order]()}
	failure := errors.New("the disk is full")
	results := map[order.ID]error{ids[1]: fault.New(fault.Conflict, "wrong_state", "No."), ids[2]: failure}
	changed, left, err := changeEach(ids, func(orderID order.ID) (order.Order, error) {
		if orderID == ids[3] {
			t.Error("the order after the failure is changed")
		}
		return order.Order{ID: orderID}, results[orderID]
	})
	if len(changed) != 1 || changed[0].ID != ids[0] || len(left) != 1 || left[0] != ids[1] || !errors.Is(err, failure) {
		t.Errorf("changed %v, left %v, error %v", changed, left, err)
	}
}

// What is packed of all orders of a page fits the cookie of a message, and is read again.
func TestPackOrders_fitsACookie(t *testing.T) {
	var list []order.Order
	for range maxSeveral {
		list = append(list, order.Order{ID: id.New[order.Order](), Version: 123_456})
	}
	packed := packOrders(list)
	if len(packed) > 1500 {
		t.Errorf("%d orders take %d bytes", len(list), len(packed))
	}
	ids, versions, err := unpackOrders(packed)
	if err != nil || len(ids) != maxSeveral || ids[1] != list[1].ID || versions[list[1].ID] != 123_456 {
		t.Errorf("read %v, %v, %v", ids, versions, err)
	}
	if _, _, err := unpackOrders(packed + " " + packOrders([]order.Order{{ID: id.New[order.Order]()}})); err == nil {
		t.Error("more orders than those of a page are accepted")
	}
}
