package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"vitrine/internal/client/push"
)

// pushWatchEvery is how often a push that does not write to a terminal says how far it is, pushDrawEvery how often a bar is drawn.
const (
	pushWatchEvery = 5 * time.Second
	pushDrawEvery  = 100 * time.Millisecond
)

// pushWatch shows how far a push is: a bar over the bytes of the file on a terminal, a line now and then elsewhere.
type pushWatch struct {
	w               io.Writer
	quiet, terminal bool
	began, last     time.Time
	first, at       pushclient.Progress      // what an earlier push had done, and how far it is now
	bar             *progressbar.ProgressBar // nil until the first word, and after the end
}

func newPushWatch(w io.Writer, quiet bool) *pushWatch {
	f, ok := w.(*os.File)
	now := time.Now()
	return &pushWatch{
		w: w, quiet: quiet, began: now, last: now, first: pushclient.Progress{Items: -1},
		terminal: ok && term.IsTerminal(int(f.Fd())),
	}
}

// say prints a sentence on a line of its own.
func (n *pushWatch) say(text string) {
	if n.quiet {
		return
	}
	if n.bar != nil {
		_ = n.bar.Clear() // a terminal that is gone is no reason to stop
	}
	fmt.Fprintln(n.w, text)
}

// tell shows how far the push is.
func (n *pushWatch) tell(p pushclient.Progress) {
	if n.quiet {
		return
	}
	now := time.Now()
	n.at = p
	if n.first.Items < 0 {
		n.first = p
	}
	switch since := now.Sub(n.last); {
	case n.terminal && since >= pushDrawEvery:
		n.last = now
		n.draw(p, now)
	case !n.terminal && since >= pushWatchEvery:
		n.last = now
		fmt.Fprintln(n.w, n.line(p, now))
	}
}

func (n *pushWatch) draw(p pushclient.Progress, now time.Time) {
	if n.bar == nil {
		n.bar = progressbar.NewOptions64(p.Size, progressbar.OptionSetWriter(n.w), progressbar.OptionShowBytes(true),
			progressbar.OptionUseIECUnits(true),
			progressbar.OptionFullWidth(), progressbar.OptionUseANSICodes(true),
			progressbar.OptionSetSpinnerChangeInterval(0)) // drawn when told to, by no goroutine of its own
	}
	n.bar.Describe(n.counts(p, now))
	// A bar that is full is not drawn any more, and there may be a run to wait for.
	if p.Size > 0 {
		p.Bytes = min(p.Bytes, p.Size-1)
	}
	_ = n.bar.Set64(p.Bytes)
}

// line is what a bar shows, in words.
func (n *pushWatch) line(p pushclient.Progress, now time.Time) string {
	text := n.counts(p, now)
	if p.Size <= 0 {
		return text
	}
	text += fmt.Sprintf(", %d %% of the file", 100*p.Bytes/p.Size)
	if read := p.Bytes - n.first.Bytes; read > 0 && p.Done == 0 {
		left := time.Duration(float64(now.Sub(n.began)) * float64(p.Size-p.Bytes) / float64(read))
		text += fmt.Sprintf(", about %s left", left.Round(time.Second))
	}
	return text
}

// counts says how many items are sent and done, and how many a second.
func (n *pushWatch) counts(p pushclient.Progress, now time.Time) string {
	text := formatCount(p.Items) + " items"
	if p.Done > 0 {
		text = fmt.Sprintf("%s of %s items done", formatCount(p.Done), formatCount(max(p.Items, p.Done)))
	}
	if seconds := now.Sub(n.began).Seconds(); seconds > 0 && max(p.Items, p.Done) > n.first.Items {
		text += fmt.Sprintf(", %s/s", formatCount(int64(float64(max(p.Items, p.Done)-n.first.Items)/seconds)))
	}
	return text
}

// end leaves the bar as it is, on a line of its own.
func (n *pushWatch) end() {
	if n.bar != nil {
		n.bar.Describe(n.counts(n.at, time.Now()))
		_ = n.bar.Set64(n.at.Bytes)
		_ = n.bar.Exit()
		fmt.Fprintln(n.w)
		n.bar = nil
	}
}
