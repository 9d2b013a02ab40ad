package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"vitrine/internal/shop/money"
)

func formatRate(n int, d time.Duration) string {
	v := float64(n) / d.Seconds()
	if v >= 10_000 {
		return fmt.Sprintf("%.0fk", v/1000)
	}
	return fmt.Sprintf("%.0f", v)
}

// formatThousands formats 1234567 as 1,234,567.
func formatThousands(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// formatDuration formats a duration with about three digits.
func formatDuration(d time.Duration) string {
	switch {
	case d >= 100*time.Millisecond:
		return formatThousands(int(d.Milliseconds())) + " ms"
	case d >= 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", d.Seconds()*1000)
	case d >= 100*time.Microsecond:
		return fmt.Sprintf("%.2f ms", d.Seconds()*1000)
	default:
		return fmt.Sprintf("%.3f ms", d.Seconds()*1000)
	}
}

func formatMillis(d time.Duration) string {
	return fmt.Sprintf("%.0f ms", float64(d.Microseconds())/1000)
}

// formatPrice formats a price of the demo catalogue, which has two decimals.
func formatPrice(m money.Money) string { return fmt.Sprintf("%d.%02d", m/10_000, m/100%100) }

// percentile returns the pth percentile of d by the nearest-rank method: the smallest element such that at least p
// percent of the elements are not greater. It sorts d.
func percentile(d []time.Duration, p int) time.Duration {
	slices.Sort(d)
	return d[min(len(d)-1, (len(d)*p+99)/100-1)]
}

// printNote prints a detail that is not in the table of figures.
func printNote(format string, args ...any) { fmt.Fprintf(os.Stderr, "  "+format+"\n", args...) }
