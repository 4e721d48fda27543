//go:build ignore

// This program writes bots.txt, the list of robots, and user agents of people and robots to testdata, for the
// tests of that list. Run it with `make bots`; it needs npm. To use newer data, increase the versions
// below.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	crawlers = "crawler-user-agents-1.60.0"
	visits   = "user-agents"
)

// visitVersions are versions of the package of user agents from real visits. Each version is a sample of its
// time, so several versions are needed for several years and enough different texts.
var visitVersions = []string{"1.0.4", "2.0.0-alpha.686", "2.1.75", "2.1.155", "2.1.198"}

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "bots:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	packed, err := os.MkdirTemp("", "bots")
	if err != nil {
		return err
	}
	defer os.RemoveAll(packed)
	specs := []string{"pack", "--silent", strings.Replace(crawlers, "agents-", "agents@", 1)}
	for _, v := range visitVersions {
		specs = append(specs, visits+"@"+v)
	}
	pack := exec.Command("npm", specs...)
	pack.Dir, pack.Stderr = packed, os.Stderr
	if err := pack.Run(); err != nil {
		return fmt.Errorf("npm pack: %w", err)
	}
	return errors.Join(writeCrawlers(dir, packed), writePeople(dir, packed))
}

// An entry is an entry of the package of crawlers.
type entry struct {
	Pattern   string
	Instances []string
}

// writeCrawlers writes bots.txt and the known user agents of crawlers.
func writeCrawlers(dir, packed string) error {
	files, err := unpack(filepath.Join(packed, crawlers+".tgz"))
	if err != nil {
		return err
	}
	var entries []entry
	if err := json.Unmarshal(files["package/crawler-user-agents.json"], &entries); err != nil {
		return err
	}
	if len(entries) == 0 {
		return errors.New("the package holds no patterns")
	}
	licence, err := comment(files, "MIT License")
	if err != nil {
		return err
	}
	list, err := patterns(entries)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, e := range entries {
		for _, ua := range e.Instances {
			known[line(ua)] = true
		}
	}
	head := "# Patterns of the user agents of robots, one regular expression a line.\n" + generated(crawlers) + licence
	if err := os.WriteFile(filepath.Join(dir, "bots.txt"), []byte(head+list), 0o644); err != nil {
		return err
	}
	head = "# Known user agents of robots, for tests.\n" + generated(crawlers) + licence
	return writeSorted(filepath.Join(dir, "testdata/robots.txt"), head, known)
}

// classes matches character classes of one letter in both cases.
var classes = regexp.MustCompile(`\[([a-zA-Z])[a-zA-Z]\]`)

// plain returns p without the condition that the name starts a word, since the detector finds plain texts many
// times faster.
func plain(p string) string { return strings.TrimPrefix(p, "(^| )") }

// patterns returns the lists of patterns for all user agents and for those outside browsers.
func patterns(entries []entry) (string, error) {
	var anywhere, outside, left []string
	unused := maps.Clone(people)
	poses := map[string]bool{}
	for _, p := range posing {
		poses[p] = true
	}
	for _, e := range entries {
		p := e.Pattern
		switch why, ok := people[p]; {
		case ok:
			left = append(left, fmt.Sprintf("# %s  %s", p, why))
			delete(unused, p)
		case robotWord.MatchString(classes.ReplaceAllString(p, "$1")) || poses[p]:
			anywhere = append(anywhere, plain(p))
			delete(poses, p)
		default:
			outside = append(outside, plain(p))
		}
	}
	if len(unused)+len(poses) > 0 {
		missing := slices.Concat(slices.Sorted(maps.Keys(unused)), slices.Sorted(maps.Keys(poses)))
		return "", fmt.Errorf("generate_rules.go names patterns that the package does not have: %q", missing)
	}
	var b strings.Builder
	section := func(about string, lines []string) {
		fmt.Fprintf(&b, "#\n%s\n%s\n", about, strings.Join(lines, "\n"))
	}
	section("# Patterns of the package that match browsers of people. They are left out.", left)
	section("# A user agent that matches one of these is a robot's.\n[anywhere]", anywhere)
	for _, group := range addedAnywhere {
		section("# Added here: "+group.what+".", group.patterns)
	}
	section("# Names that apps of people may have, too. They count only in a user agent that is not a browser's.\n[outside browsers]", outside)
	for _, group := range addedOutside {
		section("# Added here: "+group.what+".", group.patterns)
	}
	return b.String(), nil
}

// writePeople writes the user agents of real visits.
func writePeople(dir, packed string) error {
	all, licence := map[string]bool{}, ""
	for _, v := range visitVersions {
		files, err := unpack(filepath.Join(packed, visits+"-"+v+".tgz"))
		if err != nil {
			return err
		}
		list := files["package/dist/user-agents.json"]
		if packed := files["package/src/user-agents.json.gz"]; packed != nil {
			z, err := gzip.NewReader(bytes.NewReader(packed))
			if err != nil {
				return err
			}
			if list, err = io.ReadAll(z); err != nil {
				return err
			}
		}
		var sample []struct{ UserAgent string }
		if err := json.Unmarshal(list, &sample); err != nil {
			return fmt.Errorf("%s %s: %w", visits, v, err)
		}
		for _, one := range sample {
			if ua := line(one.UserAgent); !notPeople.MatchString(ua) {
				all[ua] = true
			}
		}
		if licence, err = comment(files, "Redistribution and use in source and binary forms"); err != nil {
			return err
		}
	}
	head := "# User agents of real visits, for tests. Robots among them are left out by generate_rules.go.\n" +
		generated(visits+" "+strings.Join(visitVersions, ", ")) + licence
	return writeSorted(filepath.Join(dir, "testdata/people.txt"), head, all)
}

func generated(from string) string {
	return "# Generated by generate.go from the npm package " + from + ". Do not edit.\n#\n"
}

// comment returns the licence in files as a comment. It fails if the licence lacks text.
func comment(files map[string][]byte, text string) (string, error) {
	licence := string(files["package/LICENSE"])
	if !strings.Contains(licence, text) {
		return "", errors.New("a package is under another licence")
	}
	var b strings.Builder
	for l := range strings.Lines(licence) {
		fmt.Fprintln(&b, strings.TrimRight("# "+strings.TrimSpace(l), " "))
	}
	return b.String(), nil
}

var spaces = regexp.MustCompile(`\s+`)

// line returns ua as one line without whitespace at its ends, as in a header.
func line(ua string) string { return strings.TrimSpace(spaces.ReplaceAllString(ua, " ")) }

func writeSorted(path, head string, set map[string]bool) error {
	lines := strings.Join(slices.Sorted(maps.Keys(set)), "\n")
	return os.WriteFile(path, []byte(head+"#\n"+lines+"\n"), 0o644)
}

func unpack(path string) (map[string][]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if files[h.Name], err = io.ReadAll(t); err != nil {
			return nil, err
		}
	}
}
