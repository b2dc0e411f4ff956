package llmtest_test

import "testing"

// chat returns a chat completion request with the messages and additional fields.
func chat(messages, more string) string {
	return `{"model":"m","stream":true,"messages":[` + messages + `]` + more + `}`
}

const (
	hi      = `{"role":"user","content":"hi"}`
	calls   = `{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"Read","arguments":"{}"}},{"id":"2","type":"function","function":{"name":"Read","arguments":"{}"}}]}`
	result1 = `{"role":"tool","tool_call_id":"1","content":"x"}`
	result2 = `{"role":"tool","tool_call_id":"2","content":""}`
)

func TestOpenAIAccepts(t *testing.T) {
	t.Parallel()
	openAI().accepts(t, map[string]string{
		"least":         chat(hi, ``),
		"system":        chat(`{"role":"system","content":"s"},`+hi, ``),
		"parts":         chat(`{"role":"user","content":[{"type":"text","text":"hi"}]}`, ``),
		"an image":      chat(`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/gif;base64,R0lGODlh"}}]}`, ``),
		"two users":     chat(hi+","+hi, ``),
		"ends by model": chat(hi+`,{"role":"assistant","content":"ok"}`, ``),
		"calls":         chat(hi+","+calls+","+result2+","+result1+","+hi, ``),
		"tools":         chat(hi, `,"tools":[{"type":"function","function":{"name":"Read","description":"","parameters":{"type":"object"}}}],"tool_choice":"auto"`),
		"knobs":         chat(hi, `,"temperature":2,"top_p":1,"max_tokens":5,"stop":["a"],"seed":1,"reasoning_effort":"low","stream_options":{"include_usage":true}`),
	})
}

