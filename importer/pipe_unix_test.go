//go:build unix

package importer_test

import (
	"os"
	"syscall"
	"testing"
)

// writePipe makes a named pipe, and writes content to it when it is opened.
func writePipe(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() {
		to, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err == nil {
			_, err = to.Write(content)
			_ = to.Close()
		}
		written <- err
	}()
	t.Cleanup(func() {
		if err := <-written; err != nil {
			t.Error(err)
		}
	})
}
