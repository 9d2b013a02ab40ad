package app_test

import (
	"testing"

	"vitrine/internal/testkit/apitest"
)

func TestRun_logsItsStartAndItsEnd(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		lines := s.Log.Lines("started")
		if len(lines) != 1 || lines[0]["database"] != s.Engine || "http://"+lines[0]["api_addr"].(string) != s.URL ||
			"http://"+lines[0]["admin_addr"].(string) != s.AdminURL || lines[0]["version"] == nil {
			t.Errorf("at the start the log has %v", lines)
		}
		s.Stop()
		if n := len(s.Log.Lines("stopping")) + len(s.Log.Lines("stopped")); n != 2 {
			t.Errorf("at the end the log has %d lines, want 2", n)
		}
	}, apitest.Alone())
}
