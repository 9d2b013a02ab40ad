// Attack starts the program with its default limits and 512 MiB of memory, and repeats the attacks of a security review
// against it, one after the other, each from an address of its own. Meanwhile an ordinary client uses another store,
// and a second one the attacked store. It prints a table, and exits with 1 if the process died, used more memory than
// it was given, was not ready, or made the ordinary client of the other store wait or fail. It reads /proc and uses all
// of 127.0.0.0/8, so it needs Linux.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"
)

const (
	// totalTime limits the run after the program is built and the large store is filled.
	totalTime = 8 * time.Minute
	// ordinaryTime is how long the ordinary client is observed at least, so that its percentiles mean something.
	ordinaryTime = 6 * time.Second
	// maxOrdinary is the limit of the 99th percentile of the other store's ordinary client.
	maxOrdinary = time.Second
	// maxOrdinaryBesidePages is the same while the administration of another store is read.
	maxOrdinaryBesidePages = 250 * time.Millisecond
)

func main() {
	only := flag.String("only", "", "comma-separated names of the attacks to run, such as H1,M8; by default all")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := runAttacks(ctx, *only); err != nil {
		fmt.Fprintln(os.Stderr, "FAIL:", err)
		os.Exit(1)
	}
	fmt.Println("PASS")
}

// runAttacks runs the chosen attacks, or all if none is named, and returns what went wrong.
func runAttacks(ctx context.Context, only string) (err error) {
	var chosen []attack
	for _, at := range slices.Concat(attacks(), loadAttacks(), searchAttacks(), exchangeAttacks()) {
		if only == "" || slices.Contains(strings.Split(only, ","), at.name) {
			chosen = append(chosen, at)
		}
	}

	if len(chosen) == 0 {
		return fmt.Errorf("there is no attack %s", only)
	}

	dir, err := os.MkdirTemp("", "vitrine-attack-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	binary, err := buildProgram(ctx, dir)
	if err != nil {
		return err
	}
	t, err := newTarget(ctx, binary, dir)
	if err != nil {
		return err
	}

	if anyNeedsLargeStore(chosen) {
		if err := t.createLargeStore(ctx, binary); err != nil {
			return err
		}
	}

	ctx, cancel := context.WithTimeout(ctx, totalTime)
	defer cancel()

	if anyNeedsDictionary(chosen) {
		if err := createStore(ctx, binary, t.data, &t.wordy); err != nil {
			return err
		}
	}

	if err := t.start(ctx, binary); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.stop()) }()

	if err := t.fill(ctx); err != nil {
		return err
	}

	if anyNeedsLargeStore(chosen) {
		if err := t.orderInLargeStore(ctx); err != nil {
			return err
		}
	}

	if anyNeedsDictionary(chosen) {
		if err := t.fillDictionary(ctx); err != nil {
			return err
		}
	}

	fmt.Println("| attack | requests | outcomes | processor (waited) | peak memory | other store p50 / p99 | " +
		"failed | same store p50 / p99 | failed | ready | alive |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|")
	var wrong []error
	for i, at := range chosen {
		if flags := at.serverFlags(); flags != nil {
			if err := errors.Join(t.stop(), t.start(ctx, binary, flags...)); err != nil {
				return errors.Join(append(wrong, err)...)
			}
		}

		if err := t.runAttack(ctx, at, fmt.Sprintf("127.0.0.%d", i+2)); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", at.name, err))
		}

		if !t.alive() {
			return errors.Join(append(wrong, errors.New("the process died"))...)
		}
		if ctx.Err() != nil {
			return errors.Join(append(wrong, fmt.Errorf("the run was ended after %s: %w", at.name, ctx.Err()))...)
		}
	}

	return errors.Join(wrong...)
}

// runAttack runs an attack from an address, prints its row, and returns what went wrong.
func (t *target) runAttack(ctx context.Context, at attack, address string) error {
	if err := t.resetPeak(); err != nil {
		return err
	}

	a := newAttacker(t, address)
	watched, stopWatching := context.WithCancel(ctx)
	defer stopWatching()

	start := func(address string, requests []ordinaryRequest) <-chan *observation {
		client, _ := newClientAt(address)
		observed := make(chan *observation, 1)
		go func() {
			observed <- t.observe(watched, client, requests)
			client.CloseIdleConnections()
		}()
		return observed
	}

	otherStore := start("127.0.0.1", ordinaryRequests(t.other, t.sold, at.images))
	sameStore := start("127.0.1.1", ordinaryRequests(t.attacked, t.attackedSold, at.images))
	started := time.Now()
	usedBefore, waitedBefore := t.processorTime()
	limited, cancel := context.WithTimeout(ctx, attackTime)
	defer cancel()

	wrong := []error{at.run(limited, a)}
	a.client.CloseIdleConnections()

	select {
	case <-ctx.Done():
	case <-t.ended:
	case <-time.After(ordinaryTime - time.Since(started)):
	}

	stopWatching()
	other, same := <-otherStore, <-sameStore
	peak := t.peakMiB()
	used, waited := t.processorTime()
	fmt.Printf("| %s %s | %d | %s | %.1f s (%.1f s) | %d MiB | %s | %s | %s | %s |\n",
		at.name, at.what, a.sent, a.outcomes(), (used - usedBefore).Seconds(), (waited - waitedBefore).Seconds(), peak,
		other, same, yes(len(other.notReady) == 0), yes(t.alive()))

	return errors.Join(append(wrong, a.judge(other, peak, at.maxOrdinary()))...)
}

func yes(ok bool) string {
	if ok {
		return "yes"
	}
	return "no"
}

// judge returns how the attack hurt the server or the ordinary client of the other store, or nil. What it does to the
// attacked store itself is only reported: a store can use up its own share.
func (a *attacker) judge(o *observation, peak int, slowest time.Duration) error {
	var wrong []error
	if peak >= memoryLimit {
		wrong = append(wrong, fmt.Errorf("the process used %d MiB of memory, the limit is %d", peak, memoryLimit))
	}

	if peak == 0 {
		wrong = append(wrong, errors.New("the memory is unknown"))
	}

	if len(o.times) == 0 {
		wrong = append(wrong, errors.New("the ordinary client sent no request"))
	}

	if p99 := o.percentile(99); p99 >= slowest {
		wrong = append(wrong, fmt.Errorf("one of a hundred requests of the ordinary client took %s or longer", p99))
	}

	if n := len(o.failures); n*100 > len(o.times) {
		wrong = append(wrong, fmt.Errorf("%d requests of the ordinary client failed, first: %s", n, o.failures[0]))
	}

	if n := len(o.notReady); n > 0 {
		wrong = append(wrong, fmt.Errorf("the server was not ready %d times, first: %s", n, o.notReady[0]))
	}

	if n := a.seen["500"]; n > 0 {
		wrong = append(wrong, fmt.Errorf("%d requests of the attacker got 500", n))
	}

	return errors.Join(wrong...)
}
