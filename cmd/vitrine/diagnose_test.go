package main

import (
	"testing"

	"github.com/alecthomas/kong"
)

// Each harmless setting is a flag of serve, and none has a type that can hold any text but the listed ones.
func TestHarmlessSettings_areNumbersSwitchesOrListed(t *testing.T) {
	texts := map[string]bool{"admin-addr": true, "api-addr": true, "log-format": true, "log-level": true}
	flags := map[string]*kong.Flag{}
	forEachFlag(newTestParser(t).Model.Node, func(f *kong.Flag) { flags[f.Name] = f })
	for _, name := range harmlessSettings() {
		f := flags[name]
		if f == nil {
			t.Errorf("there is no --%s", name)
			continue
		}

		switch f.Target.Interface().(type) {
		case string, []string, []byte:
			if !texts[name] {
				t.Errorf("--%s can have any text", name)
			}
		}
	}
}
