package protection

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

const (
	// ScoreBuckets is the number of buckets of a Histogram. Each is a tenth of the scale from 0 to 1.
	ScoreBuckets = 10
	// scoreRetention is how long the counts of scores are kept.
	scoreRetention = 90 * 24 * time.Hour
	// flushScoresEvery is how long counts stay in memory. A node that crashes loses them.
	flushScoresEvery = 5 * time.Second
	// finalFlushTimeout limits the last flush, at shutdown.
	finalFlushTimeout = 5 * time.Second
)

// Histogram counts the scores of an action: bucket i has those from i/10 up to, but not including, (i+1)/10, and the
// last one has 1 as well.
type Histogram [ScoreBuckets]int64

// Total returns the number of scores.
func (h Histogram) Total() (n int64) {
	for _, count := range h {
		n += count
	}
	return n
}

// Below returns how many scores are in the buckets below a threshold. The scores in the bucket of a threshold that is
// no tenth do not count.
func (h Histogram) Below(threshold float64) (n int64) {
	for _, count := range h[:min(int(threshold*ScoreBuckets+1e-9), ScoreBuckets)] {
		n += count
	}
	return n
}

// scoreBucket returns the bucket of a score from 0 to 1.
func scoreBucket(score float64) int64 {
	return int64(max(0, min(score*ScoreBuckets+1e-9, ScoreBuckets-1)))
}

// scoreKey identifies a count of scores.
type scoreKey struct {
	storeID store.ID
	day     int64
	action  Action
	bucket  int64
}

func (k scoreKey) compare(other scoreKey) int {
	return cmp.Or(slices.Compare(k.storeID[:], other.storeID[:]), cmp.Compare(k.day, other.day),
		cmp.Compare(k.action, other.action), cmp.Compare(k.bucket, other.bucket))
}

// scoreBuffer counts scores until they are written, so that a request costs no database access for them. The zero value
// is ready to use.
type scoreBuffer struct {
	mu     sync.Mutex
	counts map[scoreKey]int64
}

func (b *scoreBuffer) add(counts map[scoreKey]int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.counts == nil {
		b.counts = make(map[scoreKey]int64, len(counts))
	}
	for key, n := range counts {
		b.counts[key] += n
	}
}

// drain returns the counts and empties the buffer.
func (b *scoreBuffer) drain() map[scoreKey]int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	drained := b.counts
	b.counts = nil
	return drained
}

func dayNumber(t time.Time) int64 { return t.Unix() / (24 * 60 * 60) }

// countScore counts the score of a decision.
func (s *Service) countScore(storeID store.ID, d Decision) {
	if d.Score == nil || !(*d.Score >= 0 && *d.Score <= 1) {
		return
	}
	s.scores.add(map[scoreKey]int64{{storeID, dayNumber(s.Now()), d.Action, scoreBucket(*d.Score)}: 1})
}

// flushScores writes the counts of scores. After a failure it puts them back into the buffer.
func (s *Service) flushScores(ctx context.Context) error {
	counts := s.scores.drain()
	if len(counts) == 0 {
		return nil
	}
	err := s.DB.Write(ctx, func(q database.Querier) error { return addScores(ctx, q, counts) })
	if err != nil {
		s.scores.add(counts)
	}
	return err
}

// Scores returns the scores of each action of a store in the last days. Those of the last few seconds may be missing.
func (s *Service) Scores(ctx context.Context, tx store.Tx, days int) (_ map[Action]Histogram, err error) {
	defer fault.AddContext(&err, "read the captcha scores of store %s", tx.StoreID())
	return selectScores(ctx, tx, dayNumber(s.Now())-int64(days)+1)
}
