package productapi

import (
	"net/url"
	"testing"
)

func TestBracketFilters_leaveWhatIsNotFlat(t *testing.T) {
	for flat, want := range map[string]string{
		"price=1..2&q=x":               "price[from]=1&price[to]=2&q=x",
		"price=..2":                    "price[to]=2",
		"price=5&feature=a&option=":    "feature=a&option=&price=5",
		"feature=a:b,c&feature=a:1..":  "features[a][]=b&features[a][]=c&features[a][from]=1",
		"option=a:b&options[a][]=c":    "options[a][]=c&options[a][]=b",
		"feature=a:..&in_stock=true":   "in_stock=true",
		"features[a][]=b&price[to]=10": "features[a][]=b&price[to]=10",
	} {
		params, err := url.ParseQuery(flat)
		if err != nil {
			t.Fatal(err)
		}

		BracketFilters(params)
		if got, _ := url.QueryUnescape(params.Encode()); got != want {
			t.Errorf("%s becomes %s, want %s", flat, got, want)
		}
	}
}
