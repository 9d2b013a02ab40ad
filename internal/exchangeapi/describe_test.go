package exchangeapi_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"vitrine/internal/exchangeapi"
	"vitrine/internal/httpapi"
)

// members returns the names of an object's members in their order.
func members(t *testing.T, text []byte) (names []string) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name.(string))
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			t.Fatal(err)
		}
	}
	return names
}

// What the document shows of runs has the members that it says they have.
func TestDocument_describesRunsAsTheyAre(t *testing.T) {
	routes := exchangeapi.New(nil, nil).Routes()
	document, err := httpapi.NewDocument(httpapi.About{Title: "Gate", Version: "1", Tags: []httpapi.Tag{exchangeapi.Tag()}}, routes)
	if err != nil {
		t.Fatal(err)
	}
	text, err := document.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var parsed struct {
		Components struct {
			Schemas map[string]struct{ Properties json.RawMessage }
		}
	}
	if err := json.Unmarshal(text, &parsed); err != nil {
		t.Fatal(err)
	}
	looked := 0
	for _, route := range routes {
		schema := map[string]string{"listRuns": "RunSummary", "listRunErrors": "RunNote", "listRunWarnings": "RunNote", "getRunRejects": ""}
		name, other := schema[route.OperationID]
		if !other {
			name = "Run"
		}
		for _, e := range route.AnswerExamples {
			var body struct{ Data json.RawMessage }
			if err := json.Unmarshal([]byte(e.JSON), &body); err != nil {
				t.Fatal(err)
			}
			var list []json.RawMessage
			if json.Unmarshal(body.Data, &list) != nil {
				list = []json.RawMessage{body.Data}
			}
			for _, one := range list {
				looked++
				if got, want := members(t, one), members(t, parsed.Components.Schemas[name].Properties); !slices.Equal(got, want) {
					t.Errorf("%s: the example has %v, the schema %s %v", route.OperationID, got, name, want)
				}
			}
		}
	}
	if looked < 12 {
		t.Errorf("only %d examples were looked at", looked)
	}
}
