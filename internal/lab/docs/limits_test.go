package docs

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/background"
	"github.com/idelchi/aura/internal/agent/checkpoint"
	"github.com/idelchi/aura/internal/author/check"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/golang/loader"
	"github.com/idelchi/aura/internal/runtime/native"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/supply/index"
	"github.com/idelchi/aura/internal/supply/install"
	"github.com/idelchi/aura/internal/supply/signature"
	"github.com/idelchi/aura/internal/supply/sources"
	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// minutes formats a duration of whole minutes.
func minutes(d time.Duration) string {
	if d == time.Minute {
		return "1 minute"
	}
	return fmt.Sprintf("%d minutes", d/time.Minute)
}

// TestLimits compares the tables of limits with the code.
func TestLimits(t *testing.T) {
	t.Parallel()
	size, count := limit.Size, func(n int) string { return fmt.Sprint(n) }
	kept := checkpoint.DefaultLimits()
	want := map[string][]string{
		"## Tools and plugins": {
			size(limit.Result), size(limit.Diff), size(limit.DiffSource), size(limit.DiffSources), size(limit.Notice), size(limit.Injection), size(limit.Answer), size(limit.Log), size(limit.Spill),
			fmt.Sprintf("%d that run", background.MaxRunning), fmt.Sprintf("%s for each, %d GiB for a session, %d,000 files", size(int(kept.File)), kept.Total>>30, kept.Files/1000),
			count(checkpoint.MaxWatched), size(limit.Shared),
			"64 KiB", size(limit.Frame),
			size(loader.MaxSource), "half of the plugin's memory limit, 32 MiB at least", minutes(native.BuildTime), count(native.KeptPrograms), fmt.Sprintf("%d GiB", sandbox.LayersLimit>>30),
			count(setup.MaxPathsRefused), count(sandbox.MaxSlots), size(shared.MaxMessage),
		},
		"## Built-in tools": {
			size(limit.PatternBytes), count(limit.GlobAlternatives), count(limit.GlobFound), count(limit.DirEntries), count(limit.RgProgram),
			size(limit.EditFile), count(limit.PatchFiles), count(limit.PatchLines), count(limit.PatchWork),
			size(limit.PageSource), size(limit.PageText), size(limit.PagePart), count(limit.PageRedirects),
			count(setup.ServiceSearches), size(limit.PagePart), count(limit.Pages), size(limit.PageBytes),
		},
		"## Loading and checking plugins": {
			count(loader.MaxNesting), count(loader.MaxChain), minutes(check.MaxTime), size(check.MaxMemory),
		},
		"## Installing plugins": {
			count(install.MaxRefs), size(install.MaxRefBytes), size(install.MaxReceived), minutes(install.MaxFetch), minutes(install.MaxSilence),
			count(install.MaxObjects), size(install.MaxUnpacked), count(install.MaxFiles), size(install.MaxBytes),
			size(index.MaxSize), count(index.MaxEntries), size(signature.MaxFileSignature), minutes(install.MaxDownload), count(int(index.MaxValid/(24*time.Hour))) + " days", count(sources.MaxSources),
		},
		"## What plugins receive": {size(limit.History), size(limit.Turns), size(limit.Messages), count(limit.Entries), count(limit.Patched)},
		"## State and events": {
			fmt.Sprintf("%d bytes", sdk.MaxStateKey), size(sdk.MaxStateValue), count(sdk.MaxStateKeys), size(sdk.MaxStateBytes),
			fmt.Sprintf("%d bytes", limit.EventName), count(limit.EventNames), size(sdk.MaxPayload),
			count(limit.WaitingEvents), size(limit.WaitingEventBytes), count(limit.WaitingChunks), size(limit.WaitingChunkBytes),
		},
		"## Models": {
			size(limit.StreamEvent), size(limit.Stream), size(limit.Body), size(limit.Answer), size(limit.ErrorBody), count(limit.Calls), size(limit.Arguments),
		},
		"## MCP servers":   {size(limit.MCPMessage), size(limit.MCPResult), count(limit.MCPTools), size(limit.MCPDescription), count(limit.MCPRequests), count(limit.MCPUnasked), size(limit.MCPHeader), count(limit.MCPPages), count(limit.MCPEntries) + " each", "2 KiB", count(limit.MCPListed), "4 KiB", count(limit.MCPChoices)},
		"## Editors":       {size(limit.ACPMessage), count(limit.ACPRequests), count(limit.ACPSessions), count(limit.ACPHeld), size(limit.ACPOutput)},
		"## Configuration": {count(limit.ConfigFiles)},
		"## Prompts":       {size(limit.Instructions), count(limit.Attachments), size(limit.Image), size(limit.Audio), size(limit.PDF), count(limit.Parts), size(limit.PartBytes), size(limit.Prompt), count(limit.PromptSteps), size(limit.PromptWork)},
		"## Fleets": {
			count(fleet.MaxTasks), count(fleet.MaxPrompts), size(fleet.MaxPrompt), size(fleet.MaxTask), size(fleet.MaxArchive), count(fleet.MaxArchiveFiles), size(fleet.MaxFinal), size(fleet.MaxBlob),
			count(fleet.MaxCollected), size(fleet.MaxCollectedBytes), count(fleet.MaxDeaths), count(fleet.MaxSlowed),
		},
	}
	for title, values := range want {
		rows := tables(section(t, text(t, "docs/limits.md"), title))[0]
		var got []string
		for _, row := range rows {
			got = append(got, row[1])
		}
		if strings.Join(got, ", ") != strings.Join(values, ", ") {
			t.Errorf("%s: the page has %q, the code %q", title, got, values)
		}
	}
}
