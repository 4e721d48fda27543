//go:build !unix

package importer

// lock does nothing: the caller makes sure that only one import uses the progress file.
func lock(string) (unlock func(), err error) { return func() {}, nil }
