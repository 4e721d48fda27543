//go:build cgo

package main

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// A command is one thing that the program does. What help says follows from it and from
// its flags.
type command struct {
	name  string // as it is typed, one word or two
	args  string // what it takes beside flags, one word each
	about string // one sentence
	more  string // further paragraphs of its help
	run   func(ctx context.Context, args []string, to streams) error
}

// commands lists everything that the program does, in the order of the help.
func commands() []command {
	return []command{
		{"serve", "", "Serves the API and takes events.", "It is what the program does when no command is named.", serve},
		{"owners add", "", "Adds an owner, to whom websites, links, monitors and keys belong.", "", addOwner},
		{"owners list", "", "Lists the owners.", "", listOwners},
		{"websites add", "", "Adds a website.", "", addWebsite},
		{"websites list", "", "Lists the websites of an owner.", "", listWebsites},
		{"links add", "", "Adds a short link.", "", addLink},
		{"links list", "", "Lists the short links of an owner.", "", listLinks},
		{"monitors add", "", "Adds an uptime monitor.", "", addMonitor},
		{"monitors list", "", "Lists the uptime monitors of an owner.", "", listMonitors},
		{"keys create", "", "Makes an API key.", keysCreateHelp, createKey},
		{"keys list", "", "Lists the keys of an owner, whatever their state.", "", listKeys},
		{"keys show", "KEY", "Shows all about a key but its secret, which nobody keeps.", "", showKey},
		{"keys rotate", "KEY", "Gives a key a new secret.", keysRotateHelp, rotateKey},
		{"keys revoke", "KEY", "Ends a key for good, within a second in every process.", "", revokeKey},
		{"keys disable", "KEY", "Switches a key off, within a second in every process.", "", disableKey},
		{"keys enable", "KEY", "Switches a key on again.", "", enableKey},
		{"keys token", "KEY", "Makes a panel token: a short-lived credential for a browser.", keysTokenHelp, mintToken},
		{"audit list", "", "Lists uses of keys, the newest first.", auditListHelp, listAudit},
		{"audit verify", "", "Looks for changes to the audit trail.", auditVerifyHelp, verifyAudit},
		{"copy", "", "Carries all events over to ClickHouse, and verifies.", "", copyRows},
		{"clickhouse schema", "", "Prints the tables that ClickHouse gets.", "", printSchema},
		{"clickhouse migrate", "", "Makes ClickHouse's tables, and brings them up to date.", "", migrateClickHouse},
	}
}

// find returns the command that args begin with, and what follows its name. Flags alone
// are those of serve.
func find(args []string) (*command, []string) {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		args = append([]string{"serve"}, args...)
	}
	for _, c := range commands() {
		words := strings.Fields(c.name)
		if len(args) >= len(words) && strings.Join(args[:len(words)], " ") == c.name {
			return &c, args[len(words):]
		}
	}
	return nil, args
}

// execute runs the command that args name.
func execute(ctx context.Context, args []string, to streams) error {
	if len(args) > 0 && args[0] == "help" {
		return help(ctx, args[1:], to)
	}
	if c, rest := find(args); c != nil {
		return c.run(ctx, rest, to)
	}
	group := group(args[0])
	if len(group) == 0 {
		return &usageError{"help", fmt.Errorf("unknown command %q; there are %s", args[0], names(commands()))}
	}
	if len(args) > 1 && isHelp(args[1]) {
		return overview(to.out, group)
	}
	named := args[0]
	if len(args) > 1 && !strings.HasPrefix(args[1], "-") {
		named += " " + args[1]
	}
	return &usageError{args[0], fmt.Errorf("unknown command %q; there are %s", named, names(group))}
}

// help tells about the command, or the commands, that args begin with.
func help(ctx context.Context, args []string, to streams) error {
	if len(args) == 0 {
		return overview(to.out, commands())
	}
	return execute(ctx, append(args, "-h"), to)
}

func isHelp(arg string) bool { return arg == "-h" || arg == "-help" || arg == "--help" }

// group are the commands whose names begin with word.
func group(word string) (found []command) {
	for _, c := range commands() {
		if strings.HasPrefix(c.name, word+" ") {
			found = append(found, c)
		}
	}
	return found
}

func names(all []command) string {
	return strings.Join(views(all, func(c command) string { return c.name }), ", ")
}

// overview writes a line for each of all.
func overview(to io.Writer, all []command) error {
	var b strings.Builder
	b.WriteString("Usage: example COMMAND [flags]\n\n")
	for _, c := range all {
		fmt.Fprintf(&b, "  %-19s %s\n", c.name, c.about)
	}
	b.WriteString("\n\"example COMMAND -h\" tells about its flags.\n\n" +
		"A command ends with 0 when it did what it was asked, 1 when it failed, 2 when the command line\n" +
		"makes no sense, and audit verify with 3 when it found damage.\n")
	_, err := io.WriteString(to, b.String())
	return err
}
