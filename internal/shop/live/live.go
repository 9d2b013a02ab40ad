// Package live tells the pages of the administration that something has changed in a store: which lists, not what. It
// is fed with events after their commits, on this node and on others. What it tells may be lost, and is told again.
package live

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
)

// Topics is a set of lists that have changed.
type Topics uint8

// The lists.
const (
	Orders Topics = 1 << iota
	Inquiries
	Runs
	Deliveries

	all = Orders | Inquiries | Runs | Deliveries
)

// topicRules has the name of each list and the scope of those who see it.
var topicRules = []struct {
	topic Topics
	name  string
	needs access.Scope
}{
	{Orders, "orders", access.OrdersRead},
	{Inquiries, "inquiries", access.InquiriesRead},
	{Runs, "runs", access.CatalogRead},
	{Deliveries, "deliveries", access.WebhooksRead},
}

// Names returns the names of the lists that somebody may see, with blanks between them.
func (t Topics) Names(may func(access.Scope) bool) string {
	var names []string
	for _, rule := range topicRules {
		if t&rule.topic != 0 && may(rule.needs) {
			names = append(names, rule.name)
		}
	}
	return strings.Join(names, " ")
}

// topicsOf returns what an event of a type changes. An event may become deliveries, which receivers decide.
func topicsOf(eventType string) Topics {
	switch kind, _, _ := strings.Cut(eventType, "."); {
	case kind == "order":
		return Orders | Deliveries
	case eventType == event.CallbackSubmitted, eventType == event.FeedbackSubmitted:
		return Inquiries | Deliveries
	case eventType == event.ExchangeCompleted:
		return Runs | Deliveries
	}
	return Deliveries
}

// The bounds of subscriptions on a node.
const (
	MaxPerOperator = 6
	MaxInAll       = 1000
)

// channel is the channel on which the nodes of a database notify each other.
const channel = "vitrine_live"

// maxNotifiedStores is the number of stores in one notification.
const maxNotifiedStores = 100

// Hub passes changes on to subscriptions. It is safe for concurrent use.
type Hub struct {
	notifier *database.Notifier

	mu            sync.Mutex
	subscriptions map[*Subscription]bool
	outgoing      map[store.ID]Topics // for other nodes
	closed        bool
}

// New returns a hub that connects to the other nodes of the database in Run.
func New(db *database.DB) *Hub {
	h := &Hub{subscriptions: map[*Subscription]bool{}, outgoing: map[store.ID]Topics{}}
	h.notifier = db.NewNotifier(database.NotifierConfig{Channel: channel, Outgoing: h.nextPayload,
		Incoming: h.receive, Connected: h.missed})
	return h
}

// Run exchanges changes with the other nodes until ctx ends.
func (h *Hub) Run(ctx context.Context) error {
	h.notifier.Run(ctx)
	return nil
}

// Emitted passes on that an event of a type was committed in a store. It does not block.
func (h *Hub) Emitted(storeID store.ID, eventType string) {
	topics := topicsOf(eventType)
	h.mu.Lock()
	h.outgoing[storeID] |= topics
	h.mu.Unlock()
	h.publish(storeID, topics)
	h.notifier.Wake()
}

// publish marks the lists as changed for the subscriptions to a store.
func (h *Hub) publish(storeID store.ID, topics Topics) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subscriptions {
		if s.storeID == storeID {
			s.mark(topics)
		}
	}
}

// missed marks everything as changed: what other nodes sent before may be lost.
func (h *Hub) missed() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subscriptions {
		s.mark(all)
	}
}

// nextPayload returns the changes of up to maxNotifiedStores stores, as "id=topics" with blanks between them.
func (h *Hub) nextPayload() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var parts []string
	for storeID, topics := range h.outgoing {
		if len(parts) == maxNotifiedStores {
			break
		}
		parts = append(parts, storeID.String()+"="+strconv.Itoa(int(topics)))
		delete(h.outgoing, storeID)
	}
	return strings.Join(parts, " ")
}

// receive passes on the changes of another node. It ignores what it does not understand: the other node may have
// another version.
func (h *Hub) receive(payload string) {
	for part := range strings.FieldsSeq(payload) {
		text, number, _ := strings.Cut(part, "=")
		storeID, err := id.Parse[store.Store](text)
		topics, wrong := strconv.ParseUint(number, 10, 8)
		if err == nil && wrong == nil {
			h.publish(storeID, Topics(topics)&all)
		}
	}
}

// Subscription gets the changes of a store.
type Subscription struct {
	hub      *Hub
	storeID  store.ID
	operator access.OperatorID
	changed  chan struct{} // has room for one element
	topics   Topics        // guarded by the mutex of the hub
}

// Subscribe returns a subscription of an operator to the changes of a store, which must be closed. It reports false if
// the operator or the node has as many as allowed, or if the hub is closed.
func (h *Hub) Subscribe(storeID store.ID, operator access.OperatorID) (*Subscription, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	own := 0
	for s := range h.subscriptions {
		if s.operator == operator {
			own++
		}
	}
	if h.closed || own >= MaxPerOperator || len(h.subscriptions) >= MaxInAll {
		return nil, false
	}

	s := &Subscription{hub: h, storeID: storeID, operator: operator, changed: make(chan struct{}, 1)}
	h.subscriptions[s] = true
	return s, true
}

// mark adds changed lists. The mutex of the hub must be locked.
func (s *Subscription) mark(topics Topics) {
	s.topics |= topics
	select {
	case s.changed <- struct{}{}:
	default: // somebody is told already
	}
}

// Changed returns a channel that has an element after a change, and is closed when the hub is.
func (s *Subscription) Changed() <-chan struct{} { return s.changed }

// Take returns the lists that have changed since the last call.
func (s *Subscription) Take() Topics {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	topics := s.topics
	s.topics = 0
	return topics
}

// Close ends the subscription.
func (s *Subscription) Close() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	delete(s.hub.subscriptions, s)
}

// Close ends all subscriptions, so that their requests end before the server does.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for s := range h.subscriptions {
		close(s.changed)
		delete(h.subscriptions, s)
	}
}
