package web

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/author/explain"
	"github.com/idelchi/aura/internal/author/recording"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/ui/terminal"
)

const (
	// messagesPerPage is how many messages a page of a session has. Pages are counted from the beginning, so that an address stays the same. The
	// last page has up to twice as many, so that a conversation does not begin an empty page while it is read.
	messagesPerPage = 100
	// longestText is how much of a text is shown, in bytes.
	longestText = 64 << 10
	// longestOpening is how much of a folded text its heading shows, in characters.
	longestOpening = 80
)

// conversationModel is the data of the page of a session.
type conversationModel struct {
	ID, Title string
	// Pages says which page this is; empty if there is only one. Earlier and Later are the addresses of its neighbours.
	Pages, Earlier, Later string
	// Turn is the only turn that is shown, and Whole the address of the page without this choice; empty for all turns.
	Turn, Whole string
	// Zoom is how many times wider the timeline of the only turn is, and Zooms are the choices.
	Zoom  int
	Zooms []zoomModel
	// Recorded is set if the session has a recording of its plugin calls.
	Recorded bool
}

// zoomModel is a choice of the width of a timeline. It has no address if it is the present one.
type zoomModel struct{ Text, Address string }

// messageModel is a message of a conversation.
type messageModel struct {
	ID, Role, Who, At string
	Thinking          string
	// Markdown is what a model wrote. Text is what others wrote; Folded says that only its Opening is visible at first.
	Markdown      ready
	Text, Opening string
	Folded        bool
	Files         []string
	Calls         []callModel
	// Diff is what the tool call changed in files.
	Diff []diffLine
	// Cut says that the text is longer.
	Cut string
	// Explained says what plugins did in the turn of this message. It is empty if another message has it, which is Why.
	Explained, Why string
	Turn           int
}

// callModel is a tool call that a message requests.
type callModel struct{ ID, Name, Opening, Arguments string }

// diffLine is a line of a diff. Its text begins with + or -, and Kind is its class.
type diffLine struct{ Kind, Text string }

// sessionPage shows a session: its state, the timeline of its turns, and its conversation.
func (s *site) sessionPage(r *http.Request) (view, error) {
	v := view{status: http.StatusOK, page: "session"}
	found, err := s.reader.session(r.PathValue("id"), func(row inspect.SessionRow, index *session.Index) error {
		head := cleaned(s.reader.source.Secrets, modelOf(row))
		head.Cancel = s.controllable(r) && row.Live != nil && row.Live.State != session.ActivityIdle
		m := &conversationModel{ID: row.ID, Title: head.Title, Recorded: recording.Exists(recording.Beside(row.Path))}
		page := choosePage(m, r.URL, index.Len())
		heads, err := items("session-head", []*sessionModel{head}, func(*sessionModel) string { return "head" })
		if err != nil {
			return err
		}
		questions, err := s.questionItems(r, row)
		if err != nil {
			return err
		}
		rest, err := s.conversation(row, index, page, m, "/sessions/"+row.ID)
		if err != nil {
			return err
		}
		v.layout, v.model = layout{Title: head.Title + " - aura", Section: "/sessions"}, cleaned(s.reader.source.Secrets, m)
		navs, err := navBoxes(m)
		v.boxes = slices.Concat([]box{{"questions", questions}, {"heads", heads}}, navs, rest)
		return err
	})
	if err == nil && !found {
		err = errNotFound
	}
	return v, err
}

// lastPage returns the number of the last page of a conversation.
func lastPage(messages int) int { return max(0, messages/messagesPerPage-1) }

// navModel is a line that leads to the neighbours of a page. There is one above and one below a conversation.
type navModel struct {
	*conversationModel

	ID, Label string
}

// navBoxes returns the lines that lead to other pages. Their number grows while the page is open.
func navBoxes(m *conversationModel) ([]box, error) {
	var boxes []box
	for _, nav := range []navModel{{m, "pages", "Pages"}, {m, "pages-again", "Pages, again"}} {
		var shown []navModel
		if m.Pages != "" {
			shown = append(shown, nav)
		}
		list, err := items("session-nav", shown, func(n navModel) string { return "nav-" + n.ID })
		if err != nil {
			return nil, err
		}
		boxes = append(boxes, box{nav.ID, list})
	}
	return boxes, nil
}

