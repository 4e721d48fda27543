//go:build cgo && !unix

package main

// keepFilesPrivate does nothing where there is no umask.
func keepFilesPrivate() {}
