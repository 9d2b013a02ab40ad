package exchange

import (
	"encoding/base64"
	"fmt"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/export"
	"vitrine/internal/shop/store"
)

// exportMargin is how long before an export a transaction may have begun that was committed after it. The longest is
// that of a whole push.
const exportMargin = wholePushTimeout + 15*time.Minute

// exportCursor says what an export has read, so that a later one can tell what changed since.
type exportCursor struct {
	state export.ExportState
	at    time.Time // when the export began
}

// cursorFormat is the text of a cursor before it is encoded: a version of the format, the store, and the cursor.
const cursorFormat = "1 %s %d %d %d %d"

func (c exportCursor) text(storeID store.ID) string {
	text := fmt.Sprintf(cursorFormat, storeID, c.state.Version, c.state.ChangedAt, c.state.References, c.at.UnixMicro())
	return base64.RawURLEncoding.EncodeToString([]byte(text))
}

// changedSince returns the time since which transactions may have been committed that the export has not read, in
// microseconds.
func (c exportCursor) changedSince() int64 { return c.at.Add(-exportMargin).UnixMicro() }

// parseCursor parses the cursor of an export of this store.
func parseCursor(text string, storeID store.ID, now time.Time) (c exportCursor, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	var of string
	var at int64
	if err == nil {
		_, err = fmt.Sscanf(string(raw), cursorFormat, &of, &c.state.Version, &c.state.ChangedAt, &c.state.References,
			&at)
	}

	if err != nil || of != storeID.String() {
		return c, fault.New(fault.Malformed, "malformed_query",
			"changed_since must be the X-Export-Cursor of an earlier export of this store.")
	}

	c.at = time.UnixMicro(at).UTC()
	if c.at.Before(now.Add(exportMargin - catalog.DeletedIDRetention)) {
		return c, fault.New(fault.Gone, "cursor_expired", "The cursor is of %s. What was deleted is known for %d days "+
			"only: export everything, without changed_since.", c.at.Format(time.DateOnly),
			catalog.DeletedIDRetention/(24*time.Hour))
	}

	return c, nil
}
