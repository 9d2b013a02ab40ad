package productcache

import (
	"strings"
	"testing"
)

// exampleHead is how the JSON of a product begins.
var exampleHead = []byte(`{"id":"019a8269-6b00-7e21-9a07-7e8f9a0b1c07","external_id":null`)

func tagsOfList(products int) string {
	tags := listTags()
	for range products {
		tags.addProduct(exampleHead)
	}
	return string(tags.text)
}

func TestCacheTags_areAtMostFifty(t *testing.T) {
	tags := strings.Split(tagsOfList(250), ",")
	if len(tags) != 50 || tags[0] != "list" || tags[49] != "product-019a8269-6b00-7e21-9a07-7e8f9a0b1c07" {
		t.Errorf("a list of 250 products has %d tags, from %s to %s", len(tags), tags[0], tags[len(tags)-1])
	}
}

// A list is rendered often, so its tags are one buffer and one text, whatever they are.
func TestCacheTags_takeTwoAllocations(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { tagsOfList(50) }); n > 2 {
		t.Errorf("the tags of a list take %.0f allocations, want 2 at most", n)
	}
}

func BenchmarkCacheTags(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		tagsOfList(50)
	}
}
