package front

import (
	"bufio"
	"context"
	"log/slog"
	"maps"
	"net/http"
	"time"
)

// stream sends the response a to r, whose body a.Stream writes.
func (f *Front) stream(ctx context.Context, w http.ResponseWriter, r *Request, a *Answer) {
	h := w.Header()
	maps.Copy(h, a.Header)
	setHeaders(h, header{"Content-Type", a.Type})
	w.WriteHeader(a.Status)
	if r.Method == http.MethodHead {
		return
	}
	to := &streamed{w, http.NewResponseController(w), f.cfg.WriteGrace}
	buffered := bufio.NewWriterSize(to, largeAnswer)
	err := a.Stream(ctx, buffered)
	if err == nil {
		err = buffered.Flush()
	}
	if err != nil {
		f.cfg.Logger.LogAttrs(r.Context(), LevelOf(r.Context(), err), "a response broke off",
			slog.String("requestId", r.ID),
			slog.String("route", r.Route.Path), slog.Any("error", err))
		panic(http.ErrAbortHandler) // net/http breaks the connection, and logs nothing
	}
	_ = to.limits.SetWriteDeadline(time.Now().Add(f.cfg.WriteGrace)) // for the bytes in the buffer of net/http
}

// streamed writes to a client that must read at minRate, and must not pause for longer than grace. Between two writes
// there is no deadline, because the next bytes may take long to compute.
type streamed struct {
	to     http.ResponseWriter
	limits *http.ResponseController
	grace  time.Duration
}

func (s *streamed) Write(p []byte) (int, error) {
	// some writers support no deadlines
	_ = s.limits.SetWriteDeadline(time.Now().Add(s.grace + time.Duration(len(p))*(time.Second/minRate)))
	n, err := s.to.Write(p)
	if err == nil {
		_ = s.limits.SetWriteDeadline(time.Time{})
	}
	return n, err
}
