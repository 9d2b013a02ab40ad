// Command sametree proves that commits change the layout of Go code only: it compares the syntax trees of all Go files
// that differ between two commits, without comments, blank lines and line breaks.
//
//	go run ./internal/tools/sametree OLD NEW
//	go run ./internal/tools/sametree -rewritten OLD NEW
//
// With -rewritten these are equal too: a string in one piece and in several that are added; SQL with other white space;
// a, b = x, y and two assignments; n = n + x, n += x and n++.
//
// It exits with 1 and names the files if a tree differs. A file that was added, deleted or renamed differs.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

func main() {
	rewritten := flag.Bool("rewritten", false,
		"treat strings in pieces, white space of SQL and parallel assignments as equal")
	flag.Parse()

	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: sametree [-rewritten] OLD NEW")
		os.Exit(2)
	}

	compared, different, err := compare(flag.Arg(0), flag.Arg(1), *rewritten)
	if err != nil {
		fmt.Fprintln(os.Stderr, "sametree:", err)
		os.Exit(1)
	}

	for _, line := range different {
		fmt.Println(line)
	}

	fmt.Printf("%d files compared, %d differ\n", compared, len(different))
	if len(different) > 0 {
		os.Exit(1)
	}
}

// compare returns the number of Go files that differ between the commits as text, and the names of the files whose
// trees differ.
func compare(before, after string, rewritten bool) (compared int, different []string, err error) {
	changed, err := git("diff", "--name-only", "--no-renames", before, after, "--", "*.go")
	if err != nil {
		return 0, nil, err
	}

	for _, name := range strings.Fields(changed) {
		compared++
		old, oldErr := git("show", before+":"+name)
		changed, newErr := git("show", after+":"+name)
		if err := errors.Join(oldErr, newErr); err != nil {
			different = append(different, name+": added, deleted or renamed")
			continue
		}

		was, err := outline(name, old, rewritten)
		if err != nil {
			return 0, nil, err
		}
		is, err := outline(name, changed, rewritten)
		if err != nil {
			return 0, nil, err
		}

		if was != is {
			different = append(different, name+": "+firstDifference(was, is))
		}
	}

	return compared, different, nil
}

// firstDifference returns the first line in which two outlines differ.
func firstDifference(was, is string) string {
	old := strings.Split(was, "\n")
	for i, line := range strings.Split(is, "\n") {
		if i >= len(old) {
			return "added " + strings.TrimSpace(line)
		}
		if old[i] != line {
			return strings.TrimSpace(old[i]) + " is now " + strings.TrimSpace(line)
		}
	}
	return "shorter"
}

func git(args ...string) (string, error) {
	out, err := exec.Command("git", args...).Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return string(out), nil
}
