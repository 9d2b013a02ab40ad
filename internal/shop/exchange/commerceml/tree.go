package commerceml

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
)

// What a tree of elements takes, in bytes: an element with its place in the list of its parent, a list of elements, and
// an attribute with its place in the list of its element.
const (
	nodeMemory      = 112
	listMemory      = 64
	attributeMemory = 80
	// treeStep is how many bytes a tree acquires at a time.
	treeStep = 4 << 10
)

// element reads the element that was begun last, with all that is inside it, and calls fn with it. Its memory is
// counted until fn returns.
func (r *reader) element(start startTag, fn func(*element) error) error {
	e, held, err := r.tree(start)
	defer r.room.Free(held)
	if err != nil {
		return err
	}
	return fn(e)
}

// tree reads the element that was begun last, with all that is inside it. It returns how much memory is counted for it,
// also with an error; the caller frees it.
func (r *reader) tree(start startTag) (_ *element, held int64, _ error) {
	t := treeReader{r: r, limit: r.scanner.offset() + maxElementBytes}
	e, err := t.read(start)
	return e, t.held, err
}

// treeReader reads one element with all that is inside it.
type treeReader struct {
	r     *reader
	limit int64 // offset in the file
	nodes int
	used  int64 // bytes of memory, of which held are acquired
	held  int64
}

// take counts bytes of memory before they are allocated.
func (t *treeReader) take(n int) error {
	t.used += int64(n)
	if t.used <= t.held {
		return nil
	}
	more := max(treeStep, t.used-t.held)
	if err := t.r.room.Take(more); err != nil {
		return err
	}
	t.held += more
	return nil
}

// begin counts an element. Its attributes have been read with its tag, whose size is limited.
func (t *treeReader) begin(start startTag) error {
	if t.nodes++; t.nodes > maxNodes {
		return malformed("An element of the file has more than %d elements inside it.", maxNodes)
	}
	if t.r.scanner.offset() > t.limit {
		return errTooLarge()
	}
	size := nodeMemory + len(start.name)
	for _, a := range start.attrs {
		size += attributeMemory + len(a.name) + len(a.value)
	}
	return t.take(size)
}

// textCopies returns how many copies of a further part of a text are made: one for the first part, and for others those
// of a slice that grows and of the text that it becomes.
func textCopies(t elementText) int {
	if t.first == "" {
		return 1
	}
	return 3
}

func (t *treeReader) read(start startTag) (*element, error) {
	if err := t.begin(start); err != nil {
		return nil, err
	}

	e := &element{name: start.name, attrs: start.attrs}
	var text elementText
	for {
		inside, err := t.r.next()
		if err != nil {
			return nil, err
		}

		switch inside.kind {
		case startEvent:
			if e.children == nil {
				if err := t.take(listMemory); err != nil {
					return nil, err
				}
				e.children = make([]*element, 0, 8)
			}

			child, err := t.read(inside.start)
			if err != nil {
				return nil, err
			}

			e.children = append(e.children, child)

		case textEvent:
			if t.r.scanner.offset() > t.limit {
				return nil, errTooLarge()
			}
			kept := text.kept(inside.text, maxLongText)
			if err := t.take(textCopies(text) * len(kept)); err != nil {
				return nil, err
			}
			text.add(kept)

		case endEvent:
			e.text = text.trimmed()
			return e, nil
		}
	}
}

const (
	// readAhead limits the elements that are read while others are mapped, in bytes of the file. One element may exceed
	// it.
	readAhead = 256 << 10
	// maxTreesAhead limits the memory of the elements that are not mapped yet when another one is read.
	maxTreesAhead = 4 << 20
)

// heldElement is an element whose memory is counted.
type heldElement struct {
	*element
	held int64
}

// aheadReader reads elements while others are mapped.
type aheadReader struct {
	r       *reader
	name    string
	batches chan []heldElement
	stop    chan struct{}
	// waiting is the memory of the elements that are not mapped yet, and limit that at which reading pauses. mapped is
	// signalled when an element was mapped.
	waiting atomic.Int64
	limit   int64
	mapped  chan struct{}

	batch []heldElement
	began int64 // offset of batch in the file
}

// eachElement calls fn for each child with this name of the element that was begun last, and skips the others. Elements
// are read while fn maps those before them.
func (r *reader) eachElement(name string, fn func(*element) error) error {
	a := &aheadReader{r: r, name: name, batches: make(chan []heldElement, 1), stop: make(chan struct{}),
		limit: r.room.part(16, maxTreesAhead), mapped: make(chan struct{}, 1)}
	result := make(chan error, 1)

	go func() {
		defer close(a.batches)
		defer func() {
			if panicked := recover(); panicked != nil { // otherwise it would end the program, not only the job
				result <- fmt.Errorf("read a file of 1C: %v\n%s", panicked, debug.Stack())
			}
		}()
		result <- a.read()
	}()
	defer func() {
		close(a.stop)
		for batch := range a.batches { // until the goroutine has ended, since the caller goes on with the reader
			a.free(batch...)
		}
	}()

	for batch := range a.batches {
		for i, e := range batch {
			if err := fn(e.element); err != nil {
				a.free(batch[i:]...)
				return err
			}
			a.free(e)
			batch[i].element = nil
		}
	}

	return <-result
}

// free releases the memory of elements that were mapped or are not needed.
func (a *aheadReader) free(list ...heldElement) {
	for _, e := range list {
		a.r.room.Free(e.held)
		a.waiting.Add(-e.held)
	}
	select {
	case a.mapped <- struct{}{}:
	default:
	}
}

// errStopped says that nobody wants further elements.
var errStopped = errors.New("stopped")

// read sends the children in batches.
func (a *aheadReader) read() error {
	a.began = a.r.scanner.offset()

	_, err := a.r.each(func(start startTag) error {
		if start.name != a.name {
			return a.r.skip()
		}
		if err := a.waitForRoom(); err != nil {
			return err
		}

		e, held, err := a.r.tree(start)
		if err != nil {
			a.r.room.Free(held)
			return err
		}

		a.waiting.Add(held)
		if a.batch = append(a.batch, heldElement{e, held}); a.r.scanner.offset()-a.began < readAhead {
			return nil
		}

		return a.send()
	})
	if len(a.batch) > 0 && !errors.Is(err, errStopped) {
		err = cmp.Or(err, a.send())
	}

	a.free(a.batch...) // what could not be sent
	return err
}

// waitForRoom waits until few elements wait to be mapped.
func (a *aheadReader) waitForRoom() error {
	for a.waiting.Load() > a.limit {
		if len(a.batch) > 0 {
			if err := a.send(); err != nil {
				return err
			}
			continue
		}
		select {
		case <-a.mapped:
		case <-a.stop:
			return errStopped
		}
	}
	return nil
}

// send sends the elements that were read.
func (a *aheadReader) send() error {
	select {
	case a.batches <- a.batch:
		a.batch = nil
		a.began = a.r.scanner.offset()
		return nil
	case <-a.stop:
		return errStopped
	}
}
