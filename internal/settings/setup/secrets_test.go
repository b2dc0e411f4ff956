package setup

import (
	"testing"

	"github.com/idelchi/aura/internal/settings/config"
)

func TestSecrets(t *testing.T) {
	t.Parallel()
	r := Secrets(&config.Config{
		Environ: []string{"A_TOKEN=environment-1", "EDITOR=vi-editor-1"},
		Entities: config.Entities{
			Providers: map[string]config.Provider{"p": {Token: "provider-1", URL: "https://me:address-1@host"}},
			MCPServers: map[string]config.MCPServer{"m": {
				Headers: map[string]string{"Authorization": "Bearer header-1", "Accept": "text/event-stream"}, Env: map[string]string{"B_KEY": "server-1", "C": "plain-value"},
			}},
		},
	}, map[string]string{"D_SECRET": "the-task-1"})
	in := "environment-1 vi-editor-1 provider-1 address-1 header-1 text/event-stream server-1 plain-value the-task-1"
	want := "[redacted] vi-editor-1 [redacted] [redacted] [redacted] text/event-stream [redacted] plain-value [redacted]"
	if got := r.String(in); got != want {
		t.Errorf("got %s", got)
	}
}
