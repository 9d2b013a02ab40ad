package main

import (
	"testing"

	"vitrine/internal/kit/database"
)

func TestStatusText_namesMigrationsAndNodes(t *testing.T) {
	changeMarks := database.Migration{Number: 34, Name: "change marks"}

	parkedJobs := database.Migration{Number: 35, Name: "parked jobs", Compatible: true}
	for _, c := range []struct {
		status database.SchemaStatus
		want   string
	}{
		{
			database.SchemaStatus{Version: 36, Known: 35},
			"The database has the schema 36 of a newer version; this program knows 35.\n",
		},
		{
			database.SchemaStatus{Version: 35, Known: 35},
			"The database has the schema 35, which is that of this program.\n",
		},
		{
			database.SchemaStatus{Version: 33, Known: 35, Pending: []database.Migration{changeMarks, parkedJobs},
				Nodes: []string{"a server (process 7)"}},
			`The database has the schema 33, and this program knows 35. Pending:
  34 change marks (not beside older nodes)
  35 parked jobs
Running: a server (process 7).
Stop all running nodes first: until then, this program refuses to migrate.
Run vitrine migrate, or start vitrine serve without --no-migrate.
`,
		},
		{
			database.SchemaStatus{Version: 34, Known: 35, Pending: []database.Migration{parkedJobs},
				Nodes: []string{"a server (process 7)"}},
			`The database has the schema 34, and this program knows 35. Pending:
  35 parked jobs
Running: a server (process 7).
Run vitrine migrate, or start vitrine serve without --no-migrate.
`,
		},
	} {
		if got := statusText(c.status); got != c.want {
			t.Errorf("the status %+v is\n%s\nwant\n%s", c.status, got, c.want)
		}
	}
}
