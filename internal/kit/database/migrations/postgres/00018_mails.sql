-- +goose Up
-- +compatible: older nodes do not use the tables. Orders that they take are announced by no mail.

-- The mails that a store sends about orders, inquiries and the exchange. switches and templates are JSON. A store
-- without a row has the settings of a new store: everything is on once the server sends mail. The stores of today get
-- a row in which all is off.
CREATE TABLE mail_settings (
	store_id   UUID NOT NULL PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
	switches   TEXT COLLATE "C" NOT NULL,
	templates  TEXT COLLATE "C" NOT NULL,
	version    BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
INSERT INTO mail_settings (store_id, switches, templates, version, updated_at)
SELECT id, '{}', '{}', 1, updated_at
FROM stores;

-- The mails that were handed to a mail server, so that none is sent twice for one event. recipient is an HMAC of the
-- address and the kind of the mail; it bounds how many an address gets.
CREATE TABLE sent_mails (
	store_id  UUID NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id        UUID NOT NULL,
	recipient BYTEA NOT NULL,
	sent_at   BIGINT NOT NULL,
	PRIMARY KEY (store_id, id)
);
CREATE INDEX sent_mails_recipient ON sent_mails (store_id, recipient, sent_at);
CREATE INDEX sent_mails_age ON sent_mails (sent_at);