func TestOpenAIRejects(t *testing.T) {
	t.Parallel()
	call := func(id, name, arguments string) string {
		return chat(hi+`,{"role":"assistant","tool_calls":[{"id":"`+id+`","type":"function","function":{"name":"`+name+`","arguments":`+arguments+`}}]},{"role":"tool","tool_call_id":"`+id+`","content":"x"}`, ``)
	}
	tool := func(fields string) string { return chat(hi, `,"tools":[{"type":"function","function":`+fields+`}]`) }
	part := func(role, fields string) string { return chat(hi+`,{"role":"`+role+`","content":[`+fields+`]}`, ``) }
	openAI().rejects(t, map[string]rejection{
		"no JSON":                  {`hello`, "invalid character"},
		"two objects":              {chat(hi, ``) + `{}`, "something follows"},
		"unknown field":            {chat(hi, `,"thinking":true`), "unknown field"},
		"unknown message field":    {chat(`{"role":"user","content":"hi","created_at":1}`, ``), "unknown field"},
		"field in capitals":        {chat(`{"role":"user","Content":"hi"}`, ``), "unknown field"},
		"wrong type":               {chat(hi, `,"temperature":"hot"`), "cannot unmarshal"},
		"no model":                 {`{"stream":true,"messages":[` + hi + `]}`, "model"},
		"no messages":              {chat(``, ``), "too short"},
		"no stream":                {`{"model":"m","messages":[` + hi + `]}`, "stream"},
		"unknown role":             {chat(`{"role":"function","content":"x"}`, ``), "role"},
		"late system":              {chat(hi+`,{"role":"system","content":"s"}`, ``), "system message must be the first"},
		"empty user":               {chat(`{"role":"user","content":""}`, ``), "empty"},
		"empty part":               {chat(`{"role":"user","content":[{"type":"text","text":""}]}`, ``), "part"},
		"no parts":                 {chat(`{"role":"user","content":[]}`, ``), "empty list"},
		"image of another type":    {part("user", `{"type":"image_url","image_url":{"url":"data:image/png;base64,R0lGODlh"}}`), "not \"image/png\""},
		"image that is no base64":  {part("user", `{"type":"image_url","image_url":{"url":"data:image/gif;base64,!"}}`), "illegal base64"},
		"image elsewhere":          {part("user", `{"type":"image_url","image_url":{"url":"https://example.org/a.gif"}}`), "no data URL"},
		"image as text":            {part("user", `{"type":"text","text":"a","image_url":{"url":"data:image/gif;base64,R0lGODlh"}}`), "part of type"},
		"image of a model":         {part("assistant", `{"type":"image_url","image_url":{"url":"data:image/gif;base64,R0lGODlh"}}`), "role assistant"},
		"image as a file":          {part("user", `{"type":"file","file":{"filename":"a","file_data":"data:image/gif;base64,R0lGODlh"}}`), "not allowed"},
		"audio of another type":    {part("user", `{"type":"input_audio","input_audio":{"data":"UklGRgAAAABXQVZFZm10IA==","format":"mp3"}}`), "the file is \"audio/wav\", not \"audio/mpeg\""},
		"audio of no type":         {part("user", `{"type":"input_audio","input_audio":{"data":"ZkxhQwAAAAA=","format":"flac"}}`), "not allowed"},
		"audio as a data URL":      {part("user", `{"type":"input_audio","input_audio":{"data":"data:audio/wav;base64,UklGRgAAAABXQVZFZm10IA==","format":"wav"}}`), "illegal base64"},
		"audio of a model":         {part("assistant", `{"type":"input_audio","input_audio":{"data":"UklGRgAAAABXQVZFZm10IA==","format":"wav"}}`), "role assistant"},
		"file without a name":      {part("user", `{"type":"file","file":{"file_data":"data:application/pdf;base64,JVBERi0="}}`), "filename"},
		"empty system":             {chat(`{"role":"system","content":""}`, ``), "empty"},
		"empty assistant":          {chat(hi+`,{"role":"assistant","content":""}`, ``), "needs content or tool_calls"},
		"empty calls":              {chat(hi+`,{"role":"assistant","content":"x","tool_calls":[]}`, ``), "too short"},
		"calls of a user":          {chat(`{"role":"user","content":"x","tool_calls":[{"id":"1","type":"function","function":{"name":"a","arguments":"{}"}}]}`, ``), "role"},
		"orphaned result":          {chat(hi+","+result1, ``), "must answer a preceding message"},
		"result twice":             {chat(hi+","+calls+","+result1+","+result1+","+result2, ``), "must answer"},
		"missing result":           {chat(hi+","+calls+","+result1, ``), "without results: [2]"},
		"message before result":    {chat(hi+","+calls+","+result1+","+hi+","+result2, ``), "must be followed by tool messages"},
		"result without content":   {chat(hi+","+calls+","+result2+`,{"role":"tool","tool_call_id":"1"}`, ``), "content: missing"},
		"same id twice":            {chat(hi+","+calls+","+result1+","+result2+","+calls+","+result1+","+result2, ``), "there twice"},
		"no id":                    {call("", "Read", `"{}"`), "1 to 40"},
		"long id":                  {call("12345678901234567890123456789012345678901", "Read", `"{}"`), "1 to 40"},
		"bad name":                 {call("1", "a b", `"{}"`), "does not match"},
		"arguments as an object":   {call("1", "Read", `{}`), "cannot unmarshal"},
		"malformed arguments":      {call("1", "Read", `"{"`), "no JSON object"},
		"no tools":                 {chat(hi, `,"tools":[]`), "too short"},
		"choice without tools":     {chat(hi, `,"tool_choice":"auto"`), "only allowed with tools"},
		"bad tool name":            {tool(`{"name":"a.b","parameters":{"type":"object"}}`), "does not match"},
		"no parameters":            {tool(`{"name":"a"}`), "schema"},
		"parameters of a string":   {tool(`{"name":"a","parameters":{"type":"string"}}`), `must be "object"`},
		"list of nothing":          {tool(`{"name":"a","parameters":{"type":"object","properties":{"x":{"type":"array"}}}}`), "missing items"},
		"bad schema":               {tool(`{"name":"a","parameters":{"type":"object","properties":{"x":{"type":"strong"}}}}`), "schema"},
		"same tool twice":          {chat(hi, `,"tools":[{"type":"function","function":{"name":"a","parameters":{"type":"object"}}},{"type":"function","function":{"name":"a","parameters":{"type":"object"}}}]`), "there twice"},
		"two limits":               {chat(hi, `,"max_tokens":1,"max_completion_tokens":1`), "both set"},
		"no limit":                 {chat(hi, `,"max_tokens":0`), "positive"},
		"hot":                      {chat(hi, `,"temperature":3`), "between 0 and 2"},
		"unknown effort":           {chat(hi, `,"reasoning_effort":"on"`), "reasoning_effort"},
		"too many reasons to stop": {chat(hi, `,"stop":["1","2","3","4","5"]`), "at most 4"},
	})
}
