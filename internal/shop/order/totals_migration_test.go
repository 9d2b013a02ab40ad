package order

import (
	"os"
	"strings"
	"testing"
)

// The migration that adds the totals sums up the orders that exist. The fixture checks the totals against the orders.
func TestMigration_sumsUpExistingOrders(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		p := s.createProduct("Shirt", 19_9999, nil)
		for range 3 {
			s.submitAs(s.createDraft(line(p, 3)), "Anna", "", "anna@example.com")
		}
		if err := s.changeState(s.list(Filter{Submitted: true}, nil, 1).Orders[0], Confirmed); err != nil {
			s.Fatal(err)
		}
		s.createDraft(line(p, 1))
		s.Exec("DELETE FROM order_totals")
		file, err := os.ReadFile("../../kit/database/migrations/" + s.DB.Engine() + "/00018_sales.sql")
		if err != nil {
			s.Fatal(err)
		}
		for statement := range strings.SplitSeq(string(file), ";\n") {
			if strings.HasPrefix(statement, "INSERT INTO order_totals") {
				s.Exec(statement)
			}
		}
		if n := s.Count("order_totals WHERE span = 'day'"); n != 2 {
			s.Errorf("there are %d totals of days, want one for each of two states", n)
		}
	})
}
