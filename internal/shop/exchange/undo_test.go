package exchange

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

// applied uploads a file, applies it and returns the run that has.
func (s *fixture) applied(entity, file string) Run {
	s.Helper()
	return s.applyDryRun(s.upload(entity, file))
}

func (s *fixture) applyDryRun(dry Run) Run {
	s.Helper()
	run, err := s.applyUpload(dry)
	if err != nil {
		s.Fatal(err)
	}
	return s.waitForRun(run.ID)
}

// undo reverts what was chosen of a run: nil for everything that was not changed since. It returns the applied run.
func (s *fixture) undo(run Run, choice UndoChoice) (Run, UndoCounts) {
	s.Helper()
	dry, counts, err := s.Pushes.Undo(s.Context(), s.Store.ID, run, choice, id.New[access.Operator]())
	if err != nil {
		s.Fatal(err)
	}
	return s.applyDryRun(s.waitForRun(dry.ID)), counts
}

// undoStates returns what can be reverted of a run, one line for each change.
func (s *fixture) undoStates(run Run) string {
	s.Helper()
	var lines []string
	s.Read(func(tx store.Tx) error {
		list, _, err := s.Pushes.UndoItems(s.Context(), tx, run, 0, 100)
		lines = nil
		for _, it := range list {
			lines = append(lines, fmt.Sprintf("%s %s %s", *it.ID, it.Action, it.State))
		}
		return err
	})
	return strings.Join(lines, "\n")
}

// wantStored checks that a push of these items would change nothing.
func (s *fixture) wantStored(entity, items string) {
	s.Helper()
	if got := s.changesText(s.push(entity, items, dryRun)); got != "" {
		s.Errorf("the %s are not as they were: a push of them would change\n%s", entity, got)
	}
}

// undoCase is a file, and what was stored before it.
type undoCase struct {
	entity, before, file string
	// deletes says that the revert deletes things, which the revert of it does not restore.
	deletes bool
}

// What a file has changed is listed with its run, and reverting the file restores what was there before, of each
// entity. The revert can be reverted, too.
func TestUndo_restoresWhatAFileChanged(t *testing.T) {
	for name, c := range undoCases {
		t.Run(name, func(t *testing.T) {
			eachEngine(t, func(s *fixture) {
				defer s.Start(s.Queue.Run)()
				s.prepareUndo()
				s.push(c.entity, c.before)
				s.checkUndo(c)
			})
		})
	}
}

var undoCases = map[string]undoCase{
	"products": {Products, `[
		{"id": 1, "name": "Mug", "description": "White", "categories": ["c"],
			"features": [{"id": "f", "value_id": "a"}], "single_variant": true, "variant_price": 5,
			"variant_remainders": [{"stock_id": "s", "quantity": 3}]},
		{"id": 2, "name": "Shirt", "variants": [
			{"id": 7, "price": 10, "remainders": [{"stock_id": "s", "quantity": 1}],
				"options": [{"id": "o", "value_id": "x"}], "prices": [{"price_list_id": "b2b", "price": 8}]},
			{"id": 8, "price": 11, "options": [{"id": "o", "value_id": "y"}]}]},
		{"id": 3, "name": "Same", "variants": []}]`, `[
		{"id": 1, "name": "Cup", "description": null, "categories": [],
			"features": [{"id": "f", "value_id": "b"}], "single_variant": true, "variant_price": 6,
			"variant_remainders": [{"stock_id": "t", "quantity": 9}]},
		{"id": 2, "variants": [
			{"id": 7, "price": 12, "remainders": [], "prices": [{"price_list_id": "b2b", "price": 7},
				{"price_list_id": "b2b", "from_quantity": 10, "price": 6}]},
			{"id": 9, "price": 1}]},
		{"id": 3, "name": "Same"},
		{"id": 4, "name": "New", "single_variant": true, "variant_price": 1}]`, false},
	"products that get variants": {Products,
		`[{"id": 1, "name": "Mug", "single_variant": true, "variant_price": 5}]`,
		`[{"id": 1, "variants": [{"id": 1, "price": 6}, {"id": 2, "price": 7}]}]`, false},
	"archived products": {Products, `[{"id": 1, "name": "Mug", "single_variant": true, "variant_price": 5}]`,
		`[{"id": 1, "archived": true}]`, false},
	"options": {VariantOptions,
		`[{"id": "o", "name": "Fit", "values": [{"id": "x", "name": "X"}, {"id": "y", "name": "Y"}]}]`,
		`[{"id": "o", "name": "Cut", "values": [{"id": "x", "name": "XX"}, {"id": "z", "name": "Z"}]}]`, false},
	"categories": {Categories, `[{"id": "c", "name": "Top"}, {"id": "d", "name": "D", "parent_id": "c"}]`,
		`[{"id": "d", "name": "E", "parent_id": null}]`, false},
	"stocks": {Stocks, `[{"id": "s", "name": "Main"}]`, `[{"id": "s", "name": "Far"}, {"id": "u", "name": "U"}]`, true},
	"prices": {Prices, `[{"variant_id": "v", "price": 5}, {"variant_id": "w", "price": null}]`,
		`[{"variant_id": "v", "price": 6}, {"variant_id": "w", "price": 6},
		{"variant_id": "v", "price_list_id": "b2b", "price": 4}]`, false},
	"quantities": {Remainders, `[{"variant_id": "v", "stock_id": "s", "quantity": 5}]`,
		`[{"variant_id": "v", "stock_id": "s", "quantity": 6}]`, false},
}

