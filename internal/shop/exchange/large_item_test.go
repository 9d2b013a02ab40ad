package exchange

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/exchange/item"
)

// largeFeature returns a line with a feature of more than item.LargeBytes.
func largeFeature(id int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"id": "f%d", "name": "F", "values": [`, id)
	name := strings.Repeat("x", 200)
	for n := 0; b.Len() <= item.LargeBytes; n++ {
		fmt.Fprintf(&b, `{"id": "%d", "name": "%d %s"},`, n, n, name)
	}
	return strings.TrimSuffix(b.String(), ",") + "]}\n"
}

// Two pushes with large items, or one with several, held all of their values at once.
func TestPush_decodesOneLargeItemAtATime(t *testing.T) {
	if err := largeItems.Acquire(t.Context(), 1); err != nil { // another push has a large item
		t.Fatal(err)
	}

	body := largeFeature(1) + largeFeature(2) + `{"id": "f3", "name": "F", "values": []}` + "\n"
	e := &entityOf[catalog.AttributePush]{itemType: item.Feature()}
	begun, sizes := make(chan struct{}), make(chan []int)

	go func() {
		var list []int
		for b, err := range e.stream(t.Context(), item.NDJSON, io.NopCloser(strings.NewReader(body)), batchItems,
			&item.Ignored{}) {
			if err != nil {
				t.Error(err)
				break
			}

			if list = append(list, len(b.items())); len(list) == 1 {
				close(begun)
			}
			if len(list) < 3 && largeItems.TryAcquire(1) {
				t.Errorf("another large item may be decoded while item %d is applied", len(list))
				largeItems.Release(1)
			}
		}

		sizes <- list
	}()

	select {
	case <-begun:
		t.Error("a large item was decoded beside that of another push")
	case <-time.After(300 * time.Millisecond):
	}

	largeItems.Release(1)
	if got := fmt.Sprint(<-sizes); got != "[1 1 1]" {
		t.Errorf("batches of %s items, want each large item alone", got)
	}
	if !largeItems.TryAcquire(1) {
		t.Fatal("a push that has ended keeps others from decoding large items")
	}

	largeItems.Release(1)
}
