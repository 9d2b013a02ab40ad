package cache

import (
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"vitrine/internal/kit/memory"
)

func length(_ int, b []byte) int { return len(b) }

func TestCache_returnsWhatWasPut(t *testing.T) {
	c := New(1<<20, func(key string, v []byte) int { return len(key) + len(v) })
	if v, ok := c.Get("a"); ok {
		t.Errorf("an empty cache returned %q", v)
	}
	c.Put("a", []byte("1"))
	c.Put("b", []byte("2"))
	if v, ok := c.Get("a"); !ok || string(v) != "1" {
		t.Errorf("Get(a) = %q, %v", v, ok)
	}
	if v, ok := c.Get("b"); !ok || string(v) != "2" {
		t.Errorf("Get(b) = %q, %v", v, ok)
	}
}

func TestCache_keepsWhatIsUsedAndDropsTheRest(t *testing.T) {
	const entries = 100
	c := New(entries*(overhead+10), length)
	for i := range 10 * entries {
		c.Put(i, make([]byte, 10))
		if _, ok := c.Get(0); !ok {
			t.Fatalf("after %d entries the one that is read each time is gone", i+1)
		}
	}
	if _, ok := c.Get(1); ok {
		t.Error("an entry that was never read again is still there")
	}
}

func TestCache_refusesAValueThatWouldEvictMostOthers(t *testing.T) {
	c := New(1000, length)
	c.Put(1, make([]byte, 10))
	c.Put(2, make([]byte, 500))
	if _, ok := c.Get(2); ok {
		t.Error("a value of half of the budget was stored")
	}
	if _, ok := c.Get(1); !ok {
		t.Error("the small value was evicted")
	}
}

func TestCache_countsKeys(t *testing.T) {
	c := New(1000, func(key string, v []byte) int { return len(key) + len(v) })
	c.Put(strings.Repeat("k", 500), nil)
	if _, ok := c.Get(strings.Repeat("k", 500)); ok {
		t.Error("a key of half of the budget was stored")
	}
}

func TestCache_staysWithinItsBudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		budget := rapid.IntRange(200, 5000).Draw(t, "budget")
		owners := rapid.IntRange(1, 5).Draw(t, "owners")
		c := NewShared(memory.NewShare("cache", "", int64(budget)), length,
			func(key int) Owner { return Owner{byte(key % owners)} })
		stored := map[int]int{}

		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				key := rapid.IntRange(0, 50).Draw(t, "key")
				if _, ok := stored[key]; !ok {
					stored[key] = rapid.IntRange(0, 300).Draw(t, "size")
				}
				c.Put(key, make([]byte, stored[key]))
			},
			"get": func(t *rapid.T) {
				key := rapid.IntRange(0, 50).Draw(t, "key")
				if v, ok := c.Get(key); ok && len(v) != stored[key] {
					t.Fatalf("key %d has a value of %d bytes, want %d", key, len(v), stored[key])
				}
			},
			"": func(t *rapid.T) {
				total := 0
				for _, s := range c.sections {
					for _, generation := range []map[int][]byte{s.young, s.old} {
						for _, v := range generation {
							total += len(v) + overhead
						}
					}
				}

				if total != c.Size() {
					t.Fatalf("%d bytes are kept, the cache counts %d", total, c.Size())
				}
				if total > budget {
					t.Fatalf("%d bytes are kept, the budget is %d", total, budget)
				}
			},
		})
	})
}

func TestCache_isSafeForConcurrentUse(t *testing.T) {
	c := New(10_000, length)
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			for i := range 1000 {
				c.Put(i%100, make([]byte, 10))
				c.Get((i + 7) % 100)
			}
		})
	}
	running.Wait()
}

// One store whose visitors request ever new pages evicts its own pages, not those of the other stores.
func TestH4_oneOwnerCannotEvictTheOthers(t *testing.T) {
	const entries, others = 1000, 10
	share := memory.NewShare("page_cache", "lists", entries*(overhead+10))
	c := NewShared(share, length, func(key int) Owner { return Owner{byte(key >> 20)} })
	for owner := range others {
		for i := range 20 {
			c.Put((owner+1)<<20+i, make([]byte, 10))
		}
	}

	for i := range 20 * entries {
		c.Put(i, make([]byte, 10))
	}

	for owner := range others {
		for i := range 20 {
			if _, ok := c.Get((owner+1)<<20 + i); !ok {
				t.Fatalf("entry %d of owner %d was evicted by another owner", i, owner+1)
			}
		}
	}

	if share.Used() != int64(c.Size()) || share.Used() > share.Limit() {
		t.Errorf("the share shows %d of %d bytes, the cache has %d", share.Used(), share.Limit(), c.Size())
	}
}

// A store that is not visited any more does not keep its part of the cache.
func TestCache_evictsUnusedSections(t *testing.T) {
	c := NewShared(memory.NewShare("page_cache", "lists", 100*(overhead+10)), length,
		func(key int) Owner { return Owner{byte(key >> 20)} })
	c.Put(1<<20, make([]byte, 10))
	for i := range 100 * 2 * unusedRotations {
		c.Put(i, make([]byte, 10))
	}
	if _, ok := c.Get(1 << 20); ok {
		t.Error("the entry of an owner that is gone is still there")
	}
}
