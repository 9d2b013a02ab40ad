package page_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"vitrine/internal/testkit/browsertest"
)

// browser is a tab of Chromium.
type browser struct {
	t   *testing.T
	ctx context.Context
	// consoleMessages returns the messages of the console, including exceptions.
	consoleMessages func() []string
}

// openBrowser starts Chromium. Without Chromium the test fails.
func openBrowser(t *testing.T) *browser {
	t.Helper()
	// Animations could move an element between the lookup of its position and the click.
	tab := browsertest.Open(t, chromedp.Flag("force-prefers-reduced-motion", true))

	logged := browsertest.Collect(chromedp.Events(tab, log.EntryAdded),
		func(e log.EventEntryAdded) string { return e.Entry.Text })
	thrown := browsertest.Collect(chromedp.Events(tab, runtime.ExceptionThrown),
		func(e runtime.EventExceptionThrown) string {
			return fmt.Sprint(e.ExceptionDetails.Text, e.ExceptionDetails.Exception)
		})
	return &browser{t: t, ctx: tab, consoleMessages: func() []string { return append(logged(), thrown()...) }}
}

// forTest returns the browser for a subtest, so that failures are reported there.
func (b *browser) forTest(t *testing.T) *browser {
	c := *b
	c.t = t
	return &c
}

// run runs the steps, each with its own timeout.
func (b *browser) run(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	for i, step := range steps {
		ctx, cancel := context.WithTimeout(b.ctx, 20*time.Second)
		err := chromedp.Do(ctx, step)
		cancel()
		if err != nil {
			text, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.body.innerText`))
			b.t.Fatalf("step %d: %v; the console has %q; the text of the page is %s", i, err, b.consoleMessages(), text)
		}
	}
}

// evaluate evaluates an expression in the page.
func evaluate[T any](b *browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// waitForText waits until an element with this text is visible.
func (b *browser) waitForText(selector, text string) {
	b.t.Helper()
	b.run(chromedp.WaitVisible(`//` + selector + `[contains(normalize-space(), "` + text + `")]`))
}

// click clicks the button or the label with this text.
func (b *browser) click(text string) {
	b.t.Helper()
	b.run(chromedp.Click(`//*[self::button or self::label][normalize-space()="`+text+`"]`, chromedp.NodeVisible))
}

// fill types into a form field.
func (b *browser) fill(form, field, text string) {
	b.t.Helper()
	b.run(chromedp.SendKeys(chromedp.CSS(fmt.Sprintf("#%s [name=%q]", form, field)), text))
}

// checkFitsPhone fails the test if the page is wider than a small phone.
func (b *browser) checkFitsPhone(what string) {
	b.t.Helper()
	b.run(chromedp.EmulateViewport(360, 640))
	if width := evaluate[int](b,
		`Math.max(document.documentElement.scrollWidth, ...Array.from(document.querySelectorAll("dialog[open]"), `+
			`(d) => d.scrollWidth))`); width > 360 {
		b.t.Errorf("%s is %d pixels wide on a screen of 360", what, width)
	}
	b.run(chromedp.EmulateViewport(1280, 900))
}

// checkConsole fails the test if the console has messages other than failed requests with these statuses.
func (b *browser) checkConsole(statuses ...int) {
	b.t.Helper()
	unexpected := slices.DeleteFunc(b.consoleMessages(), func(text string) bool {
		return slices.ContainsFunc(statuses,
			func(status int) bool { return strings.Contains(text, fmt.Sprintf("a status of %d ", status)) })
	})
	if len(unexpected) > 0 {
		b.t.Errorf("unexpected messages in the console: %q", unexpected)
	}
}
