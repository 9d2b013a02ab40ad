package main

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"vitrine/internal/client/push"
)

// drawInterval is the minimum time between two drawings of a progress bar.
const drawInterval = 100 * time.Millisecond

// progressDisplay shows the progress of a long command: as a bar on a terminal, otherwise as a line every lineInterval.
// It is not safe for concurrent use.
type progressDisplay struct {
	w            io.Writer
	terminal     bool
	lineInterval time.Duration
	options      []progressbar.Option
	last         time.Time                          // of the last drawing or line
	status       func(now time.Time) progressStatus // of the last update
	bar          *progressbar.ProgressBar           // nil before the first drawing and after finish
}

type progressStatus struct {
	done, total int64  // of the bar; total is -1 if it is not known
	label       string // beside the bar
	line        string // without a terminal
}

// newProgressDisplay returns a display on w. The options are passed to the bar.
func newProgressDisplay(w io.Writer, lineInterval time.Duration, options ...progressbar.Option) *progressDisplay {
	return &progressDisplay{
		w: w, terminal: isTerminal(w), lineInterval: lineInterval, options: options,
		last: time.Now(),
	}
}

// update shows the status, unless the last drawing or line is too recent.
func (d *progressDisplay) update(status func(now time.Time) progressStatus) {
	d.status = status
	now := time.Now()
	interval := d.lineInterval
	if d.terminal {
		interval = drawInterval
	}

	if now.Sub(d.last) < interval {
		return
	}

	d.last = now
	s := status(now)
	if !d.terminal {
		fmt.Fprintln(d.w, s.line)
		return
	}

	// The library does not redraw a full bar, so show less than the total until finish.
	if s.total > 0 {
		s.done = min(s.done, s.total-1)
	}

	d.draw(s)
}

func (d *progressDisplay) draw(s progressStatus) {
	if d.bar == nil {
		d.bar = progressbar.NewOptions64(s.total, append([]progressbar.Option{
			progressbar.OptionSetWriter(d.w), progressbar.OptionFullWidth(), progressbar.OptionUseANSICodes(true),
			progressbar.OptionSetSpinnerChangeInterval(0), // no goroutine: only update draws
		}, d.options...)...)
	}
	d.bar.Describe(s.label)
	_ = d.bar.Set64(s.done) // a closed terminal is not a reason to stop
}

func (d *progressDisplay) println(message string) {
	if d.bar != nil {
		_ = d.bar.Clear()
	}
	fmt.Fprintln(d.w, message)
}

// finish draws the last status and leaves the bar on the terminal.
func (d *progressDisplay) finish() {
	if d.bar == nil {
		return
	}
	d.draw(d.status(time.Now()))
	_ = d.bar.Exit()
	fmt.Fprintln(d.w)
	d.bar = nil
}

// countStatus returns the status of a command that counts items: how many are done, and how many there are in total.
// The argument what names the items, such as "products".
func countStatus(done, total int, what string) func(time.Time) progressStatus {
	return func(time.Time) progressStatus {
		return progressStatus{
			done: int64(done), total: int64(total), label: what, line: fmt.Sprintf("%d of %d %s", done, total, what),
		}
	}
}

// pushLineInterval is the time between two progress lines of vitrine push if the output is not a terminal.
const pushLineInterval = 5 * time.Second

// pushProgress shows the progress of a push. The bar measures the bytes read from the file.
type pushProgress struct {
	display *progressDisplay
	quiet   bool
	start   time.Time
	first   *push.Progress // the first update; it includes the items sent before an interruption
	current push.Progress
}

func newPushProgress(w io.Writer, quiet bool) *pushProgress {
	return &pushProgress{
		quiet: quiet, start: time.Now(),
		display: newProgressDisplay(w, pushLineInterval,
			progressbar.OptionShowBytes(true), progressbar.OptionUseIECUnits(true)),
	}
}

func (p *pushProgress) notify(message string) {
	if !p.quiet {
		p.display.println(message)
	}
}

func (p *pushProgress) update(now push.Progress) {
	if p.quiet {
		return
	}
	if p.first == nil {
		p.first = &now
	}
	p.current = now
	p.display.update(p.status)
}

// status returns as label the number of items and their rate. The line adds the share of the file and the time left.
func (p *pushProgress) status(now time.Time) progressStatus {
	c := p.current
	s := progressStatus{done: c.Bytes, total: c.Size, label: p.counts(now)}
	s.line = s.label
	if c.Size <= 0 {
		return s
	}
	s.line += fmt.Sprintf(", %d %% of the file", 100*c.Bytes/c.Size)
	if read := c.Bytes - p.first.Bytes; read > 0 && c.Done == 0 {
		left := time.Duration(float64(now.Sub(p.start)) * float64(c.Size-c.Bytes) / float64(read))
		s.line += fmt.Sprintf(", about %s left", left.Round(time.Second))
	}
	return s
}

func (p *pushProgress) counts(now time.Time) string {
	c := p.current
	text := formatCount(c.Items) + " items"
	if c.Done > 0 {
		text = fmt.Sprintf("%s of %s items done", formatCount(c.Done), formatCount(max(c.Items, c.Done)))
	}
	items := max(c.Items, c.Done) - p.first.Items
	if seconds := now.Sub(p.start).Seconds(); seconds > 0 && items > 0 {
		text += fmt.Sprintf(", %s/s", formatCount(int64(float64(items)/seconds)))
	}
	return text
}
