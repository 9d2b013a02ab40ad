package httpapi

import (
	"context"
	"net/http"
	"path"
	"strings"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/store"
)

// Record sets what the log says about the change that the request makes, in place of the route's Change. Write stores
// it in its transaction. An entry without an action records nothing. Handlers call it in the function of Write.
func (r *Request) Record(e audit.Entry) { r.entry = &e }

// RecordNow writes an entry of the log in a transaction that is not that of Write.
func (r *Request) RecordNow(ctx context.Context, tx store.Tx, e audit.Entry) error {
	by, recorded := r.Actor()
	if r.server.Audit == nil || !recorded {
		return nil
	}
	return r.server.Audit.Record(ctx, tx, by, e)
}

// RecordDownload writes an entry of the log about personal data that the request reads, before the response is sent: a
// read that cannot be recorded is refused. It opens a transaction of its own. With hourly, further reads by the same
// client within an hour are not recorded.
func (r *Request) RecordDownload(e audit.Entry, hourly bool) error {
	by, recorded := r.Actor()
	if r.err != nil || r.server.Audit == nil || !recorded {
		return r.err
	}
	release, err := r.AdmitWrite(r.Context())
	if err != nil {
		return err
	}
	defer release()

	ctx, cancel := context.WithTimeout(r.Context(), r.server.WriteDeadline)
	defer cancel()
	ctx = database.WithOwner(ctx, r.Principal.Store.ID)
	record := r.server.Audit.Record
	if hourly {
		record = r.server.Audit.RecordHourly
	}
	return r.server.DB.Write(ctx, func(q database.Querier) error { return record(ctx, r.tx(q), by, e) })
}

// Describe sets the name of the changed object and what has changed of it, for the entry of the route's Change.
// Handlers call it in the function of Write.
func (r *Request) Describe(label string, changes ...audit.Change) {
	r.label, r.changes = label, changes
}

// Actor returns the author of the request's changes, and whether changes of this author are recorded: those of keys for
// programs, of exchange tokens and of operators are, those of visitors of the shop are not. A push has a run as its
// record, so its routes have no Change.
func (r *Request) Actor() (audit.Actor, bool) {
	switch p := r.Principal; p.Kind {
	case access.SecretKey:
		return audit.Actor{Kind: audit.ByKey, ID: p.CredentialID.String(), Name: p.KeyName}, true
	case access.ExchangeToken:
		return audit.Actor{Kind: audit.ByToken, ID: p.CredentialID.String(), Name: p.KeyName}, true
	case access.OperatorSession:
		return audit.Actor{Kind: audit.ByOperator, ID: p.Operator.ID.String(), Name: p.Operator.Email}, true
	}
	return audit.Actor{}, false
}

// setWriter makes the principal the writer of the products that the request changes.
func (r *Request) setWriter() {
	var w productfield.Writer
	switch p := r.Principal; p.Kind {
	case access.SecretKey:
		w = productfield.WriterOf(p.CredentialID)
	case access.OperatorSession:
		w = productfield.WriterOf(p.Operator.ID)
	}
	if w != 0 && r.Method != http.MethodGet && r.Method != http.MethodHead {
		r.Request = r.Request.WithContext(productfield.WithWriter(r.Context(), w))
	}
}

// recordChange stores the entry of a change in the log: that of Record, or the route's Change with what Describe says
// and the id in the path or, for a new resource, in the Location.
func (r *Request) recordChange(ctx context.Context, tx store.Tx, out *Response) error {
	if r.server.Audit == nil || r.change == "" && r.entry == nil {
		return nil
	}
	by, recorded := r.Actor()
	if !recorded {
		return nil
	}
	if r.entry != nil {
		return r.server.Audit.Record(ctx, tx, by, *r.entry)
	}
	kind, _, _ := strings.Cut(r.change, ".")
	id := r.PathValue("id")
	if id == "" && out.Location != "" {
		id = path.Base(out.Location)
	}
	return r.server.Audit.Record(ctx, tx, by, audit.Entry{Action: r.change,
		Object: audit.Object{Kind: kind, ID: id, Label: r.label}, Changes: r.changes})
}
