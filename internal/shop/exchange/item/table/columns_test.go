package table

import (
	"os"
	"strings"
	"testing"
)

// docs/push.md lists the columns of a table of products.
func TestDocs_listColumnsOfProducts(t *testing.T) {
	content, err := os.ReadFile("../../../../../docs/push.md")
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(string(content), "\n| products | **id**")
	line, _, _ = strings.Cut(line, "|")
	for name := range strings.SplitSeq(schemaOf("products").columnNames(), ", ") {
		name, _, _ = strings.Cut(name, ":")
		if name != "id" && !strings.Contains(line, " "+name) {
			t.Errorf("docs/push.md does not list the column %s of tables of products", name)
		}
	}
}
