package exchange

import (
	"io"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/memory"
)

// wholeBody reads the body of a push that is applied in one transaction. It returns fault.TooLarge if the body is
// larger than what a store may have in temporary files: such a push could never be applied. The grant acquires the
// bytes that are read.
type wholeBody struct {
	body   io.Reader
	params Params
	read   int64
	limit  int64
	grant  *memory.Grant
}

// newWholeBody returns a reader of body. A nil grant checks only the size.
func (s *Pushes) newWholeBody(body io.Reader, params Params, grant *memory.Grant) io.Reader {
	if s.SpoolShare == nil {
		return body
	}
	return &wholeBody{body: body, params: params, limit: s.SpoolShare.StoreLimit(), grant: grant}
}

// wholeBodyStep is how many bytes a wholeBody acquires at a time.
const wholeBodyStep = 256 << 10

func (b *wholeBody) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	if b.read += int64(n); b.read > b.limit {
		return 0, b.tooLarge()
	}
	steps := (b.read + wholeBodyStep - 1) / wholeBodyStep
	if refused := b.grant.Grow(min(b.limit, steps*wholeBodyStep)); refused != nil {
		return 0, refused
	}
	return n, err
}

func (b *wholeBody) tooLarge() error {
	what := "An atomic push"
	advice := "Send it without atomic=true, or in smaller parts."
	if !b.params.Atomic {
		what = "A dry run of categories"
		advice = "Send fewer categories."
	}
	return fault.New(fault.TooLarge, "push_too_large", "Nothing of this push was applied. %s is stored in a temporary "+
		"file first, and a store may have %d MiB of these. %s", what, b.limit>>20, advice)
}
