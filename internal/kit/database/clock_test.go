package database_test

import (
	"log/slog"
	"testing"
	"time"

	"vitrine/internal/kit/database"
)

// A node whose clock is an hour ahead took the leases of the others for expired, and ran their jobs again.
func TestL5_nodesUseTheClockOfTheDatabase(t *testing.T) {
	t.Parallel()

	db := openPostgres(t, nil)
	for _, ahead := range []time.Duration{time.Hour, -25 * time.Hour, 0} {
		clock, err := database.NewClock(t.Context(), db, func() time.Time { return time.Now().Add(ahead) },
			slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}

		now := queryInt(t, db, "SELECT EXTRACT(EPOCH FROM clock_timestamp())::bigint")
		if off := clock.Now().Sub(time.Unix(now, 0)).Abs(); off > time.Minute {
			t.Errorf("with a clock that is %s ahead, the time is %s off", ahead, off)
		}
	}
}
