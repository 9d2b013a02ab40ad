package shopsearchui

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/searchrule"
	"vitrine/internal/shop/store"
)

// entryPage is the data of the form of a group of synonyms or a rule in one direction.
type entryPage struct {
	// Was is the entry as the form was opened with it, its kind and its phrases, a line each, or "" for a new one.
	Was    string
	OneWay bool
	Text   string // the phrases, a line each
	Errors frame.FieldErrors
	// Preview has what a search for each phrase finds now and with the entry, and Limited says that the search is not
	// ready for it.
	Preview []preview
	Limited bool
}

// previewedPhrases is how many phrases of an entry the page searches for.
const previewedPhrases = 6

// The kinds of entries in forms.
const (
	groupKind  = "group"
	oneWayKind = "one_way"
)

// text returns the kind and the phrases of an entry, by which a form finds it again.
func (e entry) text() string {
	kind := groupKind
	if e.OneWay {
		kind = oneWayKind
	}
	return kind + "\n" + strings.Join(e.Phrases, "\n")
}

// readEntryForm returns the entry that a form has, and the page that shows the form again.
func readEntryForm(r *httpapi.Request) (entry, *entryPage) {
	b := &entryPage{Was: strings.ReplaceAll(r.PostForm.Get("was"), "\r\n", "\n"),
		OneWay: r.PostForm.Get("kind") == oneWayKind, Text: r.PostForm.Get("phrases")}
	return entry{OneWay: b.OneWay, Phrases: frame.TextAreaLines(b.Text)}, b
}

// entryView shows the form of the entry with the number in the parameter n, or that of a new one, in which the
// parameter word stands.
func (ui *UI) entryView(r *httpapi.Request) (frame.View, error) {
	n := int(frame.PositiveParam(r, "n", searchrule.MaxEntries))
	word, _ := r.Query.Param("word")
	if n == 0 {
		return ui.newEntryView(r, &entryPage{Text: word}, entry{Phrases: frame.TextAreaLines(word)})
	}

	list, err := ui.readSynonyms(r)
	if err != nil {
		return frame.View{}, err
	}
	entries := entriesOf(list.Synonyms)
	if n > len(entries) {
		return frame.View{}, fault.Missing("synonym")
	}
	e := entries[n-1]
	return ui.newEntryView(r, &entryPage{Was: e.text(), OneWay: e.OneWay, Text: strings.Join(e.Phrases, "\n")}, e)
}

// newEntryView returns the page of an entry with its preview.
func (ui *UI) newEntryView(r *httpapi.Request, b *entryPage, e entry) (frame.View, error) {
	v := ui.pages.NewView(r, "New synonym", navItem, b)
	if b.Was != "" {
		v.Title = v.T("Change a synonym")
	}
	v.Crumbs = []frame.Link{{Text: v.T("Synonyms"), URL: synonymsPath}}

	rules, err := ui.readRules(r)
	if err != nil {
		return v, err
	}
	entries, err := b.put(entriesOf(rules.Synonyms), e, false)
	if err != nil {
		entries = append(entriesOf(rules.Synonyms), e) // somebody else has changed it: it becomes a new one
	}
	edit := synonymsOf(entries)
	rules.Synonyms = searchrule.Synonyms{Groups: *edit.Groups, OneWay: *edit.OneWay}

	for _, phrase := range e.Phrases[:min(len(e.Phrases), previewedPhrases)] {
		p, err := ui.previewOf(r, phrase, &rules)
		if err != nil {
			return v, err
		}
		b.Preview = append(b.Preview, p)
		b.Limited = b.Limited || p.Then.Limited
	}
	return v, nil
}

// changeEntry saves, deletes or previews an entry.
func (ui *UI) changeEntry(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	if err := r.Err(); err != nil {
		return err
	}

	e, b := readEntryForm(r)
	do := r.PostForm.Get("do")
	if do == "preview" {
		return ui.renderEntry(w, r, b, e, nil)
	}

	_, err := frame.ChangeLong(r, func(ctx context.Context, tx store.Tx) (searchrule.SynonymList, error) {
		list, err := searchrule.FindSynonyms(ctx, tx)
		if err != nil {
			return list, err
		}
		entries, err := b.put(entriesOf(list.Synonyms), e, do == "delete")
		if err != nil {
			return list, err
		}
		return searchrule.EditSynonyms(ctx, tx, synonymsOf(entries), sameVersion(list.Version))
	})
	if frame.Refused(err) {
		return ui.renderEntry(w, r, b, e, err)
	}

	text := ui.pages.Language(r).T("Saved. The search uses it within seconds.")
	if do == "delete" {
		text = ui.pages.Language(r).T("Deleted.")
	}
	return ui.Done(w, r, err, synonymsPath, text)
}

// sameVersion returns the precondition that nothing has changed since it was read.
func sameVersion(read int64) fault.Precondition {
	return func(version int64) bool { return version == read }
}

// put returns the list with the entry of the form in the place of the one that it was, or without that one. It returns
// fault.Stale if the list does not have that one any more.
func (b *entryPage) put(list []entry, e entry, deletes bool) ([]entry, error) {
	at := slices.IndexFunc(list, func(other entry) bool { return other.text() == b.Was })
	if at < 0 && b.Was != "" {
		return nil, fault.VersionChanged()
	}

	switch {
	case deletes && at >= 0:
		return slices.Delete(list, at, at+1), nil
	case deletes:
		return list, nil
	case at >= 0:
		list[at] = e
		return list, nil
	}
	return append(list, e), nil
}

// renderEntry shows the form again, with the error unless it is nil.
func (ui *UI) renderEntry(w http.ResponseWriter, r *httpapi.Request, b *entryPage, e entry, refusal error) error {
	stale := fault.KindOf(refusal) == fault.Stale
	if stale {
		b.Was = ""
	}
	v, err := ui.newEntryView(r, b, e)
	if err != nil {
		return err
	}
	if refusal == nil {
		return ui.pages.Render(w, http.StatusOK, "entry", v)
	}

	message := v.Refusal(refusal)
	if stale {
		message = v.T("Somebody else has changed this synonym meanwhile. Look at the list; if you save here, " +
			"this becomes a new one.")
	}
	b.Errors = entryErrors(v.Language, refusal, e)
	return ui.pages.Reject(w, "entry", v, message)
}

// lastIndex is the index at the end of a path.
var lastIndex = regexp.MustCompile(`\[(\d+)\]$`)

// entryErrors returns the messages of a refused entry: all of them belong to the field of the phrases. Those about one
// phrase begin with it.
func entryErrors(l *frame.Language, err error, e entry) frame.FieldErrors {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return nil
	}

	all := frame.FieldErrors{}
	for _, field := range f.Fields {
		message := l.Fault(field.Message)
		if at := lastIndex.FindStringSubmatch(field.Field); at != nil && strings.Count(field.Field, "[") == 2 {
			i, _ := strconv.Atoi(at[1])
			if e.OneWay {
				i++
			}
			if i < len(e.Phrases) {
				message = l.T("“%s”", e.Phrases[i]) + ": " + message
			}
		}
		all["phrases"] = append(all["phrases"], message)
	}
	return all
}
