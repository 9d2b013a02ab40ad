#!/bin/bash
# Runs every fuzz target of the module, one after the other, each for the time given.
set -euo pipefail
time=$1

mapfile -t targets < <(grep -roE --include='*_test.go' '^func Fuzz\w+' . | sort)
if [ ${#targets[@]} -eq 0 ]; then
	echo "fuzz: no fuzz target in any _test.go file" >&2
	exit 1
fi
for target in "${targets[@]}"; do
	package=$(dirname "${target%%:*}")
	name=${target##*func }
	echo "== $name in $package for $time"
	# Inputs of targets with workers behind them look new again and again: little is won by making each as small as it can be.
	go test -run '^$' -fuzz "^$name\$" -fuzztime "$time" -fuzzminimizetime 10x "$package"
done
