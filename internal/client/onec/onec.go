// Package onec exchanges with a site as the exchange that is built into 1C does: catalogue first, then orders. It sends
// files of a directory or a generated catalogue. It is for tests and for trying out a site. It depends on the server
// only through the CommerceML protocol. It neither prints nor reads settings.
package onec

import (
	"context"
	"net/http"
	"time"

	"vitrine/internal/kit/fault"
)

// Site is the site that a Job exchanges with, as an accountant enters it in 1C.
type Site struct {
	// URL is the address of the site's exchange. 1C adds the parameters type and mode.
	URL             string
	Login, Password string
	Client          *http.Client
	// BasicAlways sends login and password with each request, as some versions of 1C do. Otherwise only checkauth has
	// them, and the other requests have the cookie of its response.
	BasicAlways bool
	// Dialogue is called with each request and its response.
	Dialogue func(Turn)
}

// Turn is a request with its response.
type Turn struct {
	// Request is the method and the parameters, such as "GET type=catalog&mode=init".
	Request string
	// Sent and Received are the lengths of the bodies in bytes.
	Sent, Received int64
	// Response has the lines of the response, or nothing for an XML document.
	Response []string
	Duration time.Duration
}

// Catalog describes an exchange of the catalogue.
type Catalog struct {
	// Directory has the files: XML documents, and images in the sub-folders to which the documents refer.
	Directory string
	// Version is the version of the schema. From 3 on, 1C sends deactivate after a complete catalogue, and complete.
	Version string
	// Complete says that the files are the whole catalogue, not only what has changed.
	Complete bool
	// NoZip sends plain files even if the site accepts archives.
	NoZip bool
	// PollDelay is the time between two import requests for the same file.
	PollDelay time.Duration
	// MoreFollows says that another portion of the catalogue follows in an exchange of its own, so this exchange does
	// not end the catalogue.
	MoreFollows bool
}

// Exchange sends a catalogue: it signs in, starts a session, uploads the files and has the site import each document.
func (s Site) Exchange(ctx context.Context, c Catalog) error {
	files, err := listFiles(c.Directory)
	if err != nil {
		return err
	}
	documents := files.documents()
	if len(documents) == 0 {
		return fault.New(fault.NotFound, "no_documents", "There are no XML files in %s.", c.Directory)
	}

	session, err := s.Begin(ctx, "catalog", c.Version)
	if err != nil {
		return err
	}

	if session.Zip && !c.NoZip {
		err = session.sendArchive(ctx, files)
	} else {
		err = session.sendFiles(ctx, files)
	}

	if err != nil {
		return err
	}

	for _, name := range documents {
		if err := session.Import(ctx, name, c.PollDelay); err != nil {
			return err
		}
	}

	if !isVersion3(c.Version) || c.MoreFollows {
		return nil
	}

	if c.Complete {
		if err := session.Deactivate(ctx, c.PollDelay); err != nil {
			return err
		}
	}

	_, err = session.call(ctx, "complete", nil)
	return err
}

func isVersion3(version string) bool { return len(version) > 0 && version[0] >= '3' }
