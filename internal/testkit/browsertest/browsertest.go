// Package browsertest starts Chromium for tests.
package browsertest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// programs are the names of Chromium, the preferred one first. chromium-headless-shell is Chromium without the windows,
// menus and services of a desktop: pages look and behave the same, in a third of the processor time.
var programs = [...]string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"}

// Open starts Chromium with one tab for a test. Without Chromium the test fails.
func Open(tb testing.TB, options ...chromedp.ExecAllocatorOption) (tab context.Context) {
	tb.Helper()
	tab, stop, err := Start(options...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(stop)
	return tab
}

// Start starts Chromium with one tab. The caller stops it.
func Start(options ...chromedp.ExecAllocatorOption) (tab context.Context, stop func(), err error) {
	program, err := find()
	if err != nil {
		return nil, nil, err
	}

	dir, err := os.MkdirTemp("", "vitrine-chromium-")
	if err != nil {
		return nil, nil, err
	}

	browser, end := chromedp.NewExecAllocator(context.Background(), append([]chromedp.ExecAllocatorOption{
		chromedp.ExecPath(program), chromedp.UserDataDir(dir), chromedp.Headless, chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.WindowSize(1280, 900),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("disable-dev-shm-usage", true)}, options...)...)
	tab, closeTab := chromedp.NewContext(browser)
	stop = func() {
		_ = chromedp.Cancel(tab)
		closeTab()
		end()
		_ = os.RemoveAll(dir)
	}

	if err := chromedp.Do(tab, chromedp.Navigate("about:blank")); err != nil {
		stop()
		return nil, nil, fmt.Errorf("start Chromium: %w", err)
	}
	return tab, stop, nil
}

// find returns the path of Chromium.
func find() (path string, err error) {
	for _, name := range programs {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no Chromium is installed; scripts/deps.sh installs it")
}

// Collect collects the texts of events of a tab in the background, such as the messages of its console. The returned
// function returns the texts collected so far.
func Collect[E any](events iter.Seq2[E, error], text func(E) string) func() []string {
	var mu sync.Mutex
	var texts []string

	go func() {
		for event, err := range events {
			if err != nil {
				return // the browser was closed
			}
			mu.Lock()
			texts = append(texts, text(event))
			mu.Unlock()
		}
	}()

	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(texts)
	}
}
