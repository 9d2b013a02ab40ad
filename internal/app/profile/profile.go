// Package profile serves the profiles of the process for go tool pprof.
package profile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
)

const (
	// Path is the path of the profiles; go tool pprof knows it.
	Path = "/debug/pprof"
	// maxProfileSeconds is how long a profile may record, maxTraceSeconds an execution trace, which is much larger.
	maxProfileSeconds = 60
	maxTraceSeconds   = 10
	// The recording of an execution trace is stopped when it has traceBytes. What still arrives until it has stopped is
	// kept up to maxTraceBytes.
	traceBytes    = 32 << 20
	maxTraceBytes = 2 * traceBytes
	// blockProfileRate samples one blocking event for each so many nanoseconds that goroutines were blocked.
	blockProfileRate = 10_000
	// mutexProfileFraction samples one of so many contentions for a mutex.
	mutexProfileFraction = 10
)

// The profiles that record for some time. The others are snapshots.
const (
	cpuProfile     = "profile"
	executionTrace = "trace"
	blockProfile   = "block"
	mutexProfile   = "mutex"
)

// Profiler serves the profiles of the process. They contain the names of functions, never data of a store. There is no
// route for the command line, which may contain secrets.
type Profiler struct {
	// mayRead returns a fault unless the request may read what concerns the whole process. A role is not enough: the
	// process serves all stores, and an operator belongs to some of them.
	mayRead func(*http.Request) error
	// making is locked while a profile is made: there is one at a time.
	making sync.Mutex
	// stopping reports whether the server is shutting down, which ends a recording.
	stopping func() bool
	// traceBytes is the constant, except in tests.
	traceBytes int
}

// New returns a Profiler. The function mayRead returns a fault unless the request may read what concerns the whole
// process; stopping reports whether the server is shutting down.
func New(mayRead func(*http.Request) error, stopping func() bool) *Profiler {
	return &Profiler{mayRead: mayRead, stopping: stopping, traceBytes: traceBytes}
}

// profileBuffer holds a profile while it is recorded.
type profileBuffer struct {
	content bytes.Buffer
	// full is closed when the content exceeds limit. Content beyond most is dropped.
	full        chan struct{}
	closeFull   sync.Once
	limit, most int
}

// Write implements io.Writer. It never fails, since the runtime ignores errors.
func (b *profileBuffer) Write(p []byte) (int, error) {
	size := b.content.Len() + len(p)
	if size <= b.most {
		b.content.Write(p)
	}
	if size > b.limit {
		b.closeFull.Do(func() { close(b.full) })
	}
	return len(p), nil
}

// Routes returns the routes of the profiles. They need what /metrics needs, which their handlers check.
func (p *Profiler) Routes() []httpapi.Route {
	return []httpapi.Route{
		{Method: "GET", Path: Path, Handler: p.list, PlainMediaType: "text/plain",
			Tag: "Operations", Summary: "The profiles of the process", Status: 200},
		{Method: "GET", Path: Path + "/{profile}", Handler: p.write,
			PlainMediaType: "application/octet-stream", Tag: "Operations", Summary: "A profile, for go tool pprof",
			Status: 200},
	}
}

// recordedProfiles returns the names of the profiles that record for some time.
func recordedProfiles() []string {
	return []string{blockProfile, mutexProfile, cpuProfile, executionTrace}
}

// snapshotProfiles returns the names of the profiles that are snapshots.
func snapshotProfiles() []string { return []string{"allocs", "goroutine", "heap", "threadcreate"} }

func (p *Profiler) list(w http.ResponseWriter, r *httpapi.Request) error {
	if err := p.mayRead(r.Request); err != nil {
		return err
	}
	var text strings.Builder
	for _, name := range snapshotProfiles() {
		fmt.Fprintf(&text, "%s/%s\n", Path, name)
	}
	for _, name := range recordedProfiles() {
		fmt.Fprintf(&text, "%s/%s?seconds=10\n", Path, name)
	}
	return writeProfile(w, "", []byte(text.String()))
}

