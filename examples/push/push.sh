#!/usr/bin/env bash
# Pushes a small catalogue to a store's exchange gate, with nothing but curl.
#
#   VITRINE_EXCHANGE_TOKEN=xt_… ./push.sh
#
# VITRINE_TO is the address of the store's API; http://localhost:8080 by default.
#
# Run it twice: the second time all is "unchanged" but the T-shirt, whose price and remainder are set by other gates at the end.
set -euo pipefail

to=${VITRINE_TO:-http://localhost:8080}
token=${VITRINE_EXCHANGE_TOKEN:?is needed: vitrine key create --kind exchange makes a token}

answer=$(mktemp)
trap 'rm -f "$answer"' EXIT

# push ENTITY posts standard input to the gate. The token goes as a header, read from a file descriptor, so it is neither in the address
# nor in the list of processes. --fail-with-body: an answer that is no success is printed and ends the script.
#
# A success is an answer with a run: {"data": {"id": …}}. Without one nobody knows that the push was done, so it is sent
# again, three times in all. Each curl opens a new connection, and pushing again is safe.
push() {
  local items pause
  items=$(cat)
  for pause in 0 1 2; do
    sleep "$pause"
    : >"$answer" # some versions of curl leave the file alone if the body is empty
    curl --silent --show-error --fail-with-body --retry 5 --output "$answer" \
      --header @<(printf 'Authorization: Bearer %s' "$token") \
      --header 'Content-Type: application/json' \
      --data-binary @- "$to/v2/sync-gate/$1" <<<"$items" || { printf '\n%s: %s\n' "$1" "$(<"$answer")"; exit 1; }
    if [[ $(<"$answer") =~ \"data\":\ *\{.*\"id\":\ *\"[^\"] ]]; then
      printf '\n%s: %s\n' "$1" "$(<"$answer")"
      return
    fi
  done
  printf 'The answer to the push of %s holds no run: "%.200s". Is %s the address of a store?\n' "$1" "$(<"$answer")" "$to" >&2
  exit 1
}

# Products first: what they refer to is not known yet. That is no error. Each reference is kept, reported as a warning, and linked by
# itself when its thing arrives. The stock is made at once, with its id as its name.
push products <<'JSON'
{"payload": [
  {"id": 1001, "name": "T-shirt", "categories": ["tops"], "features": [{"id": "fabric", "value_id": "cotton"}],
   "variants": [
     {"id": "1001-s", "sku": "TEE-S", "price": 19.90, "options": [{"id": "size", "value_id": "s"}], "remainders": [{"stock_id": "main", "quantity": 12}]},
     {"id": "1001-m", "sku": "TEE-M", "price": 19.90, "options": [{"id": "size", "value_id": "m"}], "remainders": [{"stock_id": "main", "quantity": 7}]}
   ]},
  {"id": 1002, "name": "Cap", "categories": ["clothes"], "features": [{"id": "fabric", "value_id": "wool"}],
   "single_variant": true, "variant_sku": "CAP", "variant_price": 24, "variant_remainders": [{"stock_id": "main", "quantity": 3}]}
]}
JSON

push variant-options <<'JSON'
{"payload": [{"id": "size", "name": "Size", "values": [{"id": "s", "name": "S"}, {"id": "m", "name": "M"}]}]}
JSON

push features <<'JSON'
{"payload": [{"id": "fabric", "name": "Fabric", "filterable": true, "values": [{"id": "cotton", "name": "Cotton"}, {"id": "wool", "name": "Wool"}]}]}
JSON

# In any order too: the category above comes after the one below it.
push categories <<'JSON'
{"payload": [{"id": "tops", "name": "Tops", "parent_id": "clothes"}, {"id": "clothes", "name": "Clothes"}]}
JSON

push stocks <<'JSON'
{"payload": [{"id": "main", "name": "Main warehouse"}]}
JSON

# What changes every hour has gates of its own.
push prices <<'JSON'
{"payload": [{"variant_id": "1001-s", "price": 17.50}]}
JSON

push remainders <<'JSON'
{"payload": [{"variant_id": "1001-s", "stock_id": "main", "quantity": 11}]}
JSON
