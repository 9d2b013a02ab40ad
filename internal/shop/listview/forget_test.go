package listview

import (
	"testing"

	"vitrine/internal/kit/contact"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

// The erasure of a person takes filters with their addresses and names out of all views, and leaves the others.
func TestForget_takesThePersonOutOfAllViews(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		ann := s.operator("ann@north.example", access.Owner)
		for name, query := range map[string]string{
			"a": "q=Zoe%40mail.example&state=all", "b": "q=%2B7+912+345-67-89", "c": "q=Zoe+Quaxley&sort=-total",
			"zoe@mail.example": "q=zo", "d": "q=9123&state=all",
		} {
			s.create(ann, Orders, Edit{Name: new(name), Query: new(query)})
		}

		s.Write(func(tx store.Tx) error {
			return Forget(s.Context(), tx, contact.SetOf("zoe@mail.example", "+79123456789"), []string{"Zoe Quaxley"})
		})
		want := map[string]string{"a": "state=all", "b": "", "c": "sort=-total", forgottenName: "q=zo",
			"d": "q=9123&state=all"}
		s.Read(func(tx store.Tx) error {
			views, err := Of(s.Context(), tx, Orders, ann.Operator)
			for _, v := range views {
				if query, ok := want[v.Name]; !ok || query != v.Query {
					s.Errorf("the view %q has the query %q, want %q", v.Name, v.Query, query)
				}
				delete(want, v.Name)
			}
			return err
		})
		if len(want) > 0 {
			s.Errorf("views are missing: %v", want)
		}
	})
}
