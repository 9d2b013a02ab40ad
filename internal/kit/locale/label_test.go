package locale

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLabels_haveEveryLocale(t *testing.T) {
	for key, words := range labels {
		if diff := cmp.Diff(SupportedTags(), slices.Sorted(maps.Keys(words))); diff != "" {
			t.Errorf("%s (-supported +labels):\n%s", key, diff)
		}
	}
}
