package llmtest_test

import (
	"fmt"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm/llmtest"
)

// ask returns a request for a message with the messages and additional fields.
func ask(messages, more string) string {
	return `{"model":"m","max_tokens":5000,"stream":true,"messages":[` + messages + `]` + more + `}`
}

func from(role, content string) string { return `{"role":"` + role + `","content":` + content + `}` }

const (
	tools  = `,"tools":[{"name":"Read","input_schema":{"type":"object"}}]`
	use    = `{"type":"tool_use","id":"1","name":"Read","input":{}}`
	answer = `{"type":"tool_result","tool_use_id":"1","content":"x"}`
	yes    = `{"type":"text","text":"yes"}`
)

func thought(text, signature string) string {
	return fmt.Sprintf(`{"type":"thinking","thinking":%q,"signature":%q}`, text, signature)
}

func TestAnthropicAccepts(t *testing.T) {
	t.Parallel()
	you := from("user", `"hi"`)
	anthropic().accepts(t, map[string]string{
		"least":       ask(you, ``),
		"blocks":      ask(from("user", `[`+yes+`,{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]`), ``),
		"system":      ask(you, `,"system":"s"`),
		"system list": ask(you, `,"system":[{"type":"text","text":"s"}]`),
		"turns":       ask(you+","+from("assistant", `"a"`)+","+you, ``),
		"call":        ask(you+","+from("assistant", `[`+thought("hm", llmtest.Signature("hm"))+`,`+use+`]`)+","+from("user", `[`+answer+`,`+yes+`]`), tools),
		"no output":   ask(you+","+from("assistant", `[`+use+`]`)+","+from("user", `[{"type":"tool_result","tool_use_id":"1"}]`), tools),
		"thinking":    ask(you, `,"thinking":{"type":"enabled","budget_tokens":1024}`),
		"adaptive":    ask(you, `,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"low"}`),
	})
}

func TestAnthropicRejects(t *testing.T) {
	t.Parallel()
	you, me := from("user", `"hi"`), from("assistant", `"a"`)
	exchange := func(said, answered string) string {
		return ask(you+","+from("assistant", `[`+said+`]`)+","+from("user", `[`+answered+`]`), tools)
	}
	tool := func(fields string) string { return ask(you, `,"tools":[{`+fields+`}]`) }
	cached := `{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}`
	anthropic().rejects(t, map[string]rejection{
		"no JSON":                 {`hello`, "invalid character"},
		"unknown field":           {ask(you, `,"reasoning":1`), "unknown field"},
		"field in capitals":       {ask(you, `,"System":"s"`), "unknown field"},
		"field of another block":  {ask(from("user", `[{"type":"text","text":"a","id":"1"}]`), ``), "Extra inputs"},
		"unknown block":           {ask(from("user", `[{"type":"video"}]`), ``), "Extra inputs"},
		"no model":                {`{"max_tokens":1,"stream":true,"messages":[` + you + `]}`, "model"},
		"no limit":                {`{"model":"m","stream":true,"messages":[` + you + `]}`, "max_tokens"},
		"no stream":               {`{"model":"m","max_tokens":1,"messages":[` + you + `]}`, "stream"},
		"wrong type":              {`{"model":"m","max_tokens":"1","messages":[]}`, "cannot unmarshal"},
		"no messages":             {ask(``, ``), "at least one"},
		"system among messages":   {ask(from("system", `"s"`), ``), "alternate"},
		"model first":             {ask(me+","+you, ``), "alternate"},
		"two users":               {ask(you+","+you, ``), "alternate"},
		"two models":              {ask(you+","+me+","+me+","+you, ``), "alternate"},
		"model last":              {ask(you+","+me, ``), "prefill"},
		"empty text":              {ask(from("user", `""`), ``), "non-whitespace"},
		"blank text":              {ask(from("user", `[{"type":"text","text":" "}]`), ``), "non-whitespace"},
		"image of another type":   {ask(from("user", `[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"R0lGODlh"}}]`), ``), "not \"image/png\""},
		"image as a document":     {ask(from("user", `[{"type":"document","source":{"type":"base64","media_type":"image/gif","data":"R0lGODlh"}}]`), ``), "not allowed"},
		"image without a source":  {ask(from("user", `[{"type":"image"}]`), ``), "source.type"},
		"image by the model":      {ask(you+","+from("assistant", `[{"type":"image","source":{"type":"base64","media_type":"image/gif","data":"R0lGODlh"}}]`)+","+you, ``), "role assistant"},
		"no content":              {ask(from("user", `[]`), ``), "non-empty"},
		"empty system":            {ask(you, `,"system":""`), "system"},
		"empty system block":      {ask(you, `,"system":[{"type":"text","text":""}]`), "system"},
		"orphaned result":         {ask(from("user", `[`+answer+`]`), tools), "corresponding tool_use"},
		"missing result":          {exchange(use, yes), "without tool_result blocks immediately after: [1]"},
		"late result":             {ask(you+","+from("assistant", `[`+use+`]`)+","+you+","+me+","+from("user", `[`+answer+`]`), tools), "without tool_result"},
		"result after text":       {exchange(use, yes+","+answer), "must come first"},
		"result twice":            {exchange(use, answer+","+answer), "corresponding tool_use"},
		"empty result":            {exchange(use, `{"type":"tool_result","tool_use_id":"1","content":""}`), "non-empty"},
		"empty block of a result": {exchange(use, `{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":""}]}`), "non-empty"},
		"same id twice":           {exchange(use+","+use, answer), "unique"},
		"odd id":                  {exchange(`{"type":"tool_use","id":"a.b","name":"Read","input":{}}`, answer), "pattern"},
		"odd name":                {exchange(`{"type":"tool_use","id":"1","name":"a b","input":{}}`, answer), "pattern"},
		"input as a string":       {exchange(`{"type":"tool_use","id":"1","name":"Read","input":"{}"}`, answer), "dictionary"},
		"use by a user":           {ask(from("user", `[`+use+`]`), tools), "role user"},
		"result by the model":     {ask(you+","+from("assistant", `[`+answer+`]`)+","+you, tools), "role assistant"},
		"thinking by a user":      {ask(from("user", `[`+thought("hm", llmtest.Signature("hm"))+`]`), ``), "role user"},
		"unsigned thinking":       {exchange(thought("hm", "")+","+use, answer), "signature"},
		"changed thinking":        {exchange(thought("hm!", llmtest.Signature("hm"))+","+use, answer), "signature"},
		"calls without tools":     {ask(you+","+from("assistant", `[`+use+`]`)+","+from("user", `[`+answer+`]`), ``), "must define tools"},
		"odd tool name":           {tool(`"name":"a.b","input_schema":{"type":"object"}`), "pattern"},
		"no schema":               {tool(`"name":"a"`), "schema"},
		"schema of a list":        {tool(`"name":"a","input_schema":{"type":"array"}`), `"object"`},
		"list of nothing":         {tool(`"name":"a","input_schema":{"type":"object","properties":{"x":{"type":"array"}}}`), "missing items"},
		"combined schema":         {tool(`"name":"a","input_schema":{"type":"object","anyOf":[{}]}`), "anyOf"},
		"tool twice":              {ask(you, `,"tools":[{"name":"a","input_schema":{"type":"object"}},{"name":"a","input_schema":{"type":"object"}}]`), "there twice"},
		"choice without tools":    {ask(you, `,"tool_choice":{"type":"none"}`), "while providing tools"},
		"small budget":            {ask(you, `,"thinking":{"type":"enabled","budget_tokens":5}`), "1024"},
		"large budget":            {ask(you, `,"thinking":{"type":"enabled","budget_tokens":5000}`), "greater than"},
		"warm thinking":           {ask(you, `,"temperature":0.5,"thinking":{"type":"enabled","budget_tokens":1024}`), "temperature"},
		"adaptive budget":         {ask(you, `,"thinking":{"type":"adaptive","budget_tokens":1024}`), "Extra inputs"},
		"unknown thinking":        {ask(you, `,"thinking":{"type":"on"}`), "thinking.type"},
		"thinking not resumed":    {ask(you+","+from("assistant", `[`+use+`]`)+","+from("user", `[`+answer+`]`), tools+`,"thinking":{"type":"enabled","budget_tokens":1024}`), "before tool_use"},
		"hot":                     {ask(you, `,"temperature":2`), "between 0 and 1"},
		"unknown effort":          {ask(you, `,"output_config":{"effort":"on"}`), "effort"},
		"too much to keep":        {ask(from("user", `[`+cached+","+cached+","+cached+","+cached+","+cached+`]`), ``), "maximum of 4"},
	})
	unversioned := anthropic()
	delete(unversioned.header, "Anthropic-Version")
	unversioned.rejects(t, map[string]rejection{"no version": {ask(you, ``), "anthropic-version"}})
}

