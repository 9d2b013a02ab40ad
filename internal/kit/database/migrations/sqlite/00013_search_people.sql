-- +goose Up
-- +compatible: older nodes find rows by the words that they know.

-- People are found by their names with е for ё, too.
INSERT INTO search_words (store_id, kind, word, key)
SELECT store_id, kind, REPLACE(word, 'ё', 'е'), key
FROM search_words
WHERE word LIKE '%ё%'
ON CONFLICT (store_id, kind, word, key) DO NOTHING;
UPDATE orders SET words = words || REPLACE(words, 'ё', 'е') WHERE words LIKE '%ё%';
UPDATE customers SET words = words || REPLACE(words, 'ё', 'е') WHERE words LIKE '%ё%';
UPDATE feedback SET words = words || REPLACE(words, 'ё', 'е') WHERE words LIKE '%ё%';
UPDATE callbacks SET words = words || REPLACE(words, 'ё', 'е') WHERE words LIKE '%ё%';

-- And by the last four digits of their phone numbers: the word has a hyphen before them.
INSERT INTO search_words (store_id, kind, word, key)
SELECT store_id, 'order', '-' || substr(phone, -4), key
FROM orders
WHERE length(phone) >= 7
  AND number IS NOT NULL
ON CONFLICT (store_id, kind, word, key) DO NOTHING;
INSERT INTO search_words (store_id, kind, word, key)
SELECT store_id, 'customer', '-' || substr(phone, -4), key
FROM customers
WHERE length(phone) >= 7
ON CONFLICT (store_id, kind, word, key) DO NOTHING;
INSERT INTO search_words (store_id, kind, word, key)
SELECT store_id, 'customer', '-' || substr(login_phone, -4), key
FROM customers
WHERE length(login_phone) >= 7
ON CONFLICT (store_id, kind, word, key) DO NOTHING;
INSERT INTO search_words (store_id, kind, word, key)
SELECT store_id, 'feedback', '-' || substr(phone, -4), key
FROM feedback
WHERE length(phone) >= 7
ON CONFLICT (store_id, kind, word, key) DO NOTHING;
INSERT INTO search_words (store_id, kind, word, key)
SELECT store_id, 'callback', '-' || substr(phone, -4), key
FROM callbacks
WHERE length(phone) >= 7
ON CONFLICT (store_id, kind, word, key) DO NOTHING;
