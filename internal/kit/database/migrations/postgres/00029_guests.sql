-- +goose Up
-- +compatible: older nodes know no guests; while they run, orders that they change may be missing in the sums of guests.

-- A guest is somebody who has ordered without signing in, as the administration shows people. email and phone are those
-- of the first order. Nobody signs in as a guest.
ALTER TABLE customers ADD COLUMN guest BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX customers_guests ON customers (store_id, key) WHERE guest = TRUE;
CREATE INDEX customers_signing_in ON customers (store_id, key) WHERE guest = FALSE;

-- The row of customers under which the administration shows an order without customer_key: a guest, or a customer who
-- signs in with an address of the order. It gives nobody access. 0 for an order without address, NULL until it is known.
ALTER TABLE orders ADD COLUMN guest_key BIGINT;
CREATE INDEX orders_guest ON orders (store_id, guest_key, submitted_at, key) WHERE guest_key IS NOT NULL;
CREATE INDEX orders_unassigned ON orders (store_id, key)
	WHERE state <> 'draft' AND customer_key IS NULL AND guest_key IS NULL;
