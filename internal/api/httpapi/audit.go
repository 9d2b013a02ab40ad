package httpapi

import (
	"context"
	"net/http"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/store"
)

// RecordDownload writes an entry of the log about personal data that the request reads, before the response is sent: a
// read that cannot be recorded is refused. It opens a transaction of its own. With hourly, further reads by the same
// client within an hour are not recorded.
func (r *Request) RecordDownload(e audit.Entry, hourly bool) error {
	if r.err != nil {
		return r.err
	}

	release, err := r.Work.AdmitWrite(r.Context())
	if err != nil {
		return err
	}
	defer release()

	ctx, cancel := context.WithTimeout(r.Context(), r.server.WriteDeadline)
	defer cancel()

	ctx = database.WithOwner(ctx, r.Principal.Store.ID)
	record := audit.Record
	if hourly {
		record = audit.RecordHourly
	}

	return r.server.DB.Write(ctx, func(q database.Querier) error { return record(ctx, r.WriteTx(q), e) })
}

// Actor returns the author of the request's changes. It is zero for visitors of the shop, whose changes are not
// recorded.
func (r *Request) Actor() store.Actor {
	switch p := r.Principal; p.Kind {
	case access.SecretKey:
		return store.Actor{Kind: store.ByKey, ID: p.CredentialID.String(), Name: p.KeyName}
	case access.ExchangeToken:
		return store.Actor{Kind: store.ByToken, ID: p.CredentialID.String(), Name: p.KeyName}
	case access.OperatorSession:
		return p.Operator.Actor()
	}
	return store.Actor{}
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
