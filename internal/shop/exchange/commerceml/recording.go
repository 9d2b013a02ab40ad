package commerceml

import (
	"bytes"
	"crypto/sha512"
	"fmt"
	"hash"
	"iter"
	"regexp"
	"slices"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/wire"
)

// A recording has all that Convert passes on, and all that it asks, with the answers. Convert is a function of the
// file, the options and the answers: so a file with the same Digest, for which all answers are the same again, has the
// same recording, and need not be read and mapped. The lines of a recording are a byte that says what follows, and
// compact JSON. An item has its JSON behind its Item and a tab.
const (
	itemLine    = 'i'
	packetLine  = 'k' // of the next listed
	listedLine  = 'l'
	summaryLine = 's' // the last line

	propertyLine      = 'p' // Memory.property: a propertyRecord
	numbersLine       = 'r' // Memory.hadNumbers: a numbersRecord
	setPropertyLine   = 'P' // Memory.setProperty
	typesLine         = 't' // Memory.types: the price types with ranks
	addTypesLine      = 'T' // Memory.addPriceTypes: a typesRecord
	quantitiesLine    = 'q' // Memory.hasQuantities
	setQuantitiesLine = 'Q' // Memory.setQuantities
	pictureLine       = 'c' // Target.Picture: path and address
	namesLine         = 'n' // Target.Property: property, value, name and text
)

// propertyRecord is the type of a property. Refused says that it was not remembered.
type propertyRecord struct {
	ID      string       `json:"id"`
	Type    PropertyType `json:"type"`
	Refused bool         `json:"refused,omitzero"`
}

// numbersRecord says whether the values of a property were numbers.
type numbersRecord struct {
	ID  string `json:"id"`
	Had bool   `json:"had"`
}

// typesRecord is a list of price types. Refused says that not all of them were remembered.
type typesRecord struct {
	List    []PriceType `json:"list"`
	Refused bool        `json:"refused,omitzero"`
}

// maxRecordedProperties limits the properties whose types are recorded.
const maxRecordedProperties = 2 * maxProperties

// Recorder records what Convert passes on and asks.
type Recorder struct {
	// Write takes the next bytes of the recording, which are valid until it returns.
	Write func([]byte)
	// Incomplete says that something was not recorded.
	Incomplete bool

	line   []byte
	packet Packet
	listed bool // something was listed with the packet
	// What the recording has of the memory already, so that the same question is asked once.
	properties        map[string]bool
	types, quantities bool
}

// add adds a line.
func (r *Recorder) add(kind byte, value any) {
	r.line = append(wire.AppendJSON(append(r.line[:0], kind), value), '\n')
	r.Write(r.line)
}

// around returns a target that records what passes through it to another one.
func (r *Recorder) around(t Target) Target {
	next := t
	next.Item = func(it Item) error {
		r.line = wire.AppendJSON(append(r.line[:0], itemLine), it)
		r.line = append(append(append(r.line, '\t'), it.JSON...), '\n')
		r.Write(r.line)
		if cap(r.line) > maxLineBuffer {
			r.line = nil
		}
		return t.Item(it)
	}

	next.Picture = func(path string) (string, error) {
		address, err := t.Picture(path)
		if err == nil {
			r.add(pictureLine, []string{path, address})
		}
		return address, err
	}

	if t.Listed != nil {
		next.Listed = func(l Listed) error {
			if !r.listed || l.Packet != r.packet {
				r.packet = l.Packet
				r.listed = true
				r.add(packetLine, l.Packet)
			}
			r.add(listedLine, []string{l.Good, l.Offer})
			return t.Listed(l)
		}
	}

	if t.Property != nil {
		next.Property = func(property, value string) (name, text string, err error) {
			name, text, err = t.Property(property, value)
			if err == nil {
				r.add(namesLine, []string{property, value, name, text})
			}
			return name, text, err
		}
	}
	return next
}

// property records the type of a property that is read. The recorder may be nil.
func (r *Recorder) property(id string, of PropertyType) {
	if r == nil || r.properties[id] || r.Incomplete {
		return
	}
	r.add(propertyLine, propertyRecord{ID: id, Type: of})
	r.knowProperty(id)
}

// readNumbers records whether the values of a property were numbers. The type of the property may be another one when
// the recording is replayed, since this file sets it.
func (r *Recorder) readNumbers(id string, had bool) {
	if r != nil && !r.properties[id] && !r.Incomplete {
		r.add(numbersLine, numbersRecord{ID: id, Had: had})
	}
}

