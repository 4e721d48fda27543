//go:build unix

package main

import "syscall"

// keepFilesPrivate makes new files accessible only to their owner.
func keepFilesPrivate() { syscall.Umask(0o077) }
