package orderui

import "testing"

func TestCSV_phonesKeepTheirPlusAndFormulasAreText(t *testing.T) {
	t.Parallel()
	got := string(csvTable{";", ","}.append(nil, "+79123456789", "+1+1", "=A1", "-5", "a;b",
		csvTable{";", ","}.number(15_000, 4)))
	if want := "+79123456789;'+1+1;'=A1;'-5;\"a;b\";1,5\n"; got != want {
		t.Errorf("the line is %q, want %q", got, want)
	}
}
