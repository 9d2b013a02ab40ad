package main

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"vitrine/internal/client/push"
)

// pushLineInterval is the time between two lines of progress, without a terminal.
const pushLineInterval = 5 * time.Second

// pushProgress shows the progress of a push: the bar is over the bytes of the file.
type pushProgress struct {
	display *progressDisplay
	quiet   bool
	start   time.Time
	first   *push.Progress // the first one; it counts the items of an interrupted push
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

// status returns the number of items and their rate, and for the line the share of the file and the time left.
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

// counts returns the number of items sent or done, and their rate.
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
