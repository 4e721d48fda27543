package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/store/embedded"
)

// largeLog is the size of a log of events that only failed checkpoints explain.
const largeLog = 256 << 20

// others is the permissions of users that do not own a file.
const others fs.FileMode = 0o077

// checkFolder checks the data folder, and reports whether it can be used.
func (d *doctor) checkFolder() bool {
	info, err := os.Stat(d.Data)
	var denied *install.AccessError
	if errors.As(install.CheckAccess(d.Data), &denied) {
		d.found(Problem, "folder", denied.Do(), "%s", denied.What())
		return false
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.found(Problem, "folder", "name the folder with --data, or create it with serve", "%s does not exist", d.Data)
		return false
	case err != nil || !info.IsDir():
		d.found(Problem, "folder", "name another folder with --data", "%s is not a folder that can be read: %v", d.Data,
			err)
		return false
	}
	if half, err := install.Exists(d.Data, install.RestoreFile); err != nil || half {
		d.found(Problem, "folder", "run restore again, or empty the folder", "the restore into %s is not finished",
			d.Data)
		return false
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&others != 0 {
		d.found(Warning, "folder", "chmod 0700 "+d.Data, "other users may read %s (mode %04o)", d.Data, mode)
		return true
	}
	d.found(OK, "folder", "", "%s is private", d.Data)
	return true
}

// checkFiles checks that the files exist, that this user may write to them and others may not read them. It reports
// whether the file of events can be opened.
func (d *doctor) checkFiles() (sound bool) {
	before := len(d.findings)
	sound = true
	log := filepath.Join(d.Data, install.EventsFile+".wal")
	switch {
	case d.ClickHouse.DSN != "":
	case d.checkBuild():
		sound = false
	default:
		sound = d.checkOne(install.EventsFile, "put it back from a backup with restore, or start serve to create it")
		info, err := os.Stat(log)
		if err == nil && !sound {
			d.found(Problem, "files", "put the file back; the log alone has only the latest events",
				"%s exists without %s", log, install.EventsFile)
		}
		if err == nil && info.Size() > largeLog {
			d.found(Warning, "files", "free disk space, and look for failed checkpoints in the log of the server",
				"%s has %d MB, because it could not be moved into its file", log, info.Size()>>20)
		}
		if copies, err := filepath.Glob(log + ".2*Z*"); err == nil && len(copies) > 0 {
			d.found(Warning, "files", "see docs/operations.md#damage; delete the copies when no event is missing",
				"the log was damaged once: %d copies like %s", len(copies), copies[0])
		}
	}
	if d.Meta == "" {
		d.checkOne(install.RecordsFile, "put it back from a backup; without records serve does not start")
	}
	if d.PepperFile == "" {
		d.checkOne(install.PepperFile,
			"put it back from your copy, or name it with --pepper-file; without it no key works")
	}
	if len(d.findings) == before {
		d.found(OK, "files", "", "all files exist, are private, and can be written")
	}
	return sound
}

// checkOne checks a file in the data folder, and reports whether it can be opened.
func (d *doctor) checkOne(name, put string) bool {
	path := filepath.Join(d.Data, name)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.found(Problem, "files", put, "%s is missing", path)
		return false
	case err != nil || !info.Mode().IsRegular():
		d.found(Problem, "files", "move it away, and "+put, "%s is not a file that can be read: %v", path, err)
		return false
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		d.found(Problem, "files", "run this command as the user of the server, or chown the file to that user",
			"%s cannot be opened for writing: %v", path, err)
		return false
	}
	_ = file.Close() // nothing was written
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&others != 0 {
		do := "chmod 0600 " + path
		if name == install.PepperFile {
			do += "; replace a pepper that others have read (docs/keys.md)"
		}
		d.found(Warning, "files", do, "other users may read %s (mode %04o)", path, mode)
	}
	if ahead := info.ModTime().Sub(d.Now()); ahead > time.Minute {
		d.found(Problem, "clock", "set the clock, and keep it right with NTP",
			"%s was written %v after the time of this clock", path, ahead.Round(time.Second))
	}
	return true
}

// someSpace is the free space below which the disk may soon be full.
const someSpace = 2 << 30

// checkDisk compares the free space with the limit below which the server refuses events, and with what their log
// needs.
func (d *doctor) checkDisk() {
	free, limit, err := embedded.FreeSpace(d.Data, d.MinFree)
	if errors.Is(err, errors.ErrUnsupported) {
		return
	}
	if err != nil {
		d.found(Warning, "disk", "check the folder and its permissions", "the free space cannot be read: %v", err)
		return
	}
	var log int64
	if info, err := os.Stat(filepath.Join(d.Data, install.EventsFile+".wal")); err == nil {
		log = info.Size()
	}
	level, do := OK, ""
	switch {
	case free < limit:
		level, do = Problem, "free space now: the server refuses events until then"
	case free < limit+log:
		level, do = Problem, "free space now: the server needs it to move the log of events into their file"
	case free < someSpace:
		level, do = Warning, "free space, or move the data folder to a larger disk"
	}
	d.found(level, "disk", do, "%s free for %s; below %s the server refuses events", size(free), d.Data, size(limit))
}

// size formats a number of bytes.
func size(n int64) string {
	if n < 10<<30 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d GiB", n>>30)
}