func TestGoogleRejects(t *testing.T) {
	t.Parallel()
	contents := func(list string) string { return `{"contents":[` + list + `]}` }
	you, me := `{"role":"user","parts":[{"text":"hi"}]}`, `{"role":"model","parts":[{"text":"a"}]}`
	called := `{"role":"model","parts":[{"functionCall":{"name":"Read","args":{}},"thoughtSignature":"c2ln"}]}`
	google().accepts(t, map[string]string{
		"least": contents(you),
		"call":  contents(you + "," + called + `,{"role":"user","parts":[{"functionResponse":{"name":"Read","response":{"output":"x"}}}]}`),
	})
	google().rejects(t, map[string]rejection{
		"unknown field":   {`{"contents":[` + you + `],"x":1}`, "unknown field"},
		"nothing":         {contents(``), "contents"},
		"two users":       {contents(you + "," + you), "role"},
		"model last":      {contents(you + "," + me), "ends with a user"},
		"empty part":      {contents(`{"role":"user","parts":[{"text":""}]}`), "must have data"},
		"odd image":       {contents(`{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"R0lGODlh"}}]}`), "not \"image/png\""},
		"odd audio":       {contents(`{"role":"user","parts":[{"inlineData":{"mimeType":"audio/wav","data":"ZkxhQwAAAAA="}}]}`), "not \"audio/wav\""},
		"odd name of MP3": {contents(`{"role":"user","parts":[{"inlineData":{"mimeType":"audio/mpeg","data":"SUQzBAAA"}}]}`), "undocumented"},
		"no parts":        {contents(`{"role":"user","parts":[]}`), "must not be empty"},
		"unsigned call":   {contents(you + `,{"role":"model","parts":[{"functionCall":{"name":"Read"}}]},` + you), "thought_signature"},
		"missing result":  {contents(you + "," + called + "," + you), "must equal"},
		"orphaned result": {contents(`{"role":"user","parts":[{"functionResponse":{"name":"Read","response":{}}}]}`), "must equal"},
		"result of text":  {contents(you + "," + called + `,{"role":"user","parts":[{"functionResponse":{"name":"Read","response":"x"}}]}`), "object"},
		"tool twice":      {`{"contents":[` + you + `],"tools":[{"functionDeclarations":[{"name":"a","parametersJsonSchema":{"type":"object"}},{"name":"a","parametersJsonSchema":{"type":"object"}}]}]}`, "there twice"},
		"odd name":        {`{"contents":[` + you + `],"tools":[{"functionDeclarations":[{"name":"a b","parametersJsonSchema":{"type":"object"}}]}]}`, "name"},
	})
}