// setProperty records the type of a property that is stored.
func (r *Recorder) setProperty(id string, of PropertyType, refused bool) {
	if r == nil || r.Incomplete {
		return
	}
	r.add(setPropertyLine, propertyRecord{ID: id, Type: of, Refused: refused})
	if !refused {
		r.knowProperty(id)
	}
}

func (r *Recorder) knowProperty(id string) {
	if r.properties == nil {
		r.properties = map[string]bool{}
	}
	if len(r.properties) >= maxRecordedProperties {
		r.Incomplete = true
		return
	}
	r.properties[id] = true
}

// readTypes records the price types that are read.
func (r *Recorder) readTypes(list []PriceType) {
	if r != nil && !r.types {
		r.types = true
		r.add(typesLine, ranked(list))
	}
}

// addTypes records the price types that are added.
func (r *Recorder) addTypes(list []PriceType, refused bool) {
	if r != nil {
		r.types = false
		r.add(addTypesLine, typesRecord{List: list, Refused: refused})
	}
}

// readQuantities and setQuantities record Memory.Quantities.
func (r *Recorder) readQuantities(has bool) {
	if r != nil && !r.quantities {
		r.quantities = true
		r.add(quantitiesLine, has)
	}
}

func (r *Recorder) setQuantities(has bool) {
	if r != nil {
		r.quantities = r.quantities || has
		r.add(setQuantitiesLine, has)
	}
}

// ranked returns price types with ranks instead of counts in Seen: only the order of the counts matters.
func ranked(list []PriceType) []PriceType {
	var counts []int64
	for _, t := range list {
		counts = append(counts, t.Seen)
	}
	slices.Sort(counts)
	counts = slices.Compact(counts)

	all := slices.Clone(list)
	for i := range all {
		rank, _ := slices.BinarySearch(counts, all[i].Seen)
		all[i].Seen = int64(rank) + 1
	}
	return all
}

// IsCurrent reports whether all that is asked in a recording has the same answers, and changes memory as Convert would.
// If it returns false, memory may be changed, too. It returns the errors of target, and those of lines.
func IsCurrent(lines iter.Seq2[[]byte, error], memory *Memory, target Target) (bool, error) {
	memory.bound()
	complete := false
	for line, err := range lines {
		if err != nil {
			return false, err
		}
		same, err := isCurrent(line, memory, target)
		if err != nil || !same {
			return false, err
		}
		complete = line[0] == summaryLine
	}
	return complete, nil
}

// isCurrent does the same for a line.
func isCurrent(line []byte, memory *Memory, target Target) (same bool, err error) {
	content := line[1:]
	switch line[0] {
	case propertyLine, setPropertyLine:
		var p propertyRecord
		if json.Unmarshal(content, &p) != nil {
			return false, nil
		}
		if line[0] == propertyLine {
			return memory.Properties[p.ID] == p.Type, nil
		}
		return memory.setProperty(p.ID, p.Type) == !p.Refused, nil

	case numbersLine:
		var n numbersRecord
		err := json.Unmarshal(content, &n)
		return (memory.Properties[n.ID] == NumberProperty) == n.Had, err

	case typesLine:
		return bytes.Equal(content, wire.AppendJSON(nil, ranked(memory.PriceTypes))), nil
	case addTypesLine:
		var t typesRecord
		if json.Unmarshal(content, &t) != nil {
			return false, nil
		}
		return memory.addPriceTypes(t.List) == !t.Refused, nil

	case quantitiesLine:
		return memory.Quantities == (string(content) == "true"), nil
	case setQuantitiesLine:
		memory.setQuantities(string(content) == "true")
		return true, nil
	case pictureLine, namesLine:
		return hasAnswer(line, target)
	}

	return true, nil
}

// hasAnswer reports whether the target gives the recorded answer to a line.
func hasAnswer(line []byte, target Target) (bool, error) {
	var texts []string
	if err := json.Unmarshal(line[1:], &texts); err != nil {
		return false, err
	}
	if line[0] == pictureLine {
		address, err := target.Picture(texts[0])
		return err == nil && address == texts[1], err
	}
	name, text, err := target.Property(texts[0], texts[1])
	return err == nil && name == texts[2] && text == texts[3], err
}

