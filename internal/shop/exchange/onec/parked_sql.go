package onec

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// parkedFilesSQL lists the files of a store whose jobs are parked: there are few.
const parkedFilesSQL = `
SELECT ` + fileColumns + `
FROM commerceml_files
WHERE store_id = $1
  AND state = 'parked'
ORDER BY key`

func parkedFiles(ctx context.Context, tx store.Tx) (files []sessionFile, err error) {
	err = database.QueryEach(ctx, tx, parkedFilesSQL, nil, database.AppendScanned(&files, scanFile))
	return files, err
}
