#!/bin/bash
# Runs govulncheck ($1, with the arguments behind it). A vulnerability fails, and so does a vulnerability database that
# cannot be reached: then nothing was checked. ALLOW_UNCHECKED_VULNERABILITIES=1 lets the latter pass, for a machine
# without a network.
set -euo pipefail

code=0
output=$("$@" 2>&1) || code=$?
echo "$output"
# 3 is govulncheck's word for "found"; any other failure has its reason in the text.
if [ "$code" -eq 1 ] && grep -Eq 'fetching vulnerabilities: Get "[^"]+": (dial tcp|proxyconnect|read tcp|net/http: TLS|context deadline)' <<<"$output"; then
	echo "================================================================================"
	echo "govulncheck did NOT run: its vulnerability database cannot be reached from here."
	echo "Nothing is known about vulnerabilities; run it again where the network is open."
	if [ "${ALLOW_UNCHECKED_VULNERABILITIES:-}" = 1 ]; then
		echo "It passes only because ALLOW_UNCHECKED_VULNERABILITIES is 1."
		code=0
	else
		echo "ALLOW_UNCHECKED_VULNERABILITIES=1 makes it pass all the same."
	fi
	echo "================================================================================"
fi
exit "$code"
