package harness

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"vitrine/internal/shop/money"
)

func FormatRate(n int, d time.Duration) string {
	v := float64(n) / d.Seconds()
	if v >= 10_000 {
		return fmt.Sprintf("%.0fk", v/1000)
	}
	return fmt.Sprintf("%.0f", v)
}

// FormatThousands formats 1234567 as 1,234,567.
func FormatThousands(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// FormatDuration formats a duration with about three digits.
func FormatDuration(d time.Duration) string {
	switch {
	case d >= 100*time.Millisecond:
		return FormatThousands(int(d.Milliseconds())) + " ms"
	case d >= 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", d.Seconds()*1000)
	case d >= 100*time.Microsecond:
		return fmt.Sprintf("%.2f ms", d.Seconds()*1000)
	default:
		return fmt.Sprintf("%.3f ms", d.Seconds()*1000)
	}
}

func FormatMillis(d time.Duration) string {
	return fmt.Sprintf("%.0f ms", float64(d.Microseconds())/1000)
}

// FormatPrice formats a price of the demo catalogue, which has two decimals.
func FormatPrice(m money.Money) string { return fmt.Sprintf("%d.%02d", m/10_000, m/100%100) }

// Percentile returns the pth percentile of d by the nearest-rank method: the smallest element such that at least p
// percent of the elements are not greater. It sorts d.
func Percentile(d []time.Duration, p int) time.Duration {
	slices.Sort(d)
	return d[min(len(d)-1, (len(d)*p+99)/100-1)]
}

// PrintNote prints a detail that is not in the table of figures.
func PrintNote(format string, args ...any) { fmt.Fprintf(os.Stderr, "  "+format+"\n", args...) }
