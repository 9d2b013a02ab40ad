package inquiry

import "vitrine/internal/shop/store"

const (
	fromFeedbackSQL = `
FROM feedback
WHERE store_id = $1`
	fromCallbacksSQL = `
FROM callbacks
WHERE store_id = $1`
)

// These follow CandidatesSQL.
const (
	fromFeedbackCandidatesSQL = `
FROM c
CROSS JOIN LOOKUP (feedback t WHERE t.store_id = $1 AND t.key = c.found_key)
WHERE t.store_id = $1`
	fromCallbackCandidatesSQL = `
FROM c
CROSS JOIN LOOKUP (callbacks t WHERE t.store_id = $1 AND t.key = c.found_key)
WHERE t.store_id = $1`
)

// inquiryTable is the table of one kind of inquiries.
type inquiryTable struct {
	kind                 store.Searched
	from, fromCandidates string
}

var (
	feedbackTable = inquiryTable{store.SearchedFeedback, fromFeedbackSQL, fromFeedbackCandidatesSQL}
	callbackTable = inquiryTable{store.SearchedCallbacks, fromCallbacksSQL, fromCallbackCandidatesSQL}
)

// statement returns a statement that selects columns, up to its WHERE clause. If found is true, it reads the candidates
// of a search only.
func (t inquiryTable) statement(columns string, found bool) string {
	if !found {
		return "\nSELECT " + columns + t.from
	}
	return t.kind.CandidatesSQL() + "\nSELECT " + columns + t.fromCandidates
}
