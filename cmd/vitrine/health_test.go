package main

import "testing"

func TestDialAddress(t *testing.T) {
	for listener, want := range map[string]string{
		":8081":            "127.0.0.1:8081",
		"0.0.0.0:8081":     "127.0.0.1:8081",
		"[::]:8081":        "[::1]:8081",
		"10.1.2.3:8081":    "10.1.2.3:8081",
		"admin.local:8081": "admin.local:8081",
		"[fe80::1]:8081":   "[fe80::1]:8081",
	} {
		if got := dialAddress(listener); got != want {
			t.Errorf("a listener at %s is reached at %s, want %s", listener, got, want)
		}
	}
}
