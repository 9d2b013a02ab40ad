package customer

import (
	"fmt"
	"testing"
	"time"

	"vitrine/internal/kit/fault"
)

// A store sends a limited number of codes in an hour, and fewer to the phones of one country, whatever address the
// requests come from.
func TestL8_codesAreLimitedByStoreAndCountry(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.CodesPerHour, f.CodesPerStore, f.CodesPerCountry = 5, 6, 2

		want := func(address, code string, wait time.Duration) {
			f.Helper()
			_, err := f.requestLogin(address)
			if code == "" {
				if err != nil {
					f.Errorf("%s: %v", address, err)
				}
				return
			}

			if got := f.expectFault(err, fault.TooMany, code); got != wait {
				f.Errorf("%s: wait %s, want %s", address, got, wait)
			}
		}

		want("+37120000001", "", 0)
		f.Clock.Advance(time.Minute)
		want("+37120000002", "", 0)
		f.Clock.Advance(time.Minute)
		want("+37120000003", "too_many_codes_in_country", 58*time.Minute)
		want("+37060000001", "", 0) // another country

		for i := range 3 {
			want(fmt.Sprintf("victim+%d@shop.example", i), "", 0)
		}

		want("victim+9@shop.example", "too_many_codes_in_store", 58*time.Minute)
		want("+37060000002", "too_many_codes_in_store", 58*time.Minute)

		if byStore, byCountry := f.RefusedCodes(); byStore != 2 || byCountry != 1 {
			f.Errorf("counted %d and %d refused codes, want 2 and 1", byStore, byCountry)
		}

		f.Clock.Advance(58 * time.Minute)
		want("+37120000003", "", 0)
		want("+37120000004", "too_many_codes_in_store", time.Minute)

		f.CodesPerStore, f.CodesPerCountry = 0, 0
		want("+37120000004", "", 0)
	})
}
