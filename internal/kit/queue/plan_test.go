package queue

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// planner is a queue whose looks are made up.
type planner struct {
	*Queue
	now   time.Time
	other nodeID
}

func newPlanner() *planner {
	p := &planner{Queue: New(Deps{Now: time.Now}, Kind{Name: "kind", Slots: 2, Total: 8, Run: func(context.Context, *Task) error { return nil }}), now: time.Now()}
	p.node[0], p.other[0] = 1, 2
	return p
}

// have gives this node lanes.
func (p *planner) have(names ...string) {
	for _, n := range names {
		p.kinds["kind"].addLane(context.Background(), lease{laneName: laneName{"kind", n}, node: p.node})
	}
}

// see makes a plan by lanes with work and their owners.
func (p *planner) see(waiting map[string]*nodeID, nodes ...registeredNode) lanePlan {
	due := p.now.UnixMicro()
	var all []waitingLane
	for _, name := range slices.Sorted(maps.Keys(waiting)) {
		all = append(all, waitingLane{laneName: laneName{"kind", name}, firstDue: &due, node: waiting[name]})
	}
	made := p.planLanes(all, nodes, p.now)
	slices.SortFunc(made.claim, func(a, b laneName) int { return strings.Compare(a.lane, b.lane) })
	return made
}

func laneNames(names []laneName) string {
	var all []string
	for _, n := range names {
		all = append(all, n.lane)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func TestPlan_takesEverythingWhenAlone(t *testing.T) {
	p := newPlanner()
	got := p.see(map[string]*nodeID{"a": nil, "b": nil, "c": nil})
	if laneNames(got.claim) != "a b c" || got.freeOrphans || len(got.release) > 0 {
		t.Errorf("planned %+v", got)
	}
}

func TestPlan_takesItsShareAndLaterWhatNobodyWants(t *testing.T) {
	p := newPlanner()
	other := registeredNode{p.other, p.now.Add(time.Hour).UnixMicro(), 0}
	waiting := map[string]*nodeID{"a": nil, "b": nil, "c": nil, "d": nil}
	got := p.see(waiting, other)
	if len(got.claim) != 2 {
		t.Fatalf("beside another node it takes %v", got.claim)
	}
	for _, l := range got.claim {
		p.have(l.lane)
		waiting[l.lane] = &p.node
	}
	if got := p.see(waiting, other); len(got.claim) != 0 {
		t.Errorf("with its share it takes %v", got.claim)
	}
	p.now = p.now.Add(p.timings.handoverTimeout)
	if got := p.see(waiting, other); len(got.claim) != 2 {
		t.Errorf("a while later it takes %v", got.claim)
	}
	for name := range waiting {
		if waiting[name] == nil {
			waiting[name] = &p.other
		}
	}
	if got := p.see(waiting, other); len(got.claim) != 0 {
		t.Errorf("of what another node has it takes %v", got.claim)
	}
}

func TestPlan_freesTheLanesOfNodesThatAreGone(t *testing.T) {
	p := newPlanner()
	dead := registeredNode{p.other, p.now.Add(-time.Second).UnixMicro(), 1}
	if got := p.see(map[string]*nodeID{"a": &p.other}, dead); !got.freeOrphans || laneNames(got.claim) != "a" {
		t.Errorf("with its lease at an end: %+v", got)
	}
	if got := p.see(map[string]*nodeID{"a": &p.other}); !got.freeOrphans || laneNames(got.claim) != "a" {
		t.Errorf("with its row gone: %+v", got)
	}
}

// A commit whose answer was lost may have taken the lane, or failed to give it back.
func TestPlan_takesALaneAnewThatItDoesNotKnowToBeItsOwn(t *testing.T) {
	p := newPlanner()
	if got := p.see(map[string]*nodeID{"a": &p.node}); laneNames(got.release) != "a" || laneNames(got.claim) != "a" {
		t.Errorf("planned %+v", got)
	}
}

func TestPlan_givesBackWhatIsIdleAndWhatIsMoreThanItsShare(t *testing.T) {
	p := newPlanner()
	p.have("idle", "busy")
	waiting := map[string]*nodeID{"busy": &p.node}
	if got := p.see(waiting); len(got.release) > 0 {
		t.Errorf("at once it gives back %v", got.release)
	}
	p.now = p.now.Add(p.timings.idleTimeout)
	if got := p.see(waiting); laneNames(got.release) != "idle" {
		t.Errorf("after a while it gives back %v", got.release)
	}

	p.have("more")
	waiting["more"] = &p.node
	c := p.kinds["kind"]
	for i, l := range []*leasedLane{c.lanes["busy"], c.lanes["more"]} {
		l.addTask(&Task{key: int64(2 * i), lane: l})
		l.addTask(&Task{key: int64(2*i + 1), lane: l})
	}
	running := c.startNext().lane
	p.have("idle")
	other := registeredNode{p.other, p.now.Add(time.Hour).UnixMicro(), 0}
	if got := p.see(waiting, other); laneNames(got.release) != "idle" {
		t.Errorf("beside another node it first gives back %v", got.release)
	}
	if got := p.see(waiting, other); len(got.release) != 1 || got.release[0] == running.laneName {
		t.Errorf("beside another node it then gives back %v", got.release)
	}
}

func TestPlan_keepsALaneWhoseJobsTakeLong(t *testing.T) {
	p := newPlanner()
	p.have("a", "b")
	waiting := map[string]*nodeID{"a": &p.node, "b": &p.node}
	c := p.kinds["kind"]
	for i, l := range []*leasedLane{c.lanes["a"], c.lanes["b"]} {
		l.addTask(&Task{key: int64(i), lane: l})
		c.startNext()
	}
	leaving := func() (n int) {
		for _, l := range c.lanes {
			if !l.drainingSince.IsZero() {
				n++
			}
		}
		return n
	}
	for i, want := range []int{1, 1, 1, 1, 0} { // one lane, then the other, then neither
		got := p.see(waiting, registeredNode{p.other, p.now.Add(time.Hour).UnixMicro(), 0})
		if len(got.release) > 0 || leaving() != want {
			t.Errorf("look %d: %d of two lanes are about to leave, want %d; %v leave", i, leaving(), want, got.release)
		}
		p.now = p.now.Add(p.timings.handoverTimeout/2 + time.Millisecond)
	}
}
