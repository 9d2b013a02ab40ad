-- +goose Up
-- +compatible: older nodes save no default view while there is another one; one must be unmarked first.

-- Two requests at the same time cannot leave two default views. Of those that there are, the last one stays.
UPDATE list_views
SET is_default = FALSE
WHERE is_default = TRUE
  AND EXISTS (
	SELECT 1
	FROM list_views o
	WHERE o.store_id = list_views.store_id
	  AND o.list = list_views.list
	  AND o.is_default = TRUE
	  AND o.id > list_views.id
	  AND (o.operator_id = list_views.operator_id OR o.operator_id IS NULL AND list_views.operator_id IS NULL));
CREATE UNIQUE INDEX list_views_shared_default ON list_views (store_id, list)
	WHERE is_default = TRUE AND operator_id IS NULL;
CREATE UNIQUE INDEX list_views_own_default ON list_views (store_id, list, operator_id)
	WHERE is_default = TRUE AND operator_id IS NOT NULL;
