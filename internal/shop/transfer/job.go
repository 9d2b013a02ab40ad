package transfer

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"vitrine/internal/shop/store"
)

// jobForm says what the payload of a kind of jobs has.
type jobForm struct {
	// sealedFor is the purpose of a payload that is encrypted as a whole.
	sealedFor string
	// hasKey says that the key of a row follows the id of the store, named that it is the unique name of the job, too.
	hasKey, named bool
}

// storeBytes is the length of the id of the store, with which the payloads begin that are not encrypted.
const storeBytes = 16

// jobForms returns the kinds of jobs.
func jobForms() map[string]jobForm {
	return map[string]jobForm{
		"bulk":                {},
		"order.adopt":         {},
		"webhook.deliver":     {},
		"exchange.run":        {hasKey: true},
		"exchange.commerceml": {hasKey: true, named: true},
		"image.download":      {hasKey: true, named: true},
		"mail.event":          {sealedFor: "mail about an event"},
		"mail.send":           {sealedFor: "queued message"},
	}
}

// JobKinds returns the kinds of jobs that an archive can have.
func JobKinds() []string { return slices.Collect(maps.Keys(jobForms())) }

// hasJobs reports whether the rows are jobs.
func (t *table) hasJobs() bool { return t.name == "jobs" || t.name == "parked_jobs" }

// jobOf returns the form of the job in a row of jobs or of parked_jobs, and the positions of its columns.
func jobOf(t *table, row []any) (form jobForm, payload, name int, err error) {
	kind, _ := row[t.index("kind")].(string)
	form, ok := jobForms()[kind]
	if !ok {
		err = fmt.Errorf("there is a job of the unknown kind %q", kind)
	}
	return form, t.index("payload"), t.index("unique_name"), err
}

// isOf reports whether the job in a row is one of the store. One that is encrypted belongs to the store of its lane.
func (f jobForm) isOf(storeID store.ID, t *table, row []any) bool {
	if f.sealedFor != "" {
		return row[t.index("lane")] == any(storeID.String())
	}
	payload, _ := row[t.index("payload")].([]byte)
	return bytes.HasPrefix(payload, storeID[:])
}

// resealJob encrypts the payload of a job again.
func (s sealer) resealJob(t *table, row []any) error {
	form, payload, _, err := jobOf(t, row)
	if err != nil || form.sealedFor == "" {
		return err
	}
	value, _ := row[payload].([]byte)
	row[payload], err = s.reseal(form.sealedFor, value)
	return err
}

// renumberJob adds the offset to the key in a job.
func renumberJob(t *table, row []any, offset int64) error {
	form, payload, name, err := jobOf(t, row)
	if err != nil || !form.hasKey {
		return err
	}

	value, _ := row[payload].([]byte)
	if len(value) < storeBytes+8 {
		return errRow
	}
	value = bytes.Clone(value)
	key := int64(binary.BigEndian.Uint64(value[storeBytes:])) + offset
	binary.BigEndian.PutUint64(value[storeBytes:], uint64(key))
	row[payload] = value

	if form.named {
		row[name] = strconv.FormatInt(key, 10)
	}
	return nil
}