// prepareUndo pushes what the items of the tests refer to.
func (s *fixture) prepareUndo() {
	s.Helper()
	s.push(Features, payload(`{"id": "f", "name": "F", "values": [{"id": "a", "name": "A"},
		{"id": "b", "name": "B"}]}`))
	s.push(VariantOptions, payload(`{"id": "o", "name": "Fit", "values": [{"id": "x", "name": "X"}, {"id": "y",
		"name": "Y"}]}`))
	s.push(Categories, payload(`{"id": "c", "name": "C"}`))
	s.push(Stocks, payload(`{"id": "s", "name": "S"}`, `{"id": "t", "name": "T"}`))
	s.push(PriceLists, payload(`{"id": "b2b", "name": "B2B"}`))
	s.push(Products, payload(`{"id": "p", "name": "P", "variants": [{"id": "v", "price": 5},
		{"id": "w", "price": null}]}`))
}

func (s *fixture) checkUndo(c undoCase) {
	s.Helper()
	run := s.applied(c.entity, c.file)
	changes := s.changesText(run)
	if changes == "" || run.Failed > 0 {
		s.Fatalf("%d items failed; the changes are %q", run.Failed, changes)
	}
	if states := s.undoStates(run); strings.Count(states, " ready") != strings.Count(states, "\n")+1 {
		s.Errorf("not everything can be reverted:\n%s\nof\n%s", states, changes)
	}

	undone, counts := s.undo(run, nil)
	if counts.Changed+counts.Impossible != 0 || undone.Failed > 0 || undone.Undoes != run.Key {
		s.Errorf("the counts are %+v, the run is %+v", counts, undone)
	}

	s.wantStored(c.entity, c.before)
	if c.deletes {
		return
	}

	again, counts := s.undo(undone, nil)
	if counts.Changed+counts.Impossible != 0 || again.Failed > 0 {
		s.Errorf("the revert of the revert: %+v, %+v", counts, again)
	}
	if states := s.undoStates(run); strings.Contains(states, " changed") {
		s.Errorf("after the revert of the revert the file cannot be reverted:\n%s", states)
	}
}

// A thing that was changed again since is left as it is unless it is chosen. Then what others have changed stays.
func TestUndo_leavesNewerChanges(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		defer s.Start(s.Queue.Run)()
		s.prepareUndo()
		s.push(Products, payload(
			`{"id": 1, "name": "A", "variants": [{"id": 7, "price": 10,
				"remainders": [{"stock_id": "s", "quantity": 1}]}]}`,
			`{"id": 2, "name": "B", "variants": [{"id": 8, "price": 20}]}`, `{"id": 3, "name": "C", "variants": []}`))
		run := s.applied(Products, "id,name,variant_id,price\n1,A,7,11\n2,BB,8,21\n4,D,,\n")

		s.push(Products, payload(`{"id": 1, "description": "New", "variants": [{"id": 7, "remainders": [{"stock_id": "s",
			"quantity": 5}]}]}`, `{"id": 2, "variants": [{"id": 8, "price": 30}]}`, `{"id": 4, "name": "E"}`))
		if got, want := s.undoStates(run), "1 updated ready\n2 updated changed\n4 created changed"; got != want {
			s.Fatalf("the states are\n%s\nwant\n%s", got, want)
		}

		_, counts := s.undo(run, nil)
		if counts != (UndoCounts{Reverted: 1, Changed: 2}) {
			s.Errorf("the counts are %+v", counts)
		}
		s.wantStored(Products, payload(`{"id": 1, "name": "A", "description": "New", "variants": [{"id": 7, "price": 10,
			"remainders": [{"stock_id": "s", "quantity": 5}]}]}`,
			`{"id": 2, "name": "BB", "variants": [{"id": 8, "price": 30}]}`))

		s.undo(run, UndoChoice{2})
		s.wantStored(Products, payload(`{"id": 2, "name": "B", "variants": [{"id": 8, "price": 20}]}`,
			`{"id": 4, "name": "E"}`))
		s.undo(run, UndoChoice{3})
		if got := s.changesText(s.push(Products, payload(`{"id": 4, "name": "E"}`), dryRun)); !strings.HasPrefix(got,
			"0 4 restored") {
			s.Errorf("the created product is not archived: %q", got)
		}
	})
}

