package storeapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

func (h orderHandlers) addItem(w http.ResponseWriter, r *httpapi.Request) error {
	orderID, err := h.pathID(r)
	if err != nil {
		return err
	}
	body, line, err := readBody(r, readNewItem)
	if err != nil {
		return err
	}
	defer body.Close()
	return r.Write(w, body, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		o, itemID, err := h.orders.AddItem(ctx, tx, r.Principal.Store, orderID, line,
			orderCaller(r, access.OrdersWrite))
		if err != nil {
			return err
		}
		out.Status = http.StatusCreated
		out.Location = ordersPath + "/" + orderID.String() + "/items/" + itemID.String()
		h.respond(r, out, &o)
		return nil
	})
}

func (h orderHandlers) editItem(w http.ResponseWriter, r *httpapi.Request) error {
	orderID, itemID, err := h.pathIDs(r)
	if err != nil {
		return err
	}
	body, quantity, err := readBody(r, readItemEdit)
	if err != nil {
		return err
	}
	defer body.Close()
	return r.Write(w, body, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		o, err := h.orders.EditItem(ctx, tx, r.Principal.Store, orderID, itemID, quantity,
			orderCaller(r, access.OrdersWrite), r.IfMatch())
		if err == nil {
			h.respond(r, out, &o)
		}
		return err
	})
}

func (h orderHandlers) removeItem(w http.ResponseWriter, r *httpapi.Request) error {
	orderID, itemID, err := h.pathIDs(r)
	if err != nil {
		return err
	}
	if _, err := r.Extras(); err != nil {
		return err
	}
	return r.Write(w, r.NoBody(), false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		out.Status = http.StatusNoContent
		return h.orders.RemoveItem(ctx, tx, r.Principal.Store, orderID, itemID, orderCaller(r, access.OrdersWrite),
			r.IfMatch())
	})
}

// pathIDs reads both ids of the path. The order id comes first, so that an invalid one is reported as an unknown order.
func (h orderHandlers) pathIDs(r *httpapi.Request) (order.ID, order.ItemID, error) {
	orderID, err := h.pathID(r)
	if err != nil {
		return orderID, order.ItemID{}, err
	}
	itemID, err := httpapi.PathID[order.Item](r, "item_id", "item")
	return orderID, itemID, err
}
