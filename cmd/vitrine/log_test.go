package main

import (
	"strings"
	"testing"

	"vitrine/internal/kit/config"
)

func TestNewLogger_hasTheFormat(t *testing.T) {
	for name, c := range map[string]struct {
		cfg  config.Serve
		want string
	}{
		"default":       {config.Serve{LogLevel: "info"}, `"msg":"hello"}`},
		"dev":           {config.Serve{LogLevel: "info", Dev: true}, "msg=hello"},
		"json with dev": {config.Serve{LogLevel: "info", Dev: true, LogFormat: "json"}, `"msg":"hello"}`},
		"text":          {config.Serve{LogLevel: "info", LogFormat: "text"}, "msg=hello"},
	} {
		var out strings.Builder
		log := newLogger(&out, c.cfg)
		log.Debug("not at this level")
		log.Info("hello")

		if got := out.String(); !strings.HasSuffix(got, c.want+"\n") || strings.Contains(got, "not at this") {
			t.Errorf("%s: the log is %q, want %q at its end", name, got, c.want)
		}
	}
}
