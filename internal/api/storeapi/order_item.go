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
	orderID := h.pathID(r)
	line := readBody(r, readOrderLine)
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		if err := h.admitLines(r, line.Size()); err != nil {
			return err
		}
		o, itemID, err := h.orders.AddItem(ctx, tx, r.Principal.Store, orderID, line,
			orderCaller(r, access.OrdersWrite))
		if err != nil {
			return err
		}
		out.Created(ordersPath + "/" + orderID.String() + "/items/" + itemID.String())
		h.respond(r, out, &o)
		return nil
	})
}

func (h orderHandlers) editItem(w http.ResponseWriter, r *httpapi.Request) error {
	orderID := h.pathID(r)
	itemID := itemPathID(r)
	quantity := readBody(r, readItemEdit)
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		o, err := h.orders.EditItem(ctx, tx, r.Principal.Store, orderID, itemID, quantity,
			orderCaller(r, access.OrdersWrite), r.IfMatch())
		if err == nil {
			h.respond(r, out, &o)
		}
		return err
	})
}

func (h orderHandlers) removeItem(w http.ResponseWriter, r *httpapi.Request) error {
	orderID := h.pathID(r)
	itemID := itemPathID(r)
	r.Query.Extras()
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		out.Status = http.StatusNoContent
		return h.orders.RemoveItem(ctx, tx, r.Principal.Store, orderID, itemID, orderCaller(r, access.OrdersWrite),
			r.IfMatch())
	})
}

func itemPathID(r *httpapi.Request) order.ItemID {
	return httpapi.PathID[order.Item](r, "item_id", "item")
}
