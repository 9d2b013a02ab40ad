package locale

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLabels_haveTheSameKeysInEveryLocale(t *testing.T) {
	want := slices.Sorted(maps.Keys(labels["en"]))
	if tags := slices.Sorted(maps.Keys(labels)); !slices.Equal(tags, Supported()) {
		t.Errorf("labels for %v, supported are %v", tags, Supported())
	}
	for tag, words := range labels {
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(words))); diff != "" {
			t.Errorf("%s (-en +%s):\n%s", tag, tag, diff)
		}
	}
}
