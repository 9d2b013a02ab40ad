package onec

import (
	"context"
	"errors"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// ambiguousFor is how long after its last part an exchange without a cookie counts as going on, if it has not imported
// all that it sent. 1C sends its requests one after the other; a part of 4 MiB takes a minute on a slow line.
const ambiguousFor = 5 * time.Minute

// sessionRequest says what a request wants of its session.
type sessionRequest struct {
	// name is the file that the request is about, or empty.
	name string
	// sends says that the request brings a part of the file. Otherwise it imports the file.
	sends bool
}

// unfinishedSession is a session of a login that may still go on, or the last one.
type unfinishedSession struct {
	Session
	// file is how far the import of the file is that the request is about; empty if it did not come alone. archives is
	// the number of archives, which may have the file.
	file     fileState
	archives int64
}

// login returns the login as it is stored.
func (l Login) login() []byte {
	if l.Login == nil {
		return []byte{}
	}
	return l.Login
}

// currentSession returns the session that a request belongs to, and begins one if there is none. It is the session
// whose id the client sends, if the token has it, else the last one of the cookie. With neither, other exchanges of the
// token may go on at the same time: then a file is found by its name, and a request that may belong to several of them
// is refused, since success for the file of another exchange would lose a file.
func (s *Service) currentSession(ctx context.Context, by Login, what sessionRequest) (session Session, err error) {
	err = s.DB.Read(ctx, func(q querier) (err error) {
		session, err = s.findSession(ctx, store.In(q, by.Store), by, what)
		return err
	})
	if errors.Is(err, database.ErrNoRows) {
		return s.BeginSession(ctx, by, "")
	}
	return session, err
}

// findSession returns the session that a request belongs to, or database.ErrNoRows.
func (s *Service) findSession(
	ctx context.Context, tx store.Tx, by Login, what sessionRequest,
) (session Session, err error) {
	if by.Session != 0 {
		session, err = sessionByKey(ctx, tx, by.Session)
		isOwn := session.Credential == by.Credential && session.Kind == by.Kind
		if err == nil && isOwn || err != nil && !errors.Is(err, database.ErrNoRows) {
			return session, err
		}
	}

	if len(by.Login) > 0 || by.Kind != "catalog" {
		return latestSession(ctx, tx, by.Credential, by.login(), by.Kind)
	}

	list, err := unfinishedSessions(ctx, tx, by, what.name, s.now().Add(-ambiguousFor))
	switch {
	case err != nil:
		return session, err
	case len(list) == 0:
		return session, database.ErrNoRows
	case len(list) == 1:
		return list[0].Session, nil
	}
	return what.choose(list)
}

// choose returns the one of several sessions that a request belongs to, or an error if it may belong to several. The
// newest comes first.
func (r sessionRequest) choose(list []unfinishedSession) (Session, error) {
	if r.name == "" {
		return Session{}, errAmbiguousExchange()
	}

	var holders []unfinishedSession
	for _, u := range list {
		if u.file != "" || !r.sends && u.archives > 0 {
			holders = append(holders, u)
		}
	}

	switch {
	case len(holders) == 0:
		return list[0].Session, nil
	case len(holders) > 1:
		return Session{}, errAmbiguousExchange()
	case r.sends && (holders[0].Key != list[0].Key || holders[0].file != fileReceived):
		return Session{}, errAmbiguousExchange() // the part may be the first one of another file with this name
	}
	return holders[0].Session, nil
}

func errAmbiguousExchange() error {
	return fault.New(fault.Unavailable, "ambiguous_exchange", "Another exchange with this password is going on, and "+
		"this program sends neither the cookie of mode=checkauth nor sessid, so they cannot be told apart. Let it "+
		"send the cookie, or try again in %d minutes.", int(ambiguousFor.Minutes()))
}
