package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// watchEvery is how often a long command that does not write to a terminal says how far it is.
const watchEvery = 10 * time.Second

// watch shows how far a long command is: a bar on a terminal from the first word on, a line now and then elsewhere.
type watch struct {
	w        io.Writer
	total    int
	what     string
	terminal bool
	bar      *progressbar.ProgressBar // nil until the first word, and after the end
	last     time.Time
}

func newWatch(w io.Writer, total int, what string) *watch {
	f, ok := w.(*os.File)
	return &watch{w: w, total: total, what: what, last: time.Now(), terminal: ok && term.IsTerminal(int(f.Fd()))}
}

// tell says how many are done.
func (n *watch) tell(done int) {
	if n.terminal {
		if n.bar == nil {
			n.bar = progressbar.NewOptions(n.total, progressbar.OptionSetWriter(n.w),
				progressbar.OptionSetDescription(n.what),
				progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionFullWidth(),
				progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionUseANSICodes(true))
		}
		_ = n.bar.Set(done) // a terminal that is gone is no reason to stop
		return
	}
	if now := time.Now(); now.Sub(n.last) >= watchEvery {
		n.last = now
		fmt.Fprintf(n.w, "%d of %d %s\n", done, n.total, n.what)
	}
}

// end leaves the bar as it is, on a line of its own.
func (n *watch) end() {
	if n.bar != nil {
		_ = n.bar.Exit()
		fmt.Fprintln(n.w)
		n.bar = nil
	}
}