// What names something without an external id cannot be pushed, so it is not reverted.
func TestUndo_knowsWhatItCannotRevert(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		defer s.Start(s.Queue.Run)()
		s.prepareUndo()
		s.push(Products, payload(`{"id": 1, "name": "A"}`))
		run := s.applied(Products, `[{"id": 1, "deleted": true}]`)
		if got := s.undoStates(run); got != "1 deleted impossible" {
			s.Errorf("the states are %q", got)
		}
		_, _, err := s.Pushes.Undo(s.Context(), s.Store.ID, run, nil, id.New[access.Operator]())
		if got := codeOf(err); got != "nothing_to_revert" {
			s.Errorf("the revert ends with %s", got)
		}

		pushed := s.push(Products, payload(`{"id": 2, "name": "B"}`))
		_, _, err = s.Pushes.Undo(s.Context(), s.Store.ID, pushed, nil, id.New[access.Operator]())
		if got := codeOf(err); got != "no_file" {
			s.Errorf("the revert of a push ends with %s", got)
		}
	})
}

// A revert has more items than are read at once.
func TestUndo_revertsSeveralPages(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		defer s.Start(s.Queue.Run)()
		var before, file []string
		for i := range undoPageItems + 50 {
			before = append(before, fmt.Sprintf(`{"id": "s%d", "name": "S"}`, i))
			file = append(file, fmt.Sprintf(`{"id": "s%d", "name": "T%d"}`, i, i))
		}
		s.push(Stocks, payload(before...))
		run := s.applied(Stocks, "["+strings.Join(file, ",")+"]")
		_, counts := s.undo(run, nil)
		if counts.Reverted != int64(len(file)) {
			s.Errorf("the counts are %+v", counts)
		}
		s.wantStored(Stocks, payload(slices.Clone(before)...))
	})
}

// A push that asks for it keeps what it changes, in the background, too, and is reverted like a file. Other pushes keep
// nothing.
func TestUndo_revertsAPushThatKeepsItsChanges(t *testing.T) {
	keep := func(p *Params) { p.KeepChanges = true }
	eachEngine(t, func(s *fixture) {
		defer s.Start(s.Queue.Run)()
		before := `{"id": 1, "name": "Lamp", "single_variant": true, "variant_price": 5}`
		if run := s.push(Products, payload(before)); run.CanUndo() {
			s.Error("a push that keeps nothing can be reverted")
		}

		changes := payload(`{"id": 1, "name": "Lantern", "single_variant": true, "variant_price": 7}`)
		run := s.find(s.push(Products, changes, keep))
		if !run.CanUndo() || s.undoStates(run) != "1 updated ready" {
			s.Fatalf("the push can be reverted: %t, %s", run.CanUndo(), s.undoStates(run))
		}
		if _, counts := s.undo(run, nil); counts.Reverted != 1 {
			s.Errorf("%+v", counts)
		}
		s.wantStored(Products, payload(before))

		spooled, err := s.Pushes.Spool(s.Context(), s.Store.ID, s.params(Products, keep), strings.NewReader(changes))
		if err != nil {
			s.Fatal(err)
		}
		if run = s.waitForRun(spooled.ID); s.undoStates(run) != "1 updated ready" {
			s.Errorf("in the background: %s", s.undoStates(run))
		}
	})
}
