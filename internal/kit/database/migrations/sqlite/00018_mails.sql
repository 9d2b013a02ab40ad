-- +goose Up
-- +compatible: older nodes do not use the tables. Orders that they take are announced by no mail.

-- The mails that a store sends about orders, inquiries and the exchange. switches and templates are JSON. A store
-- without a row has the settings of a new store: everything is on once the server sends mail. The stores of today get
-- a row in which all is off.
CREATE TABLE mail_settings (
	store_id   BLOB NOT NULL PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
	switches   TEXT NOT NULL,
	templates  TEXT NOT NULL,
	version    INTEGER NOT NULL,
	updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO mail_settings (store_id, switches, templates, version, updated_at)
SELECT id, '{}', '{}', 1, updated_at
FROM stores;

-- The mails that were handed to a mail server, so that none is sent twice for one event. recipient is an HMAC of the
-- address and the kind of the mail; it bounds how many an address gets.
CREATE TABLE sent_mails (
	store_id  BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id        BLOB NOT NULL,
	recipient BLOB NOT NULL,
	sent_at   INTEGER NOT NULL,
	PRIMARY KEY (store_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX sent_mails_recipient ON sent_mails (store_id, recipient, sent_at);
CREATE INDEX sent_mails_age ON sent_mails (sent_at);
