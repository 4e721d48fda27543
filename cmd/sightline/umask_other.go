//go:build !unix

package main

// keepFilesPrivate does nothing on systems without a umask.
func keepFilesPrivate() {}