// choosePage returns the number of the page that an address asks for, and fills what the page shows about it.
func choosePage(m *conversationModel, u *url.URL, messages int) int {
	last := lastPage(messages)
	page := last
	if n, err := strconv.Atoi(u.Query().Get("page")); err == nil {
		page = min(max(n-1, 0), last)
	}
	if last > 0 {
		m.Pages = fmt.Sprintf("page %d of %d", page+1, last+1)
	}
	address := func(page int) string { return fmt.Sprintf("%s?page=%d", u.Path, page+1) }
	if page > 0 {
		m.Earlier = address(page - 1)
	}
	if page < last {
		m.Later = address(page + 1)
	}
	if turn, err := strconv.Atoi(u.Query().Get("turn")); err == nil && turn > 0 {
		m.Turn, m.Whole = strconv.Itoa(turn), address(page)
		m.zoom(u.Query().Get("zoom"))
	}
	return page
}

// zoom chooses the width of the timeline of a turn.
func (m *conversationModel) zoom(wanted string) {
	m.Zoom = 1
	for _, times := range []int{1, 2, 4, 8, 16} {
		choice := zoomModel{fmt.Sprintf("%d×", times), fmt.Sprintf("%s&turn=%s&zoom=%d", m.Whole, m.Turn, times)}
		if strconv.Itoa(times) == wanted || times == 1 && wanted == "" {
			m.Zoom, choice.Address = times, ""
		}
		m.Zooms = append(m.Zooms, choice)
	}
}

// conversation returns the timeline and the messages of a page of a session, which has an address.
func (s *site) conversation(row inspect.SessionRow, index *session.Index, page int, m *conversationModel, address string) ([]box, error) {
	key := fmt.Sprintf("%s %d %s %d", row.Path, page, m.Turn, m.Zoom)
	if boxes, ok := s.pages.get(key, index.Version()); ok {
		return boxes, nil
	}
	from := min(page*messagesPerPage, index.Len())
	to := min(from+messagesPerPage, index.Len())
	if page == lastPage(index.Len()) {
		to = index.Len()
	}
	messages, err := index.Messages(from, to)
	if err != nil {
		return nil, err
	}
	facts, err := factsOf(index, messages, to == index.Len())
	if err != nil {
		return nil, err
	}
	models := s.messageModels(messages, from, index, facts)
	shown, err := items("message", models, func(m *messageModel) string { return m.ID })
	if err != nil {
		return nil, err
	}
	timelines, err := items("turn", s.turnModels(messages, facts, m, fmt.Sprintf("%s?page=%d", address, page+1)), func(m *turnModel) string { return m.ID })
	if err != nil {
		return nil, err
	}
	boxes := []box{{"turns", timelines}, {"messages", shown}}
	s.pages.put(key, index.Version(), boxes)
	return boxes, nil
}

// factsOf reads the facts of the turns that messages belong to, grouped by turn. The last page also has the facts that no message follows.
func factsOf(index *session.Index, messages []llm.Message, last bool) ([]explain.Turn, error) {
	if len(messages) == 0 {
		return nil, nil
	}
	low, high := index.Turns()
	low = max(low, index.TurnOf(messages[0].CreatedAt))
	if !last {
		high = index.TurnOf(messages[len(messages)-1].CreatedAt)
	}
	facts, _, err := index.Facts(low, high)
	if err != nil {
		return nil, err
	}
	return explain.Turns(facts, explain.Filter{})
}

