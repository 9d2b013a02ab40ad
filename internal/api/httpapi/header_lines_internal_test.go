package httpapi

import (
	"strings"
	"testing"
)

func TestH2_headerLinesAreCountedUpToTheBody(t *testing.T) {
	head := func(lines int, end string) string {
		return "POST / HTTP/1.1" + end + strings.Repeat("a: b"+end, lines) + end
	}
	for _, end := range []string{"\r\n", "\n"} {
		for name, c := range map[string]struct {
			request string
			want    bool
		}{
			"as many as are allowed":   {head(maxHeaderLines, end), true},
			"one more":                 {head(maxHeaderLines+1, end), false},
			"a body with many lines":   {head(10, end) + strings.Repeat("line\n", 1000), true},
			"pipelined requests":       {strings.Repeat(head(10, end), 100), true},
			"lines without an end":     {strings.Repeat("a: b"+end, 1000), false},
			"one long unfinished line": {"GET /" + strings.Repeat("x", 100_000), true},
		} {
			for _, size := range []int{1, 7, 4096, 1 << 20} {
				var h headerLines
				got := true
				for rest := c.request; rest != "" && got; {
					part := rest[:min(size, len(rest))]
					rest = rest[len(part):]
					got = h.add([]byte(part))
				}

				if got != c.want {
					t.Errorf("%s, in parts of %d bytes, line end %q: allowed %v, want %v", name, size, end, got, c.want)
				}
			}
		}
	}
}
