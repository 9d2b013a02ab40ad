package harness

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"time"

	"vitrine/internal/shop/account"

	"github.com/go-json-experiment/json"
)

// CreateStore creates a store with the command line.
func (e *Environment) CreateStore(ctx context.Context, data string) (keys account.ProvisionedStore, err error) {
	out, err := exec.CommandContext(ctx, e.Binary, "store", "create", "--json", "--data", data, "--database", e.URL).
		Output()
	if err != nil {
		return keys, err
	}
	err = json.Unmarshal(out, &keys)
	return keys, err
}

// runCounts are the counts of a run.
type runCounts struct {
	Received  int `json:"received"`
	Created   int `json:"created"`
	Updated   int `json:"updated"`
	Unchanged int `json:"unchanged"`
	Failed    int `json:"failed"`
	Warnings  int `json:"warnings"`
}

// Push streams lines to the gate. It returns the counts of the run and the time until the response. Failed items and
// warnings are errors: only clean pushes are measured.
func (s *Server) Push(
	ctx context.Context, entity string, lines io.Reader,
) (done runCounts, took time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/v2/sync-gate/"+entity, lines)
	if err != nil {
		return done, 0, err
	}

	req.Header.Set("Authorization", "Bearer "+s.Keys.ExchangeToken)
	req.Header.Set("Content-Type", "application/x-ndjson")
	c := NewClient()
	defer c.CloseIdleConnections()

	start := time.Now()
	res, err := c.Do(req)
	if err != nil {
		return done, 0, err
	}
	defer func() { _ = res.Body.Close() }()

	respBody, err := io.ReadAll(res.Body)
	if err != nil {
		return done, 0, err
	}

	took = time.Since(start)
	var run struct {
		Data runCounts `json:"data"`
	}

	if res.StatusCode != http.StatusOK {
		return done, 0, fmt.Errorf("a push of %s was answered %d: %.300s", entity, res.StatusCode, respBody)
	}
	if err := json.Unmarshal(respBody, &run); err != nil {
		return done, 0, err
	}
	if run.Data.Failed+run.Data.Warnings > 0 {
		return done, 0, fmt.Errorf("a push of %s has failed items or warnings: %.600s", entity, respBody)
	}

	return run.Data, took, nil
}

// PushReferences pushes the items that products refer to.
func (s *Server) PushReferences(ctx context.Context) error {
	for _, g := range referenceItems() {
		if _, _, err := s.Push(ctx, g.entity, strings.NewReader(g.lines)); err != nil {
			return err
		}
	}
	return nil
}

// PushExpecting pushes a range of products. outcome selects the count that must equal their number.
func (s *Server) PushExpecting(
	ctx context.Context, from, to, price int, outcome func(runCounts) int,
) (time.Duration, error) {
	done, took, err := s.Push(ctx, "products", NewProductStream(from, to, price))
	if err == nil && outcome(done) != to-from {
		err = fmt.Errorf("the push of %s products has the counts %+v", FormatThousands(to-from), done)
	}
	return took, err
}

func CreatedCount(c runCounts) int   { return c.Created }
func UpdatedCount(c runCounts) int   { return c.Updated }
func UnchangedCount(c runCounts) int { return c.Unchanged }
