//go:build cgo

package duckdb

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// Environment variables of child processes: what the copy of the test binary does, and the path of its store.
const (
	childEnv  = "SIGHTLINE_TEST_CHILD"
	childPath = "SIGHTLINE_TEST_PATH"
)

func TestMain(m *testing.M) {
	path := os.Getenv(childPath)
	switch os.Getenv(childEnv) {
	case "hold":
		os.Exit(holdStore(path))
	case "write":
		os.Exit(writeUntilKilled(path))
	case "damaged":
		os.Exit(startDamaged(path))
	case "seal":
		os.Exit(sealUntilKilled(path))
	default:
		os.Exit(m.Run())
	}
}

// startChild runs the test binary as a child process of the given kind, and returns its output line by line.
// The child is killed by kill, or when the test ends.
func startChild(t *testing.T, kind, path string) (lines *bufio.Scanner, kill func()) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childEnv+"="+kind, childPath+"="+path)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() { _ = child.Process.Kill() } // it fails if the child has already ended
	t.Cleanup(func() {
		kill()
		_ = child.Wait()
	})
	return bufio.NewScanner(out), kill
}

// complain prints err and returns the exit status of a failed child.
func complain(err error) int {
	fmt.Println("error:", err)
	return 1
}
