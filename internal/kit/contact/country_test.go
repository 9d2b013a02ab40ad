package contact

import "testing"

func TestCountryPrefix(t *testing.T) {
	for phone, want := range map[string]string{
		"+493012345678": "+49", "+79161234567": "+7", "+77011234567": "+7", "+12025550123": "+1", "+18765550123": "+1",
		"+380441234567": "+380", "+35315550123": "+353", "+998901234567": "+998", "89161234567": National, "+4": "+4",
	} {
		if got := CountryPrefix(phone); got != want {
			t.Errorf("%s has the prefix %s, want %s", phone, got, want)
		}
	}
}
