package queue

import (
	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/database"
)

// notifyChannel is the channel on which the nodes of a database notify each other.
const notifyChannel = "vitrine_queue"

// maxNotifiedLanes is the largest number of lanes in one notification. Beyond it, every node polls all lanes.
const maxNotifiedLanes = 50

// notifyAllLanes is the notification that makes every node poll all lanes.
const notifyAllLanes = `{"unleased":true}`

// notification tells the other nodes what to poll for. It is a hint: a node that misses it polls within the poll
// interval.
type notification struct {
	// Added holds the lanes to which jobs were added. The node that leases a lane reads it.
	Added []lanePair `json:"added,omitzero"`
	// Resumed holds the lanes whose pause is to end.
	Resumed []lanePair `json:"resumed,omitzero"`
	// Unleased says that there may be lanes with jobs that no node leases. Every node polls all lanes.
	Unleased bool `json:"unleased,omitzero"`
}

// lanePair is a kind and a lane of it.
type lanePair [2]string

// pendingNotification is the content of the next notification. Its sets have at most maxNotifiedLanes+1 elements, which
// means more than maxNotifiedLanes: it may never be sent.
type pendingNotification struct {
	added, resumed map[laneName]bool
	unleased       bool
}

func newPendingNotification() pendingNotification {
	return pendingNotification{added: map[laneName]bool{}, resumed: map[laneName]bool{}}
}

// peers connects this queue with the queues of other nodes.
type peers struct {
	*core
	notifier *database.Notifier
	// pending is the next notification to other nodes. toRewind holds the lanes of this node to which other nodes have
	// added jobs since the last poll.
	pending  pendingNotification
	toRewind map[laneName]bool
}

func newPeers(shared *core) *peers {
	p := &peers{core: shared, pending: newPendingNotification(), toRewind: map[laneName]bool{}}
	p.notifier = p.DB.NewNotifier(database.NotifierConfig{
		Channel: notifyChannel, Outgoing: p.nextNotification, Incoming: p.notified, Connected: p.Wake,
	})
	return p
}

// notifyAdded notifies the nodes that lease the lanes of new jobs. It skips lanes that this node leases itself.
func (p *peers) notifyAdded(names []laneName) {
	p.mu.Lock()
	for _, name := range names {
		if p.kinds[name.kind].lanes[name.lane] == nil && len(p.pending.added) <= maxNotifiedLanes {
			p.pending.added[name] = true
		}
	}
	p.mu.Unlock()
	p.notifier.Wake()
}

// notifyResumed notifies the node that leases the lane that its pause is over.
func (p *peers) notifyResumed(name laneName) {
	p.mu.Lock()
	if len(p.pending.resumed) <= maxNotifiedLanes {
		p.pending.resumed[name] = true
	}
	p.mu.Unlock()
	p.notifier.Wake()
}

// notifyUnleased makes the other nodes look for lanes to claim.
func (p *peers) notifyUnleased() {
	p.mu.Lock()
	p.pending.unleased = true
	p.mu.Unlock()
	p.notifier.Wake()
}

// nextNotification returns the next payload of the notifier.
func (p *peers) nextNotification() string {
	p.mu.Lock()
	next := p.pending
	p.pending = newPendingNotification()
	p.mu.Unlock()

	n := notification{Added: lanePairs(next.added), Resumed: lanePairs(next.resumed), Unleased: next.unleased}
	if max(len(n.Added), len(n.Resumed)) > maxNotifiedLanes {
		return notifyAllLanes
	}
	if len(n.Added)+len(n.Resumed) == 0 && !n.Unleased {
		return ""
	}

	payload, err := json.Marshal(n)
	if err != nil || len(payload) > database.MaxPayload {
		return notifyAllLanes // the names of lanes are too long, or not valid UTF-8
	}

	return string(payload)
}

func lanePairs(set map[laneName]bool) (pairs []lanePair) {
	for name := range set {
		pairs = append(pairs, lanePair{name.kind, name.lane})
	}
	return pairs
}

// notified handles a notification of another node.
func (p *peers) notified(payload string) {
	var n notification
	if err := json.Unmarshal([]byte(payload), &n); err != nil {
		p.Wake() // the payload of another version of the program
		return
	}

	p.mu.Lock()
	read := false
	for _, pair := range n.Added {
		if ks := p.kinds[pair[0]]; ks != nil && ks.lanes[pair[1]] != nil {
			p.toRewind[laneName{pair[0], pair[1]}] = true
			read = true
		}
	}

	for _, pair := range n.Resumed {
		p.resumeLane(laneName{pair[0], pair[1]})
	}

	p.mu.Unlock()

	switch {
	case n.Unleased || len(n.Resumed) > 0:
		p.Wake()
	case read:
		wakeQueueLoop(p.refill)
	}
}

// rewindNotified makes the next fetch read the lanes to which other nodes have added jobs. Only the poll loop calls it,
// because a fetch that is running would set the cursors of these lanes again. The caller holds mu.
func (p *peers) rewindNotified() {
	for name := range p.toRewind {
		if l := p.kinds[name.kind].lanes[name.lane]; l != nil {
			l.bufferFor(false).rewind()
			l.bufferFor(true).rewind()
		}
	}
	clear(p.toRewind)
}