// Replay passes on what a recording has, of which IsCurrent was true.
func Replay(lines iter.Seq2[[]byte, error], room *Room, target Target) (summary Summary, err error) {
	r := replayer{room: room.orDefault(), target: target}
	for line, err := range lines {
		if err != nil {
			return summary, err
		}

		content := line[1:]
		switch line[0] {
		case packetLine:
			err = json.Unmarshal(content, &r.listed.Packet)
		case listedLine:
			err = r.replayListed(content)
		case itemLine:
			err = r.replayItem(content)
		case summaryLine:
			err = json.Unmarshal(content, &summary)
		}

		if err != nil {
			return summary, fmt.Errorf("replay a recording: %w", err)
		}
	}
	return summary, nil
}

type replayer struct {
	room   *Room
	target Target
	listed Listed
	// item is the last item, and head the JSON of its Item. Many offers have the same.
	item Item
	head []byte
}

func (r *replayer) replayItem(content []byte) error {
	head, text, _ := bytes.Cut(content, []byte{'\t'})
	if !bytes.Equal(head, r.head) {
		r.item = Item{}
		if err := json.Unmarshal(head, &r.item); err != nil {
			return err
		}
		r.head = append(r.head[:0], head...)
	}

	it := r.item
	it.JSON = text
	copies := itemCopies * int64(len(text))
	if err := r.room.Take(copies); err != nil {
		return err
	}
	defer r.room.Free(copies)
	return r.target.Item(it)
}

func (r *replayer) replayListed(content []byte) error {
	texts, err := pairOf(content)
	if err != nil || r.target.Listed == nil {
		return err
	}
	r.listed.Good, r.listed.Offer = texts[0], texts[1]
	return r.target.Listed(r.listed)
}

// pairOf decodes a list of two texts. It is fast if none of them has an escaped character.
func pairOf(list []byte) (texts [2]string, err error) {
	first, second, _ := bytes.Cut(list, []byte(`","`))
	if bytes.IndexByte(list, '\\') >= 0 || len(first) < len(`["`) || len(second) < len(`"]`) {
		err = json.Unmarshal(list, &texts)
		return texts, err
	}
	return [2]string{string(first[len(`["`):]), string(second[:len(second)-len(`"]`)])}, nil
}

// Digest computes the digest of a file and of the options with which it is mapped. When the file was written does not
// matter.
type Digest struct {
	hash hash.Hash
	head []byte // of the file, as long as it is read
	// Bytes is the size of the file.
	Bytes int64
}

// NewDigest returns a Digest. Another program may map a file in another way, so program identifies this one.
func NewDigest(program []byte, options Options) *Digest {
	d := &Digest{hash: sha512.New512_256(), head: make([]byte, 0, maxHead)}
	room := options.Room.orDefault()
	b := append([]byte(nil), program...)
	b = append(wire.AppendJSON(b, options), '\n')
	b = append(wire.AppendJSON(b, []int64{room.limit, room.reserved}), '\n')
	_, _ = d.hash.Write(b) // a hash returns no error
	return d
}

// maxHead is how much of a file is searched for the time at which it was written.
const maxHead = 4 << 10

// writtenAt finds the first time among the attributes of the root element. Those are not mapped.
var writtenAt = regexp.MustCompile(
	`^\x{feff}?\s*(?:<\?xml[^<>]*\?>\s*)?<[^<>!?]*?=\s*["'](\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)["']`)

// Write implements io.Writer. It never fails.
func (d *Digest) Write(b []byte) (int, error) {
	n := len(b)
	d.Bytes += int64(n)
	if d.head != nil {
		of := min(n, maxHead-len(d.head))
		d.head = append(d.head, b[:of]...)
		b = b[of:]
		if len(d.head) < maxHead {
			return n, nil
		}
		d.writeHead()
	}
	_, err := d.hash.Write(b)
	return n, err
}

func (d *Digest) writeHead() {
	if at := writtenAt.FindSubmatchIndex(d.head); at != nil {
		_, _ = d.hash.Write(d.head[:at[2]])
		_, _ = d.hash.Write(d.head[at[3]:])
	} else {
		_, _ = d.hash.Write(d.head)
	}
	d.head = nil
}

// Sum returns the digest of what was written.
func (d *Digest) Sum() []byte {
	if d.head != nil {
		d.writeHead()
	}
	return d.hash.Sum(nil)
}
