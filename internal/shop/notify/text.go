package notify

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/outbound"
)

// Text is a message to a phone.
type Text struct {
	// ID tells this message from all others; one that is sent again keeps it.
	ID   string `json:"id"`
	To   string `json:"to"`
	Text string `json:"text"`
}

// Texter carries messages to phones.
type Texter interface {
	// Send returns nil once somebody else is responsible for the message; an *outbound.Error tells whether to try again.
	Send(ctx context.Context, t Text) error
	// CloseIdleConnections closes the connections that are kept for the next message.
	CloseIdleConnections()
}

// gatewayTime bounds a request to a gateway.
const gatewayTime = 15 * time.Second

// Gateway is a Texter that posts each message as JSON, {"id", "to", "text"}, to one address; 2xx is taken. Redirects are not followed.
type Gateway struct {
	guard   *outbound.Guard
	client  *http.Client
	address string
}

// NewGateway makes a gateway at an address that the guard allows; another is an Invalid fault that says what would be right.
func NewGateway(guard *outbound.Guard, address string) (*Gateway, error) {
	u, err := guard.CheckURL(address)
	if err != nil {
		return nil, err
	}
	return &Gateway{guard: guard, client: guard.Client(outbound.ClientConfig{Timeout: gatewayTime}), address: u.String()}, nil
}

// Send posts a message; see Texter.
func (g *Gateway) Send(ctx context.Context, t Text) error {
	body, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("write text message %s down: %w", t.ID, err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, g.address, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("send text message %s: %w", t.ID, err)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := g.client.Do(r)
	if err != nil {
		return outbound.AsError(err) // without the address, which may hold a secret
	}
	defer answer.Body.Close()
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return g.guard.StatusError(answer)
	}
	return nil
}

// CloseIdleConnections is what Texter says.
func (g *Gateway) CloseIdleConnections() { g.client.CloseIdleConnections() }
