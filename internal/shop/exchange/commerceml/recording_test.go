package commerceml_test

import (
	"bytes"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"vitrine/internal/shop/exchange/commerceml"
)

// mappedFile is what a mapping has passed on, and its recording.
type mappedFile struct {
	lines     []string
	summary   commerceml.Summary
	recording []byte
}

// recordMapping maps a file. It checks that its recording does the same, and again when the file comes again, unless
// IsCurrent says no. So all tests of mappings are tests of recordings.
func recordMapping(t *testing.T, options commerceml.Options, memory *commerceml.Memory, file string) (m mappedFile) {
	t.Helper()
	before := cloneMemory(memory)
	convert := func(memory *commerceml.Memory) (m mappedFile) {
		t.Helper()
		options.Recorder = &commerceml.Recorder{Write: func(b []byte) { m.recording = append(m.recording, b...) }}
		var err error
		m.summary, err = commerceml.Convert(strings.NewReader(file), options, memory, listingTarget(&m.lines))
		if err != nil {
			t.Fatalf("Convert: %v", err)
		}
		return m
	}

	m = convert(memory)
	wantReplay(t, m, before, memory)
	again := cloneMemory(memory)
	if isCurrent(t, m.recording, again) {
		after := cloneMemory(memory)
		second := convert(after)
		second.recording = m.recording
		wantReplay(t, second, memory, after)
	}

	m.lines = slices.DeleteFunc(m.lines, func(line string) bool { return strings.HasPrefix(line, "listed ") })
	return m
}

// listingTarget is target, with a line for each good and offer that is listed.
func listingTarget(lines *[]string) commerceml.Target {
	to := target(lines)
	to.Listed = func(l commerceml.Listed) error {
		*lines = append(*lines, strings.Join([]string{"listed", l.Catalog, l.Good, l.Offer}, " "))
		return nil
	}
	return to
}

func cloneMemory(m *commerceml.Memory) *commerceml.Memory {
	return &commerceml.Memory{Properties: maps.Clone(m.Properties), PriceTypes: slices.Clone(m.PriceTypes),
		TypeLists: m.TypeLists, Quantities: m.Quantities}
}

func recordedLines(recording []byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for line := range bytes.Lines(recording) {
			if !yield(bytes.TrimSuffix(line, []byte("\n")), nil) {
				return
			}
		}
	}
}

func isCurrent(t *testing.T, recording []byte, memory *commerceml.Memory) bool {
	t.Helper()
	var lines []string
	current, err := commerceml.IsCurrent(recordedLines(recording), memory, listingTarget(&lines))
	if err != nil || len(lines) > 0 {
		t.Fatalf("IsCurrent: %v, passed on %q", err, lines)
	}
	return current
}

// wantReplay replays a recording with the memory before the mapping, and compares what it passes on, and the memory.
func wantReplay(t *testing.T, want mappedFile, before, after *commerceml.Memory) {
	t.Helper()
	memory := cloneMemory(before)
	if !isCurrent(t, want.recording, memory) {
		t.Error("the recording is not current with the same memory")
		return
	}
	if diff := cmp.Diff(after, memory, cmpopts.IgnoreUnexported(commerceml.Memory{}),
		cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the memory differs (-mapped +replayed):\n%s", diff)
	}

	var lines []string
	summary, err := commerceml.Replay(recordedLines(want.recording), nil, listingTarget(&lines))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.lines, lines); diff != "" {
		t.Errorf("the items differ (-mapped +replayed):\n%s", diff)
	}
	if diff := cmp.Diff(want.summary, summary, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the summary differs (-mapped +replayed):\n%s", diff)
	}
}

// 1C writes into each file when it has written it. Nothing else may differ.
func TestDigest_dependsOnAllButTheTimeOfTheFile(t *testing.T) {
	t.Parallel()
	digest := func(program string, o commerceml.Options, file string) string {
		d := commerceml.NewDigest([]byte(program), o)
		for i := 0; i < len(file); i += 7 {
			if _, err := d.Write([]byte(file[i:min(i+7, len(file))])); err != nil {
				t.Fatal(err)
			}
		}
		return string(d.Sum())
	}

	file := func(declaration, attributes, content string) string { // longer than what is searched for the time
		return declaration + `<КоммерческаяИнформация` + attributes + `>` + content +
			strings.Repeat("<Ид>x</Ид>", 1000) + `</КоммерческаяИнформация>`
	}
	const declaration, other = `<?xml version="1.0" encoding="UTF-8"?>` + "\n", ` ВерсияСхемы="2.08"`
	at := func(time string) string { return other + ` ДатаФормирования="` + time + `"` }
	want := digest("p", commerceml.Options{}, file(declaration, at("2026-01-01T00:00:00"), "a"))

	none := commerceml.Options{}
	first := at("2026-01-01T00:00:00")
	for name, c := range map[string]struct {
		program string
		options commerceml.Options
		file    string
		same    bool
	}{
		"another time":               {"p", none, file(declaration, at("2027-11-30T23:59:58"), "a"), true},
		"another form of time":       {"p", none, file(declaration, at("2027-11-30"), "a"), false},
		"another declaration":        {"p", none, file(`<?xml version="1.0"?>`, first, "a"), false},
		"another attribute":          {"p", none, file(declaration, " a='<'"+first, "a"), false},
		"another element":            {"p", none, file(declaration, first, "b"), false},
		"another time of an element": {"p", none, file(declaration, first, `<a b="2027-11-30T23:59:58"/>a`), false},
		"another program":            {"q", none, file(declaration, first, "a"), false},
		"another option":             {"p", commerceml.Options{PriceLists: true}, file(declaration, first, "a"), false},
		"another room": {"p", commerceml.Options{Room: commerceml.NewRoom(nil, 1<<20)}, file(declaration, first, "a"),
			false},
	} {
		if same := digest(c.program, c.options, c.file) == want; same != c.same {
			t.Errorf("%s: the digest is the same: %t, want %t", name, same, c.same)
		}
	}

	short := []string{`<a b="2026-01-01T00:00:00"/>`, `<a b="2026-01-01T00:00:01"/>`, `<a b="2026-01-01T00:00:01">`}
	if a, b, c := digest("", commerceml.Options{}, short[0]), digest("", commerceml.Options{}, short[1]),
		digest("", commerceml.Options{}, short[2]); a != b || a == c {
		t.Error("the digest of a short file is wrong")
	}
}
