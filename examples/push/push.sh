#!/usr/bin/env bash
# Pushes a small catalogue to a store's exchange gate, using only curl.
#
#   VITRINE_EXCHANGE_TOKEN=xt_… ./push.sh
#
# VITRINE_TO is the address of the store's API; http://localhost:8080 by default.
#
# Run it twice: the second time everything is "unchanged" except the T-shirt, because the pushes of prices and
# remainders at the end have changed it.
set -euo pipefail

to=${VITRINE_TO:-http://localhost:8080}
token=${VITRINE_EXCHANGE_TOKEN:?is required: create a token with vitrine key create --kind exchange}

response=$(mktemp)
trap 'rm -f "$response"' EXIT

# push ENTITY posts standard input to the gate. The token is sent as a header that curl reads from a file descriptor, so
# it appears neither in the URL nor in the process list. With --fail-with-body, an error response is printed and ends
# the script.
#
# A successful response contains a run: {"data": {"id": …}}. Without a run it is not known whether the push was
# processed, so it is sent again, at most three times in total. Each curl opens a new connection, and pushing again is
# safe.
push() {
  local items delay
  items=$(cat)
  for delay in 0 1 2; do
    sleep "$delay"
    : >"$response" # some versions of curl do not touch the file if the body is empty
    curl --silent --show-error --fail-with-body --retry 5 --output "$response" \
      --header @<(printf 'Authorization: Bearer %s' "$token") \
      --header 'Content-Type: application/json' \
      --data-binary @- "$to/v2/sync-gate/$1" <<<"$items" || { printf '\n%s: %s\n' "$1" "$(<"$response")"; exit 1; }
    if [[ $(<"$response") =~ \"data\":\ *\{.*\"id\":\ *\"[^\"] ]]; then
      printf '\n%s: %s\n' "$1" "$(<"$response")"
      return
    fi
  done
  printf 'The response to the push of %s contains no run: "%.200s". Is %s the address of a store?\n' "$1" "$(<"$response")" "$to" >&2
  exit 1
}

# Products first: the things they refer to do not exist yet. That is not an error. The gate keeps each reference,
# reports it as a warning, and links it when the other thing is pushed. The stock is created at once, with its id as its
# name.
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

# The order does not matter here either: the parent comes after its child.
push categories <<'JSON'
{"payload": [{"id": "tops", "name": "Tops", "parent_id": "clothes"}, {"id": "clothes", "name": "Clothes"}]}
JSON

push stocks <<'JSON'
{"payload": [{"id": "main", "name": "Main warehouse"}]}
JSON

# Frequently changing data has entities of its own.
push prices <<'JSON'
{"payload": [{"variant_id": "1001-s", "price": 17.50}]}
JSON

push remainders <<'JSON'
{"payload": [{"variant_id": "1001-s", "stock_id": "main", "quantity": 11}]}
JSON
