//go:build cgo && unix

package main

import "syscall"

// keepFilesPrivate has all files that are made from now on opened by their owner alone.
func keepFilesPrivate() { syscall.Umask(0o077) }
