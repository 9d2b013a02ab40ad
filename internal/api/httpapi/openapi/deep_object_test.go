package openapi

import (
	"encoding/json"
	"testing"

	"vitrine/internal/api/httpapi"
)

func TestQueryParams_bracketsBecomeDeepObjects(t *testing.T) {
	got, err := json.Marshal(queryParams([]httpapi.Param{
		{Name: "sort", Description: "By what.", Enum: []string{"name", "-name"}},
		{Name: "price[from]", Description: "At least.", Type: "number"},
		{Name: "price[to]", Description: "At most.", Type: "number"},
		{Name: "features[{id}][]", Description: "A value."},
		{Name: "features[{id}][from]", Description: "At least.", Type: "number"},
		{Name: "ids", Description: "Which.", IDs: 250},
	}))
	if err != nil {
		t.Fatal(err)
	}

	want := `[{"description":"By what.","in":"query","name":"sort","schema":{"enum":["name","-name"],` +
		`"type":"string"}},` +
		`{"description":"` + "`price[from]`: At least.\\n\\n`price[to]`: At most." + `","explode":true,"in":"query",` +
		`"name":"price","schema":{"properties":{"from":{"type":"number"},"to":{"type":"number"}},"type":"object"},` +
		`"style":"deepObject"},` +
		`{"description":"` + "`features[{id}][]`: A value.\\n\\n`features[{id}][from]`: At least." +
		`","explode":true,` +
		`"in":"query","name":"features","schema":{"additionalProperties":{"anyOf":[{"items":{"format":"uuid",` +
		`"type":"string"},"type":"array"},{"properties":{"from":{"type":"number"}},"type":"object"}]},` +
		`"type":"object"},` +
		`"style":"deepObject"},` +
		`{"description":"Which.","explode":false,"in":"query","name":"ids","schema":{"items":{"type":"string"},` +
		`"maxItems":250,"minItems":1,"type":"array"},"style":"form"}]`
	if string(got) != want {
		t.Errorf("the parameters are\n%s\nwant\n%s", got, want)
	}
}
