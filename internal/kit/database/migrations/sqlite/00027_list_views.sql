-- +goose Up
-- +compatible: older nodes do not use the indexes and the table.

-- The submitted orders of a store by the total: all, and those in a state. The conditions differ as those of
-- orders_submitted and orders_state_submitted.
CREATE INDEX orders_total ON orders (store_id, total, key) WHERE number IS NOT NULL;
CREATE INDEX orders_state_total ON orders (store_id, state, total, key) WHERE submitted_at IS NOT NULL;

-- Saved views of the lists of the administration. A view belongs to an operator, or to all of them if operator_id is
-- NULL. query has the filters and the sort order as in the address of the list, and columns the names of the columns
-- that the list shows, with commas between them; all if it is empty. A list has at most one shared default view, and one
-- of each operator.
CREATE TABLE list_views (
	store_id    BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id          BLOB NOT NULL,
	list        TEXT NOT NULL,
	operator_id BLOB,
	name        TEXT NOT NULL,
	query       TEXT NOT NULL,
	columns     TEXT NOT NULL,
	is_default  INTEGER NOT NULL,
	version     INTEGER NOT NULL,
	PRIMARY KEY (store_id, id),
	FOREIGN KEY (store_id, operator_id) REFERENCES operators (store_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX list_views_list ON list_views (store_id, list, name, id);
CREATE INDEX list_views_operator ON list_views (store_id, operator_id) WHERE operator_id IS NOT NULL;
