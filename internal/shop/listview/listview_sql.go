package listview

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

const viewColumns = `id, list, operator_id, name, query, columns, is_default, version`

const selectViewsSQL = `
SELECT ` + viewColumns + `
FROM list_views
WHERE store_id = $1
  AND list = $2
  AND (operator_id IS NULL OR operator_id = $3)
ORDER BY name, id`

const selectViewSQL = `
SELECT ` + viewColumns + `
FROM list_views
WHERE store_id = $1
  AND id = $2`

const selectAllViewsSQL = `
SELECT ` + viewColumns + `
FROM list_views
WHERE store_id = $1
ORDER BY list, id`

const forgetInViewsSQL = `
WITH r(id, name, query) AS (ROWS)
UPDATE list_views
SET name = r.name, query = r.query, version = list_views.version + 1
FROM r
WHERE (list_views.store_id = $1) IS TRUE
  AND list_views.id = r.id`

const insertViewSQL = `
INSERT INTO list_views (store_id, ` + viewColumns + `)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`

const updateViewSQL = `
UPDATE list_views
SET operator_id = $3, name = $4, query = $5, columns = $6, is_default = $7, version = $8
WHERE store_id = $1
  AND id = $2`

const clearSharedDefaultsSQL = `
UPDATE list_views
SET is_default = FALSE
WHERE store_id = $1
  AND list = $2
  AND id <> $3
  AND is_default = TRUE
  AND operator_id IS NULL`

const clearOwnDefaultsSQL = `
UPDATE list_views
SET is_default = FALSE
WHERE store_id = $1
  AND list = $2
  AND id <> $3
  AND is_default = TRUE
  AND operator_id = $4`

const deleteViewSQL = `
DELETE FROM list_views
WHERE store_id = $1
  AND id = $2`

func scanView(rows database.Rows) (v View, err error) {
	err = rows.Scan(&v.ID, (*string)(&v.List), &v.Owner, &v.Name, &v.Query, &v.Columns, &v.IsDefault, &v.Version)
	return v, err
}

func selectViews(ctx context.Context, tx store.Tx, list List, operator access.OperatorID) (views []View, err error) {
	err = database.QueryEach(ctx, tx, selectViewsSQL, []any{string(list), operator},
		database.AppendScanned(&views, scanView))
	return views, err
}

// selectAllViews returns the views of all operators of the store.
func selectAllViews(ctx context.Context, tx store.Tx) (views []View, err error) {
	err = database.QueryEach(ctx, tx, selectAllViewsSQL, nil, database.AppendScanned(&views, scanView))
	return views, err
}

// forgetInViews writes the names and queries of views.
func forgetInViews(ctx context.Context, tx store.Tx, views *database.Batch) error {
	return database.ExecRows(ctx, tx, forgetInViewsSQL, views)
}

// hasOtherDefault reports whether a view was not written because its owner has another default view.
func hasOtherDefault(err error) bool {
	return database.ViolatesIndex(err, "list_views_shared_default", "list_views.store_id, list_views.list") ||
		database.ViolatesIndex(err, "list_views_own_default",
			"list_views.store_id, list_views.list, list_views.operator_id")
}

// selectView returns a view, or fault.NotFound. lock is a locking clause of the dialect, or "".
func selectView(ctx context.Context, tx store.Tx, viewID ID, lock string) (View, error) {
	return store.SelectOne(ctx, tx, selectViewSQL+lock, []any{viewID}, "view", scanView)
}

func insertView(ctx context.Context, tx store.Tx, v View) error {
	return database.Exec(ctx, tx, insertViewSQL, v.ID, string(v.List), v.Owner, v.Name, v.Query, v.Columns,
		v.IsDefault, v.Version)
}

func updateView(ctx context.Context, tx store.Tx, v View) error {
	return database.Exec(ctx, tx, updateViewSQL, v.ID, v.Owner, v.Name, v.Query, v.Columns, v.IsDefault, v.Version)
}

// clearOtherDefaults makes all other views of the list and the same owner no default views.
func clearOtherDefaults(ctx context.Context, tx store.Tx, v View) error {
	if v.Owner == nil {
		return database.Exec(ctx, tx, clearSharedDefaultsSQL, string(v.List), v.ID)
	}
	return database.Exec(ctx, tx, clearOwnDefaultsSQL, string(v.List), v.ID, *v.Owner)
}

func deleteView(ctx context.Context, tx store.Tx, viewID ID) error {
	return database.Exec(ctx, tx, deleteViewSQL, viewID)
}
