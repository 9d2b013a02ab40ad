package customer

import (
	"context"

	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// These statements select up to $4 customers with a contact address, but for one with the row key $3.
const (
	sameEmailSQL = `
SELECT ` + customerColumns + fromCustomersSQL + `
  AND LOWER(email) = $2
  AND email IS NOT NULL
  AND key <> $3
ORDER BY key
LIMIT $4`
	samePhoneSQL = `
SELECT ` + customerColumns + fromCustomersSQL + `
  AND phone = $2
  AND phone IS NOT NULL
  AND key <> $3
ORDER BY key
LIMIT $4`
)

// selectSameContact returns up to maxDuplicates customers for each address, but for one. A customer has at most four
// addresses.
func selectSameContact(
	ctx context.Context, tx store.Tx, addresses contact.Set, except int64,
) (list []Customer, err error) {
	for _, by := range []struct {
		sql       string
		addresses []string
	}{{sameEmailSQL, addresses.Emails()}, {samePhoneSQL, addresses.Phones()}} {
		for _, address := range by.addresses {
			err := database.QueryEach(ctx, tx, by.sql, []any{address, except, int64(maxDuplicates)},
				database.AppendScanned(&list, scanCustomer))
			if err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}
