package front

import (
	"bufio"
	"context"
	"log/slog"
	"maps"
	"net/http"
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
	to := newPaced(w, f.cfg.WriteGrace)
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
	to.end()
}
