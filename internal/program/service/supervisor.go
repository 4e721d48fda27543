package service

import (
	"context"
	"net"
	"time"
)

// What a supervisor is told, by the protocol of sd_notify(3).
const (
	isReady    = "READY=1"    // the server accepts requests
	isStopping = "STOPPING=1" // it finishes open requests
)

// supervisorTimeout bounds a message to the supervisor.
const supervisorTimeout = 5 * time.Second

// tell sends a state to the supervisor that started the server. Without one it does nothing. If the supervisor does not
// get the message, the server still works, and the log says so.
func (a *app) tell(ctx context.Context, state string) {
	if a.settings.Supervisor == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), supervisorTimeout)
	defer cancel()
	var d net.Dialer
	c, err := d.DialContext(ctx, "unixgram", a.settings.Supervisor)
	if err == nil {
		defer func() { _ = c.Close() }() // the message is sent by then
		until, _ := ctx.Deadline()
		if err = c.SetWriteDeadline(until); err == nil {
			_, err = c.Write([]byte(state))
		}
	}
	if err != nil {
		a.log.Warn("the supervisor of NOTIFY_SOCKET could not be told the state of the server", "state", state,
			"error", err)
	}
}
