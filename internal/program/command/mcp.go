package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"

	"github.com/sightline-analytics/sightline/internal/program/service"
	"github.com/sightline-analytics/sightline/mcp"
)

// serveTools answers an assistant on standard input and output. It opens no data: it asks a server, which checks the
// key.
type serveTools struct {
	URL apiURL `name:"url" env:"SIGHTLINE_URL" default:"http://127.0.0.1:8080" help:"Address of the server. Use https:// unless the server is on this machine, because the key is sent to it."`
	Key dsn    `env:"SIGHTLINE_KEY" required:"" placeholder:"KEY|@FILE" help:"Key to ask with. Use the environment or @FILE: other users of a machine can read command lines."`
}

func (*serveTools) Help() string {
	return `Programs with an assistant start this command and talk with it on standard input and output. See docs/mcp.md. The tools only read, and see what the key can read.`
}

// Run answers until standard input ends.
func (s *serveTools) Run(ctx context.Context, e environment) error {
	return s.answer(ctx, os.Stdin, e.out, e.errs)
}

func (s *serveTools) answer(ctx context.Context, in io.Reader, out, errs io.Writer) error {
	tools, err := mcp.New(mcp.Config{API: s.URL.handler(errs), Version: service.Version()})
	if err != nil {
		return err
	}
	return tools.ServeStdio(ctx, in, out, string(s.Key))
}

// An apiURL is the address of a server.
type apiURL struct{ url.URL }

// UnmarshalText parses a URL of http or https.
func (u *apiURL) UnmarshalText(text []byte) error {
	parsed, err := url.Parse(string(text))
	if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" || parsed.User != nil ||
		parsed.RawQuery != "" {
		return errors.New("must be the address of a server, such as https://stats.example")
	}
	u.URL = *parsed
	return nil
}

// handler returns a handler that forwards requests to the server at u.
func (u *apiURL) handler(errs io.Writer) http.Handler {
	return &httputil.ReverseProxy{
		Rewrite:  func(r *httputil.ProxyRequest) { r.SetURL(&u.URL) },
		ErrorLog: log.New(errs, "sightline: ", 0),
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			w.WriteHeader(http.StatusBadGateway)
			_ = json.NewEncoder(w).Encode(map[string]string{"code": "UNREACHABLE",
				"error": fmt.Sprintf("cannot ask the server at %s: %v", u.URL.String(), err)})
		},
	}
}
