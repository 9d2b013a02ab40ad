-- +goose Up
-- Not compatible with older nodes: orders that 1C takes from them would not be marked as taken.

-- Accounting has taken the order, and sets its goods aside: the sequence of the last event of the orders that it took
-- together. NULL if it has not. The submitted and confirmed orders of stores that exchange orders with 1C were taken,
-- unless the event of their submission is still to be given to it.
ALTER TABLE orders ADD COLUMN taken BIGINT;
UPDATE orders
SET taken = 0
WHERE state IN ('submitted', 'confirmed')
  AND EXISTS (SELECT 1 FROM commerceml_stores c WHERE c.store_id = orders.store_id AND c.sales_cursor > 0)
  AND NOT EXISTS (
	SELECT 1
	FROM events e
	WHERE e.store_id = orders.store_id
	  AND e.id = orders.submitted_event
	  AND e.sequence > (SELECT c.sales_cursor FROM commerceml_stores c WHERE c.store_id = orders.store_id));

-- The sales_cursor of the store when the file came: its quantities are free of the orders that were taken by then.
ALTER TABLE commerceml_files ADD COLUMN taken_up_to BIGINT NOT NULL DEFAULT 0;

-- Programs before this one cannot use the database.
UPDATE schema_compatibility SET oldest_program = 33;
