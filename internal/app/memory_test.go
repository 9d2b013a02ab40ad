package app

import (
	"context"
	"testing"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/memory"
)

// Decoded images share a part of the memory: they wait for each other, and one that would take most of the memory of
// the process is refused.
func TestAdmitImages_waitsForOthersAndRefusesWhatNeverFits(t *testing.T) {
	budget := memory.NewBudget(memory.Config{Limit: 512 << 20, Search: -1})
	admit := admitImages(budget)
	release, err := admit(t.Context(), 200<<20) // more than the share: admitted alone
	if err != nil {
		t.Fatal(err)
	}
	if used := budget.Images.Used(); used != 200<<20 {
		t.Errorf("%d bytes are in use, want %d", used, 200<<20)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := admit(ended, 1); err == nil {
		t.Error("an image was admitted although the share is used up")
	}
	release()
	release, err = admit(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	release()
	if _, err := admit(t.Context(), 400<<20); fault.KindOf(err) != fault.TooLarge {
		t.Errorf("an image of 400 MiB with a limit of 512 MiB: %v, want fault.TooLarge", err)
	}
}