// messageModels returns what the page shows of messages. What plugins did in a turn stands at its first answer, or at its first message if the
// page has no answer of it. The others lead there.
func (s *site) messageModels(messages []llm.Message, from int, index *session.Index, turns []explain.Turn) []*messageModel {
	explained := map[int]string{}
	changed := map[string]string{}
	for _, t := range turns {
		for _, f := range t.Facts {
			if f.Kind == session.FactFiles && len(f.Changes) > 0 {
				changed[f.Call] = f.Changes[0].Diff
			}
		}
		if len(t.Facts) > 0 {
			explained[t.Number] = explain.Text([]explain.Turn{t}, true)
		}
	}
	turnOf, explains := turnsOf(messages, index)
	var out []*messageModel
	for i, msg := range messages {
		m := s.messageModel(msg)
		m.ID = fmt.Sprintf("m-%d", from+i)
		if diff := changed[msg.ToolCallID]; diff != "" && msg.Role == llm.RoleTool {
			// A secret may span lines.
			terminal.DiffLines(s.reader.source.Secrets.String(diff), func(kind, line string) { m.Diff = append(m.Diff, diffLine{kind, line}) })
		}
		m.Turn = turnOf[i]
		switch text, at := explained[m.Turn], explains[m.Turn]; {
		case text != "" && at == i:
			m.Explained, _ = shorten(text)
		case text != "":
			m.Why = fmt.Sprintf("m-%d", from+at)
		}
		// A text is cleaned before it becomes HTML, and once more with the other fields, which changes nothing.
		cleaned(s.reader.source.Secrets, m)
		if msg.Role == llm.RoleAssistant {
			m.Markdown, m.Text = markdown(m.Text), ""
		}
		out = append(out, m)
	}
	return out
}

// turnsOf returns the turn of each message, and for each turn the message that explains it. What a model did not say or cause belongs to the turn
// that it is sent in, which is the next one.
func turnsOf(messages []llm.Message, index *session.Index) (turns []int, explains map[int]int) {
	explains = map[int]int{}
	for i, m := range messages {
		turn := index.TurnOf(m.CreatedAt)
		if m.Role != llm.RoleAssistant && m.Role != llm.RoleTool {
			turn++
		}
		turns = append(turns, turn)
		at, known := explains[turn]
		if !known || m.Role == llm.RoleAssistant && messages[at].Role != llm.RoleAssistant {
			explains[turn] = i
		}
	}
	return turns, explains
}

func (s *site) messageModel(msg llm.Message) *messageModel {
	m := &messageModel{Role: string(msg.Role), Who: string(msg.Role), At: clock(msg.CreatedAt), Thinking: msg.Thinking}
	if msg.Synthetic {
		m.Who += " (injected)"
	}
	var cuts [2]int
	// Secrets are removed from the whole text: the beginning of one would not be recognized.
	m.Text, cuts[0] = shorten(s.reader.source.Secrets.String(msg.Content))
	m.Thinking, cuts[1] = shorten(s.reader.source.Secrets.String(msg.Thinking))
	if left := cuts[0] + cuts[1]; left > 0 {
		m.Cut = fmt.Sprintf("%d bytes more; `aura sessions show` prints them", left)
	}
	if msg.Role == llm.RoleTool {
		m.Who, m.Folded, m.Opening = "result of "+cmp.Or(msg.ToolName, "-"), true, cmp.Or(opening(m.Text), "an empty result")
	}
	for _, p := range msg.Parts {
		m.Files = append(m.Files, fmt.Sprintf("%s (%s)", p.Name, p.Type))
	}
	for i, c := range msg.ToolCalls {
		arguments, _ := shorten(s.reader.source.Secrets.String(string(c.Arguments)))
		m.Calls = append(m.Calls, callModel{fmt.Sprintf("call-%d", i), c.Name, opening(arguments), arguments})
	}
	return m
}

// opening returns the beginning of a text in one line.
func opening(text string) string {
	line := []rune(plaintext.Line(text[:min(len(text), 8*longestOpening)]))
	if len(line) > longestOpening {
		return string(line[:longestOpening]) + "…"
	}
	return string(line)
}

// shorten returns the beginning of a text, and how many bytes are left out.
func shorten(text string) (string, int) {
	if len(text) <= longestText {
		return text, 0
	}
	return strings.ToValidUTF8(text[:longestText], ""), len(text) - longestText
}
