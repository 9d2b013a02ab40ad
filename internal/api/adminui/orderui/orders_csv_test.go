package orderui

import "testing"

func TestCSV_phonesKeepTheirPlusAndFormulasAreText(t *testing.T) {
	t.Parallel()
	table := csvTable{separator: ";", point: ","}
	got := string(table.append(nil, "+79123456789", "+1+1", "=A1", "-5", "a;b", table.number(15_000, 4)))
	if want := "+79123456789;'+1+1;'=A1;'-5;\"a;b\";1,5\n"; got != want {
		t.Errorf("the line is %q, want %q", got, want)
	}
}
