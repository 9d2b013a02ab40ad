package request_test

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"vitrine/internal/client/request"
	"vitrine/internal/kit/fault"
)

func TestProblem_becomesFault(t *testing.T) {
	var d request.Problem
	const body = `{"detail":"A rule.","code":"validation_failed","request_id":"r1","title":"ignored",
		"errors":[{"field":"url","code":"invalid_url","message":"No."}]}`
	if err := json.Unmarshal([]byte(body), &d); err != nil {
		t.Fatal(err)
	}
	want := &fault.Error{
		Kind: fault.Invalid, Code: "validation_failed", Message: "A rule.",
		Fields: []fault.Field{{Field: "url", Code: "invalid_url", Message: "No."}},
	}
	if diff := cmp.Diff(want, d.Fault(422)); diff != "" || d.RequestID != "r1" {
		t.Errorf("the request id is %s, the fault differs:\n%s", d.RequestID, diff)
	}
}

func TestKindOf(t *testing.T) {
	for status, want := range map[int]fault.Kind{
		200: fault.Invalid, 400: fault.Invalid, 401: fault.Unauthenticated, 403: fault.Denied, 404: fault.NotFound,
		409: fault.Conflict, 422: fault.Invalid, 429: fault.TooMany, 500: fault.Unavailable, 503: fault.Unavailable,
	} {
		if got := request.KindOf(status); got != want {
			t.Errorf("KindOf(%d) = %v, want %v", status, got, want)
		}
	}
}

func TestStatusText(t *testing.T) {
	for status, want := range map[int]string{200: "200 OK", 404: "404 Not Found", 599: "599"} {
		if got := request.StatusText(status); got != want {
			t.Errorf("StatusText(%d) = %q, want %q", status, got, want)
		}
	}
}
