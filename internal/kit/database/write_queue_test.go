package database

import (
	"slices"
	"testing"
)

func TestWriteQueue_takesTurns(t *testing.T) {
	t.Parallel()
	q := newWriteQueue()
	for _, job := range []struct {
		owner string
		alone bool
	}{
		{"a", true}, {"a", true}, {"b", true}, {"a", false}, {"a", false}, {"a", false}, {"b", false}, {"c", false},
	} {
		q.add(&writeJob{owner: job.owner, writeMode: writeMode{alone: job.alone}})
	}

	var order []string
	take := func(job *writeJob) {
		name := job.owner.(string)
		if job.alone {
			name += " alone"
		}
		order = append(order, name)
	}
	for range 5 {
		take(q.next())
	}

	for job := q.nextShort(); job != nil; job = q.nextShort() {
		take(job)
	}

	q.close()
	if q.add(&writeJob{}) {
		t.Error("a closed queue accepts a write")
	}

	for job := q.next(); job != nil; job = q.next() {
		take(job)
	}

	want := []string{"a alone", "a", "b alone", "b", "a alone", "c", "a", "a"}
	if !slices.Equal(order, want) {
		t.Errorf("the order is %q, want %q", order, want)
	}
}
