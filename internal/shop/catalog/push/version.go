package push

import (
	"maps"
	"slices"
)

// leaveStale sets the outcome of an item that is older than what was applied: it is left alone. It returns false for
// any other item. stored is the version of the item that was applied last, or nil.
func (p *Pushed) leaveStale(version, stored *int64) bool {
	if version == nil || stored == nil || *version >= *stored {
		return false
	}
	p.LeaveStale(*version, *stored)
	return true
}

// LeaveStale sets the outcome of an item whose version is lower than the stored one.
func (p *Pushed) LeaveStale(version, stored int64) {
	p.Outcome = Unchanged
	p.Stale = true
	p.Errors = nil
	p.Warnings = nil
	p.warn("version", "stale", "The version %d is older than %d, which was applied before, so the item was left alone.",
		version, stored)
}

// raisedVersions are the versions of items whose content is as it was pushed last, by the keys of their rows. Only
// source_version of these rows is written, so they stay unchanged for everybody else.
type raisedVersions map[int64]int64

// add adds the version of an Unchanged item if it is newer than the stored one.
func (r raisedVersions) add(key int64, version, stored *int64) {
	if version != nil && (stored == nil || *version > *stored) {
		r[key] = *version
	}
}

// keys returns the keys of the rows, sorted.
func (r raisedVersions) keys() []int64 { return slices.Sorted(maps.Keys(r)) }
