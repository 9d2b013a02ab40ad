#!/bin/bash
# Checks what differs from main, for the inner loop: formatting, tests of the changed packages and of the packages in their
# folders, and vet of these and of all packages that import them. SQLite only, without the race detector and without the
# tests that start Chromium, which have Browser in their names. Packages that test the whole program (app, the folders e2e)
# and the tests of importers in other folders are left to `make test`.
set -euo pipefail

if [ "$(git rev-parse --abbrev-ref HEAD)" = main ] || ! base=$(git merge-base main HEAD 2>/dev/null); then
	base=HEAD
fi

# folder_of prints the package that a file belongs to: the closest folder with Go files, such as that of a template.
folder_of() {
	local folder
	folder=$(dirname "$1")
	while [ "$folder" != . ] && ! compgen -G "$folder/*.go" >/dev/null; do
		folder=$(dirname "$folder")
	done
	[ "$folder" = . ] || echo "./$folder"
}

mapfile -t files < <({ git diff --name-only "$base"; git ls-files --others --exclude-standard; } | sort -u)
mapfile -t go_files < <(for file in "${files[@]}"; do if [[ $file == *.go && -e $file ]]; then echo "$file"; fi; done)
if [ ${#go_files[@]} -gt 0 ]; then
	unformatted=$(gofmt -l "${go_files[@]}")
	if [ -n "$unformatted" ]; then
		printf 'not formatted, run gofmt -w:\n%s\n' "$unformatted"
		exit 1
	fi
fi

mapfile -t folders < <(for file in "${files[@]}"; do
	if [[ $file == cmd/* || $file == internal/* || $file == examples/* || $file == clients/* || $file == bench/* ]]; then folder_of "$file"; fi
done | sort -u)
if [ ${#folders[@]} -eq 0 ]; then
	echo "quick: no package differs from ${base:0:12}"
	exit 0
fi

mapfile -t changed < <(go list -find "${folders[@]}" | sort -u)
mapfile -t importers < <(go list -f '{{.ImportPath}} {{join .Imports " "}}' ./... |
	awk -v changed="${changed[*]}" '
		BEGIN { n = split(changed, list, " "); for (i = 1; i <= n; i++) is[list[i]] = 1 }
		{ for (i = 2; i <= NF; i++) if (($i in is) && !($1 in is)) { print $1; next } }' | { grep -v /bench/ || true; })
mapfile -t tested < <({
	printf '%s\n' "${changed[@]}"
	for importer in ${importers[@]+"${importers[@]}"}; do
		for package in "${changed[@]}"; do
			if [[ $importer == "$package"/* ]]; then echo "$importer"; fi
		done
	done
} | sort -u | grep -vE '/internal/app$|/e2e(/|$)|/bench(/|$)' || true)

short() { printf '%s\n' "$@" | sed 's#^vitrine/##; s#^internal/##' | paste -sd ' '; }
echo "quick: changed since ${base:0:12}: $(short "${changed[@]}")"
echo "quick: they are imported by: $(short "${importers[@]}")"
echo "quick: vet of all of them, then tests on SQLite of: $(short "${tested[@]}")"
go vet "${changed[@]}" ${importers[@]+"${importers[@]}"}
if [ ${#tested[@]} -gt 0 ]; then
	VITRINE_TEST_ENGINES=sqlite VITRINE_TEST_COUNTS=few "$1" -skip Browser -vet=off -timeout 5m "${tested[@]}"
fi
