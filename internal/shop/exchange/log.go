package exchange

import (
	"cmp"

	"vitrine/internal/shop/audit"
)

// Entry returns what the log says about a change of the run.
func (run *Run) Entry(action audit.Action) audit.Entry {
	return audit.Entry{Action: action,
		Object: audit.Object{Kind: "run", ID: run.ID.String(), Label: cmp.Or(run.FileName, run.Entity)}}
}
