#!/bin/bash
# Installs what the tests need and this machine lacks, on Debian: PostgreSQL's server programs, PgBouncer, Chromium, curl,
# Python, and a C compiler for the race detector. With nothing missing it does nothing and needs no network.
set -euo pipefail

say() { echo "deps: $*" >&2; }

missing=()
if ! compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null && ! command -v initdb >/dev/null; then
	missing+=(postgresql)
fi
if ! command -v pgbouncer >/dev/null && ! [ -x /usr/sbin/pgbouncer ]; then
	missing+=(pgbouncer)
fi
# chromium-headless-shell runs the same pages in a third of the processor time. Another Chromium that is installed is good
# enough where apt-get does not know of it.
if ! command -v chromium-headless-shell >/dev/null; then
	if ! command -v chromium >/dev/null && ! command -v chromium-browser >/dev/null && ! command -v google-chrome >/dev/null; then
		missing+=(chromium-headless-shell)
	elif [ "$(id -u)" -eq 0 ] && apt-cache show chromium-headless-shell >/dev/null 2>&1; then
		missing+=(chromium-headless-shell)
	fi
fi
if ! command -v curl >/dev/null; then # the README's lines are tested as they stand
	missing+=(curl)
fi
if ! command -v python3 >/dev/null; then # the example receiver in Python is run as it stands
	missing+=(python3)
fi
if ! command -v gcc >/dev/null; then
	missing+=(gcc libc6-dev)
fi
if [ ${#missing[@]} -eq 0 ]; then
	exit 0
fi

say "missing: ${missing[*]}"
if ! command -v apt-get >/dev/null; then
	say "this machine has no apt-get; install them by hand"
	exit 1
fi
if [ "$(id -u)" -eq 0 ]; then
	as_root=(env)
elif command -v sudo >/dev/null; then
	as_root=(sudo)
else
	say "neither root nor sudo; as root run: apt-get install ${missing[*]/#postgresql/postgresql-15}"
	exit 1
fi

say "apt-get update"
"${as_root[@]}" apt-get -qq update || say "apt-get update complained; trying with the lists there are"

if ! apt-cache show chromium-headless-shell >/dev/null 2>&1; then # Debian has it since 2025
	missing=("${missing[@]/#chromium-headless-shell/chromium}")
fi

# Debian's package makes a cluster and starts it when it is installed. The tests start their own server, so that none
# is left running here: this file says so while the package is installed, and goes again.
no_cluster=/etc/postgresql-common/createcluster.d/vitrine-tests.conf
if [[ " ${missing[*]} " == *" postgresql "* ]]; then
	if apt-cache show postgresql-15 >/dev/null 2>&1; then # the version we test with; another release of Debian has another
		missing=("${missing[@]/#postgresql/postgresql-15}")
	fi
	"${as_root[@]}" mkdir -p "$(dirname "$no_cluster")"
	echo "create_main_cluster = false" | "${as_root[@]}" tee "$no_cluster" >/dev/null
	trap '"${as_root[@]}" rm -f "$no_cluster"' EXIT
fi

say "apt-get install ${missing[*]}"
if ! output=$("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
	apt-get -qq install --no-install-recommends --yes "${missing[@]}" 2>&1); then
	echo "$output" >&2
	say "apt-get install failed"
	exit 1
fi
say "installed"
