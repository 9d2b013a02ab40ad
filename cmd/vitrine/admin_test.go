package main

import (
	"bytes"
	"strings"
	"testing"
)

// The command has no settings of mail, so nobody tells the old address.
func TestAdminChangeEmail_saysThatTheOldAddressIsNotTold(t *testing.T) {
	t.Setenv("VITRINE_DATA", t.TempDir())

	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"store", "create", "--name", "North Shop", "--email", "owner@shop.example"}, ""},
		{[]string{"admin", "create", "--email", "manager@shop.example"}, "can sign in"},
		{[]string{"admin", "change-email", "--email", "manager@shop.example", "--to", "new@shop.example"},
			"No mail was sent. Tell manager@shop.example about the change, too.\n"},
	} {
		var stdout, stderr bytes.Buffer
		code := runCommandLine(t.Context(), c.args, &stdout, &stderr)
		if code != 0 || !strings.Contains(stdout.String(), c.want) {
			t.Fatalf("vitrine %s exits with %d: %s%s", strings.Join(c.args, " "), code, &stdout, &stderr)
		}
	}
}