// write writes one profile. It records into memory, so that a recording that fails still gets a problem. The slot is
// free again when the client has the profile: a snapshot stops the process for a moment, and a large text takes memory.
func (p *Profiler) write(w http.ResponseWriter, r *httpapi.Request) error {
	if err := p.mayRead(r.Request); err != nil {
		return err
	}

	name := r.PathValue("profile")
	query := r.URL.Query()
	recorded := slices.Contains(recordedProfiles(), name)
	if !recorded && !slices.Contains(snapshotProfiles(), name) {
		return fault.New(fault.NotFound, "not_found", "There is no such profile. The page %s lists them.", Path)
	}

	var duration time.Duration
	if recorded {
		var err error
		if duration, err = recordingTime(name, query.Get("seconds")); err != nil {
			return err
		}
	}

	if !p.making.TryLock() {
		return errProfileRunning()
	}
	defer p.making.Unlock()

	if recorded {
		content, err := p.record(r.Context(), name, duration)
		if err != nil {
			return err
		}
		if name == cpuProfile || name == executionTrace {
			return writeProfile(w, name, content)
		}
	}

	var content bytes.Buffer
	debug := 0 // the format of go tool pprof; 1 and 2 are texts
	if text := query.Get("debug"); text == "1" || text == "2" {
		debug = int(text[0] - '0')
	}

	if err := pprof.Lookup(name).WriteTo(&content, debug); err != nil {
		return err
	}

	if debug > 0 {
		name = ""
	}

	return writeProfile(w, name, content.Bytes())
}

// writeProfile sends a file of the given name, or a text if the name is empty.
func writeProfile(w http.ResponseWriter, name string, content []byte) error {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "text/plain; charset=utf-8")
	if name != "" {
		h.Set("Content-Type", "application/octet-stream")
		h.Set("Content-Disposition", `attachment; filename="`+name+`.pprof"`)
	}
	_, err := w.Write(content)
	return err
}

// recordingTime reads the parameter seconds: how long to record, by default 10 seconds.
func recordingTime(name, text string) (time.Duration, error) {
	most := maxProfileSeconds
	if name == executionTrace {
		most = maxTraceSeconds
	}
	if text == "" {
		return 10 * time.Second, nil
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || !(seconds > 0 && seconds <= float64(most)) {
		return 0, fault.New(fault.Malformed, "malformed_query", "seconds must be a number above 0 and up to %d.", most)
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// profileRetry is when a client that found another profile running should try again.
const profileRetry = 5 * time.Second

func errProfileRunning() *fault.Error {
	return fault.New(fault.TooMany, "profile_running", "Another profile is being made. Try again shortly.").
		After(profileRetry)
}

// record records for the given time and returns the profile of the CPU or the execution trace. An execution trace ends
// early when it has traceBytes. The profiles of blocking and of mutexes cost time wherever a goroutine waits, so
// they are on only meanwhile; what they recorded before is added up.
func (p *Profiler) record(ctx context.Context, name string, duration time.Duration) (content []byte, err error) {
	buffer := &profileBuffer{limit: p.traceBytes, most: maxTraceBytes, full: make(chan struct{})}

	// Deferred calls that stop the recording run before this one and complete the content.
	defer func() { content = buffer.content.Bytes() }()

	switch name {
	case cpuProfile:
		if err := pprof.StartCPUProfile(&buffer.content); err != nil {
			return nil, errProfileRunning().Because(err)
		}
		defer pprof.StopCPUProfile()
	case executionTrace:
		if err := trace.Start(buffer); err != nil {
			return nil, errProfileRunning().Because(err)
		}
		defer trace.Stop()
	case blockProfile:
		runtime.SetBlockProfileRate(blockProfileRate)
		defer runtime.SetBlockProfileRate(0)
	case mutexProfile:
		defer runtime.SetMutexProfileFraction(runtime.SetMutexProfileFraction(mutexProfileFraction))
	default:
		return nil, errors.New("no recorded profile " + name)
	}

	return nil, p.wait(ctx, duration, buffer.full)
}

// wait waits for the duration, until the recording is full, or until the server stops: a profile must not delay that.
func (p *Profiler) wait(ctx context.Context, duration time.Duration, full <-chan struct{}) error {
	const check = 100 * time.Millisecond
	end := time.NewTimer(duration)
	defer end.Stop()

	tick := time.NewTicker(check)
	defer tick.Stop()

	for {
		select {
		case <-end.C:
			return nil
		case <-full:
			return nil
		case <-tick.C:
			if p.stopping() {
				return nil
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
