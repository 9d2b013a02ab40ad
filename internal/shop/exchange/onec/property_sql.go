package onec

import (
	"context"
	"errors"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const propertyNamesSQL = `
SELECT a.name, COALESCE((
	SELECT v.name
	FROM attribute_values v
	WHERE v.store_id = $1
	  AND v.attribute_key = a.key
	  AND v.external_id = $3), '')
FROM attributes a
WHERE a.store_id = $1
  AND a.kind = 'feature'
  AND a.external_id = $2`

// propertyNames returns the name of the feature with an external id, and the name of its value with an external id.
// What does not exist has an empty name.
func propertyNames(ctx context.Context, tx store.Tx, property, value string) (name, text string, err error) {
	err = database.QueryRow(ctx, tx, propertyNamesSQL, []any{property, value}, &name, &text)
	if errors.Is(err, database.ErrNoRows) {
		return "", "", nil
	}
	return name, text, err
}
