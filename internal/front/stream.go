package front

import (
	"bufio"
	"compress/gzip"
	"context"
	"io"
	"log/slog"
	"net/http"
)

// stream sends the response a to r, whose body a.Stream writes.
func (f *Front) stream(ctx context.Context, w http.ResponseWriter, r *Request, a *Answer) {
	h := w.Header()
	a.addHeaders(h)
	setHeaders(h, header{"Content-Type", a.Type})
	compressed := a.Text && AcceptsGzip(r.Header)
	if a.Text {
		h.Add("Vary", "Accept-Encoding")
	}
	if compressed {
		h.Set("Content-Encoding", "gzip")
	}
	w.WriteHeader(a.Status)
	if r.Method == http.MethodHead {
		return
	}
	to := newPaced(w, f.cfg.WriteGrace)
	buffered := bufio.NewWriterSize(to, largeAnswer)
	err := a.streamTo(ctx, buffered, compressed)
	if err == nil {
		err = buffered.Flush()
	}
	if err != nil {
		f.cfg.Logger.LogAttrs(r.Context(), LevelOf(r.Context(), err), "a response broke off",
			slog.String("requestId", r.ID),
			slog.String("route", r.Route.Path), slog.Any("error", err))
		breakConnection()
	}
	to.end()
}

// breakConnection does not return: net/http breaks the connection, and logs nothing.
func breakConnection() { panic(http.ErrAbortHandler) }

// streamTo writes the body of a to w. A compressed body that breaks off has no end, so a client notices it twice.
func (a *Answer) streamTo(ctx context.Context, w io.Writer, compressed bool) error {
	if !compressed {
		return a.Stream(ctx, w)
	}
	z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed) // cannot fail: the level is valid
	if err := a.Stream(ctx, z); err != nil {
		return err
	}
	return z.Close()
}
