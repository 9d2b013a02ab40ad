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

// TextMessage is a text message to a phone.
type TextMessage struct {
	// ID identifies the message; a retry has the same ID.
	ID   string `json:"id"`
	To   string `json:"to"`
	Text string `json:"text"`
}

// TextSender sends text messages.
type TextSender interface {
	// Send returns nil once the message is accepted. An *outbound.Failure tells whether a retry may succeed.
	Send(ctx context.Context, t TextMessage) error
	// CloseIdleConnections closes the idle keep-alive connections.
	CloseIdleConnections()
}

// gatewayTimeout is the timeout of a request to a gateway.
const gatewayTimeout = 15 * time.Second

// Gateway is a TextSender that posts each message as JSON, {"id", "to", "text"}, to one URL. A 2xx status means that
// the message is accepted. Redirects are not followed.
type Gateway struct {
	guard   *outbound.Guard
	client  *http.Client
	address string
}

// NewGateway returns a gateway. If the guard does not allow the URL, it returns an Invalid fault that says what is
// allowed.
func NewGateway(guard *outbound.Guard, address string) (*Gateway, error) {
	u, err := guard.CheckURL(address)
	if err != nil {
		return nil, err
	}
	return &Gateway{guard: guard, client: guard.Client(outbound.ClientConfig{Timeout: gatewayTimeout}),
		address: u.String()}, nil
}

// Send implements TextSender.
func (g *Gateway) Send(ctx context.Context, t TextMessage) error {
	body, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("encode text message %s: %w", t.ID, err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, g.address, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("send text message %s: %w", t.ID, err)
	}

	r.Header.Set("Content-Type", "application/json")
	response, err := g.client.Do(r)
	if err != nil {
		return outbound.FailureOf(err) // omits the URL, which may contain a secret
	}
	defer response.Body.Close()

	if response.StatusCode < 200 || response.StatusCode > 299 {
		return g.guard.StatusError(response)
	}

	return nil
}

// CloseIdleConnections implements TextSender.
func (g *Gateway) CloseIdleConnections() { g.client.CloseIdleConnections() }
