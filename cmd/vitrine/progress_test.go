package main

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schollz/progressbar/v3"

	"vitrine/internal/client/push"
)

// Without a terminal, a progress line is printed once per line interval, here 10 seconds.
func TestProgressDisplay_printsLinesWithoutTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		d := newProgressDisplay(&out, 10*time.Second)
		for done := range 25 {
			d.update(countStatus(done, 25, "products"))
			time.Sleep(time.Second)
		}
		d.println("A message.")
		d.finish()
		if want := "10 of 25 products\n20 of 25 products\nA message.\n"; out.String() != want {
			t.Errorf("the output is %q, want %q", out.String(), want)
		}
	})
}

// On a terminal, a bar is drawn at most every drawInterval. It is full only after finish.
func TestProgressDisplay_drawsBarOnTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		d := newProgressDisplay(&out, time.Hour, progressbar.OptionShowCount())
		d.terminal = true
		d.update(countStatus(0, 2, "products"))

		if out.Len() > 0 {
			t.Errorf("a bar is drawn too early: %q", out.String())
		}

		time.Sleep(drawInterval)
		d.update(countStatus(2, 2, "products"))

		if drawn := out.String(); !strings.Contains(drawn, "products") || !strings.Contains(drawn, "1/2") {
			t.Errorf("the bar is %q", drawn)
		}

		d.finish()
		if drawn := out.String(); !strings.Contains(drawn, "2/2") || !strings.HasSuffix(drawn, "\n") {
			t.Errorf("after finish the bar is %q", drawn)
		}
	})
}

// The rate does not count the items of an earlier, interrupted push.
func TestPushProgress_formatsLine(t *testing.T) {
	p := newPushProgress(&bytes.Buffer{}, false)
	p.update(push.Progress{Size: 1000, Bytes: 200, Items: 2_000})

	now := p.start.Add(10 * time.Second)
	for want, current := range map[string]push.Progress{
		"2,000 items, 20 % of the file":                           {Size: 1000, Bytes: 200, Items: 2_000},
		"12,000 items, 1,000/s, 60 % of the file, about 10s left": {Size: 1000, Bytes: 600, Items: 12_000},
		"12,000 items, 1,000/s":                                   {Size: -1, Bytes: 250, Items: 12_000},
		"5,000 of 12,000 items done, 1,000/s, 100 % of the file": {
			Size: 1000, Bytes: 1000, Items: 12_000, Done: 5_000,
		},
	} {
		p.current = current
		if got := p.status(now).line; got != want {
			t.Errorf("the line of %+v is %q, want %q", current, got, want)
		}
	}
}
