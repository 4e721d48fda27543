package notify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"strings"
	"unicode"
	"unicode/utf8"
)

// payload returns the JSON of a webhook, as Standard Webhooks recommends it.
func payload(m *Message) ([]byte, error) {
	return json.Marshal(struct {
		Type      Type   `json:"type"`
		Timestamp string `json:"timestamp"`
		Data      any    `json:"data"`
	}{m.Type, m.At.UTC().Format("2006-01-02T15:04:05.000Z"), struct {
		Name    string   `json:"name"`
		Website string   `json:"websiteId"`
		Site    string   `json:"websiteName"`
		About   string   `json:"about,omitempty"`
		Text    string   `json:"text"`
		Value   *float64 `json:"value,omitempty"`
		Link    string   `json:"link,omitempty"`
	}{m.Name, m.Website, m.Site, m.About, m.Text, m.Value, m.Link}})
}

// The longest texts that Slack and Discord take, in characters, with room for what is added to them.
const (
	longestSlack   = 2900
	longestDiscord = 1900
)

// slack returns the JSON of Slack. Its block is plain text, in which nothing has a meaning. The text beside it, which
// is for notifications, has the three characters escaped that have one.
func slack(m *Message) ([]byte, error) {
	text := cut(said(m), longestSlack)
	escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
	type object map[string]any
	return json.Marshal(object{"text": escaped, "blocks": []object{{"type": "section",
		"text": object{"type": "plain_text", "text": text, "emoji": false}}}})
}

// discord returns the JSON of Discord: nobody is mentioned, and no character is markup.
func discord(m *Message) ([]byte, error) {
	var b strings.Builder
	for _, c := range cut(said(m), longestDiscord/2) {
		if c < utf8.RuneSelf && (unicode.IsPunct(c) || unicode.IsSymbol(c)) && !strings.ContainsRune("%,.;'\"!?/&", c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	// an address is a link even in escaped text, unless something stands in it
	content := strings.ReplaceAll(b.String(), "://", ":\u200b//")
	content = strings.ReplaceAll(content, "\\://", "\\:\u200b//")
	if m.Link != "" {
		content += "\n<" + m.Link + ">"
	}
	return json.Marshal(map[string]any{"content": content, "allowed_mentions": map[string]any{"parse": []string{}}})
}

// said returns what chats show.
func said(m *Message) string {
	text := m.Name + "\n" + m.Text
	if m.Type == Test {
		text = m.Text
	}
	return text
}

// cut returns the first characters of a text.
func cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + "…"
}

// mailOf returns m as mail.
func mailOf(m *Message, to string) (Mail, error) {
	subject := oneLine(m.Site + ": " + m.Name)
	if m.Type == Ended {
		subject += " (over)"
	}
	var html bytes.Buffer
	if err := page().Execute(&html, m); err != nil {
		return Mail{}, err
	}
	return Mail{ID: m.ID, To: to, Subject: cut(subject, 150), Text: plain(m), HTML: html.String(), At: m.At,
		End: m.End}, nil
}

// oneLine replaces what a header must not have.
func oneLine(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || c == '\u2028' || c == '\u2029' {
			return ' '
		}
		return c
	}, text)
}

// plain returns m as text, with columns that are aligned by blanks.
func plain(m *Message) string {
	var b strings.Builder
	b.WriteString(m.Text + "\n")
	for _, t := range m.Tables {
		b.WriteString("\n" + t.Title + "\n")
		widths := make([]int, len(t.Columns))
		lines := append([][]string{t.Columns}, t.Rows...)
		for _, line := range lines {
			for i, cell := range line {
				widths[i] = max(widths[i], utf8.RuneCountInString(cell))
			}
		}
		if len(t.Rows) == 0 {
			lines = nil
		}
		for _, line := range lines {
			for i, cell := range line {
				b.WriteString("  " + oneLine(cell))
				if i+1 < len(line) {
					b.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)))
				}
			}
			b.WriteByte('\n')
		}
		if t.Note != "" {
			b.WriteString("  " + t.Note + "\n")
		}
	}
	if m.Link != "" {
		fmt.Fprintf(&b, "\n%s\n", m.Link)
	}
	if m.End != "" {
		fmt.Fprintf(&b, "\nNo more of this mail: %s\n", m.End)
	}
	return b.String()
}

// page returns the template of the HTML of mail: tables and inline styles, which all programs show, and nothing from
// elsewhere. It escapes all texts.
func page() *template.Template {
	return template.Must(template.New("mail").Parse(`<!DOCTYPE html>
<html><body style="font-family:sans-serif;font-size:15px;color:#1a1a1a;max-width:640px">
<p>{{.Text}}</p>
{{range .Tables}}<h2 style="font-size:16px;margin:24px 0 8px">{{.Title}}</h2>
{{if .Rows}}<table cellpadding="4" cellspacing="0" style="border-collapse:collapse;font-size:14px">
<tr>{{range .Columns}}<th align="left" style="border-bottom:1px solid #999">{{.}}</th>{{end}}</tr>
{{range .Rows}}<tr>{{range .}}<td style="border-bottom:1px solid #ddd">{{.}}</td>{{end}}</tr>
{{end}}</table>
{{end}}{{if .Note}}<p>{{.Note}}</p>
{{end}}{{end}}{{if .Link}}<p><a href="{{.Link}}">Open the panel</a></p>
{{end}}{{if .End}}<p style="font-size:12px;color:#666"><a href="{{.End}}">No more of this mail</a></p>
{{end}}</body></html>
`))
}
