//go:build cgo

package main

import "runtime/debug"

// version is the one that the build noted, else dev.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "dev"
	}
	return info.Main.Version
}
