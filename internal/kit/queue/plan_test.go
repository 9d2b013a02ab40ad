package queue

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// planFixture is a queue for tests of planLanes. The test supplies the rows that a poll would read.
type planFixture struct {
	*Queue
	now   time.Time
	other nodeID
}

func newPlanFixture() *planFixture {
	p := &planFixture{Queue: New(Deps{Now: time.Now},
		bytesKind{Name: "kind", LaneSlots: 2, NodeSlots: 8,
			Decode: decodeBytes, Run: func(context.Context, *bytesTask) error { return nil }}), now: time.Now()}
	p.membership.node[0], p.other[0] = 1, 2
	return p
}

// addLanes makes this node lease lanes.
func (p *planFixture) addLanes(names ...string) {
	for _, n := range names {
		p.kinds["kind"].addLane(context.Background(), lease{laneName: laneName{"kind", n}, node: p.membership.node})
	}
}

// planFor returns the plan for lanes with due jobs. waiting maps each lane to the node that leases it, or to nil.
func (p *planFixture) planFor(waiting map[string]*nodeID, nodes ...registeredNode) lanePlan {
	due := p.now.UnixMicro()
	var all []waitingLane
	for _, name := range slices.Sorted(maps.Keys(waiting)) {
		all = append(all, waitingLane{laneName: laneName{"kind", name}, firstDue: &due, node: waiting[name]})
	}
	got := p.poller.planLanes(all, nodes, p.now)
	slices.SortFunc(got.claim, func(a, b laneName) int { return strings.Compare(a.lane, b.lane) })
	return got
}

func joinLanes(names []laneName) string {
	var all []string
	for _, n := range names {
		all = append(all, n.lane)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func TestPlanLanes_claimsAllLanesWhenAlone(t *testing.T) {
	p := newPlanFixture()
	got := p.planFor(map[string]*nodeID{"a": nil, "b": nil, "c": nil})
	if joinLanes(got.claim) != "a b c" || got.freeOrphans || len(got.release) > 0 {
		t.Errorf("plan is %+v", got)
	}
}

func TestPlanLanes_claimsFairShareThenUnclaimedLanes(t *testing.T) {
	p := newPlanFixture()
	other := registeredNode{p.other, p.now.Add(time.Hour).UnixMicro(), 0}
	waiting := map[string]*nodeID{"a": nil, "b": nil, "c": nil, "d": nil}
	got := p.planFor(waiting, other)
	if len(got.claim) != 2 {
		t.Fatalf("beside another node the plan claims %v, want two lanes", got.claim)
	}

	for _, l := range got.claim {
		p.addLanes(l.lane)
		waiting[l.lane] = &p.membership.node
	}

	if got := p.planFor(waiting, other); len(got.claim) != 0 {
		t.Errorf("a node with its share claims %v, want none", got.claim)
	}

	p.now = p.now.Add(p.timings.handoverTimeout)
	if got := p.planFor(waiting, other); len(got.claim) != 2 {
		t.Errorf("after the handover timeout the plan claims %v, want both unclaimed lanes", got.claim)
	}

	for name := range waiting {
		if waiting[name] == nil {
			waiting[name] = &p.other
		}
	}

	if got := p.planFor(waiting, other); len(got.claim) != 0 {
		t.Errorf("the plan claims lanes of another node: %v", got.claim)
	}
}

func TestPlanLanes_freesLanesOfDeadNodes(t *testing.T) {
	p := newPlanFixture()
	dead := registeredNode{p.other, p.now.Add(-time.Second).UnixMicro(), 1}
	if got := p.planFor(map[string]*nodeID{"a": &p.other}, dead); !got.freeOrphans || joinLanes(got.claim) != "a" {
		t.Errorf("plan for a node whose lease has expired: %+v", got)
	}
	if got := p.planFor(map[string]*nodeID{"a": &p.other}); !got.freeOrphans || joinLanes(got.claim) != "a" {
		t.Errorf("plan for a node whose row is gone: %+v", got)
	}
}

// A commit with an unknown outcome may have claimed the lane, or may have failed to release it.
func TestPlanLanes_reclaimsOwnLaneMissingFromMemory(t *testing.T) {
	p := newPlanFixture()
	if got := p.planFor(map[string]*nodeID{"a": &p.membership.node}); joinLanes(got.release) != "a" ||
		joinLanes(got.claim) != "a" {
		t.Errorf("plan is %+v", got)
	}
}

func TestPlanLanes_releasesIdleAndSurplusLanes(t *testing.T) {
	p := newPlanFixture()
	p.addLanes("idle", "busy")
	waiting := map[string]*nodeID{"busy": &p.membership.node}
	if got := p.planFor(waiting); len(got.release) > 0 {
		t.Errorf("before the idle timeout the plan releases %v", got.release)
	}

	p.now = p.now.Add(p.timings.idleTimeout)
	if got := p.planFor(waiting); joinLanes(got.release) != "idle" {
		t.Errorf("after the idle timeout the plan releases %v, want idle", got.release)
	}

	p.addLanes("more")
	waiting["more"] = &p.membership.node
	c := p.kinds["kind"]
	for i, l := range []*leasedLane{c.lanes["busy"], c.lanes["more"]} {
		l.addTask(&Task{key: int64(2 * i), lane: l})
		l.addTask(&Task{key: int64(2*i + 1), lane: l})
	}

	running := c.startNext().lane
	p.addLanes("idle")
	other := registeredNode{p.other, p.now.Add(time.Hour).UnixMicro(), 0}
	if got := p.planFor(waiting, other); joinLanes(got.release) != "idle" {
		t.Errorf("beside another node the plan first releases %v, want idle", got.release)
	}
	if got := p.planFor(waiting, other); len(got.release) != 1 || got.release[0] == running.laneName {
		t.Errorf("beside another node the plan then releases %v, want the lane with no running job", got.release)
	}
}

func TestPlanLanes_keepsLaneWithLongRunningJobs(t *testing.T) {
	p := newPlanFixture()
	p.addLanes("a", "b")
	waiting := map[string]*nodeID{"a": &p.membership.node, "b": &p.membership.node}

	c := p.kinds["kind"]
	for i, l := range []*leasedLane{c.lanes["a"], c.lanes["b"]} {
		l.addTask(&Task{key: int64(i), lane: l})
		c.startNext()
	}

	draining := func() (n int) {
		for _, l := range c.lanes {
			if !l.drainingSince.IsZero() {
				n++
			}
		}
		return n
	}
	for i, want := range []int{1, 1, 1, 1, 0} { // one lane drains for two polls, then the other one, then none
		got := p.planFor(waiting, registeredNode{p.other, p.now.Add(time.Hour).UnixMicro(), 0})
		if len(got.release) > 0 || draining() != want {
			t.Errorf("poll %d: %d of two lanes are draining, want %d; the plan releases %v, want none", i, draining(),
				want, got.release)
		}
		p.now = p.now.Add(p.timings.handoverTimeout/2 + time.Millisecond)
	}
}
