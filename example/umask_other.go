//go:build cgo && !unix

package main

// keepFilesPrivate does nothing on systems without a umask.
func keepFilesPrivate() {}
