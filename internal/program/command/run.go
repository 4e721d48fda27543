// Package command implements the command line of the standalone program. Each command is a struct: its fields
// are its options, and its method Run executes it. github.com/alecthomas/kong reads the tags.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/exporter"
	"github.com/sightline-analytics/sightline/importer"
	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/internal/program/service"
)

// commands lists all commands, in the order of the help.
type commands struct {
	Serve  serve `cmd:"" help:"Serve the API and accept events (the default command)."`
	Owners struct {
		Add    addOwner    `cmd:"" help:"Add an owner of websites, links, monitors and keys."`
		List   listOwners  `cmd:"" help:"List the owners."`
		Change changeOwner `cmd:"" help:"Change the name of an owner."`
		Remove removeOwner `cmd:"" help:"Remove an owner without websites, links, monitors and keys."`
	} `cmd:"" help:"Manage owners (tenants)."`
	Websites struct {
		Add    addWebsite    `cmd:"" help:"Add a website."`
		List   listWebsites  `cmd:"" help:"List the websites of an owner."`
		Change changeWebsite `cmd:"" help:"Change a website, or which events it accepts."`
		Remove removeWebsite `cmd:"" help:"Remove a website and its flags; its events stay."`
		Tag    websiteTag    `cmd:"" help:"Print the script element for the pages of a website."`
	} `cmd:"" help:"Manage websites."`
	Definitions struct {
		List   listDefinitions  `cmd:"" help:"List what is saved for a website: goals, funnels, segments, annotations, notices and reports."`
		Save   saveDefinition   `cmd:"" help:"Save a goal, a funnel, a segment, an annotation, a notice or a report by a name."`
		Remove removeDefinition `cmd:"" help:"Remove a goal, a funnel, a segment, an annotation, a notice or a report."`
	} `cmd:"" help:"Manage saved goals, funnels, segments, annotations, notices and reports."`
	Notices struct {
		List listNotices `cmd:"" help:"List the last messages of the notices and reports of a website."`
		Test testNotice  `cmd:"" help:"Send a test message of a notice or report."`
	} `cmd:"" help:"See and test what notices and reports send."`
	Links struct {
		Add    addLink    `cmd:"" help:"Add a short link."`
		List   listLinks  `cmd:"" help:"List the short links of an owner."`
		Change changeLink `cmd:"" help:"Change a short link."`
		Remove removeLink `cmd:"" help:"Remove a short link; its visits stay."`
	} `cmd:"" help:"Manage short links."`
	Monitors struct {
		Add    addMonitor    `cmd:"" help:"Add an uptime monitor."`
		List   listMonitors  `cmd:"" help:"List the uptime monitors of an owner."`
		Change changeMonitor `cmd:"" help:"Change an uptime monitor."`
		Remove removeMonitor `cmd:"" help:"Remove an uptime monitor; its checks stay."`
	} `cmd:"" help:"Manage uptime monitors."`
	Profiles struct {
		Show   showProfile   `cmd:"" help:"Show a profile."`
		Remove removeProfile `cmd:"" help:"Remove a profile; its events stay."`
	} `cmd:"" help:"Manage profiles of users."`
	Keys struct {
		Add     addKey     `cmd:"" help:"Add an API key."`
		List    listKeys   `cmd:"" help:"List the keys of an owner, also disabled and revoked ones."`
		Show    showKey    `cmd:"" help:"Show a key (never its secret)."`
		Change  changeKey  `cmd:"" help:"Change a key's permissions, rate limit or expiry."`
		Rotate  rotateKey  `cmd:"" help:"Give a key a new secret."`
		Revoke  revokeKey  `cmd:"" help:"End a key for good, on all servers within a second."`
		Disable disableKey `cmd:"" help:"Disable a key, on all servers within a second."`
		Enable  enableKey  `cmd:"" help:"Enable a disabled key."`
		Token   mintToken  `cmd:"" help:"Create a panel token: a short-lived credential for browsers."`
	} `cmd:"" help:"Manage API keys."`
	Flags flagCommands `cmd:"" help:"Manage feature flags."`
	Audit struct {
		List   listAudit   `cmd:"" help:"List uses of keys, the newest first."`
		Verify verifyAudit `cmd:"" help:"Check the audit trail for tampering."`
	} `cmd:"" help:"Read the audit trail: every use of a key."`
	Derived struct {
		Verify  verifyDerived  `cmd:"" help:"Recompute stored daily results and report differences."`
		Rebuild rebuildDerived `cmd:"" help:"Rebuild stored daily results."`
	} `cmd:"" help:"Check stored daily results."`
	Import struct {
		Files importEvents `cmd:"" default:"withargs" help:"Import files (the default command)."`
		List  listImports  `cmd:"" help:"List the imports of a website, the newest first."`
		Undo  undoImport   `cmd:"" help:"Take an import back: remove the events that only it sent."`
	} `cmd:"" help:"Import access logs, and exports of other analytics; take imports back."`
	Export     exportRows    `cmd:"" help:"Export the raw rows of a website, link or monitor."`
	Erase      eraseData     `cmd:"" help:"Erase a visitor, a profile or all events of a website."`
	Subject    showSubject   `cmd:"" help:"Show all that is stored of a visitor or a profile."`
	Copy       copyEvents    `cmd:"" help:"Copy all events to ClickHouse or from SQLite to DuckDB, or all records to PostgreSQL, and verify the copy."`
	Backup     makeBackup    `cmd:"" help:"Back up the data folder, also while a server runs on it."`
	Restore    restoreBackup `cmd:"" help:"Restore a backup into an empty data folder."`
	Mcp        serveTools    `cmd:"" help:"Let an assistant on this machine ask a server, by the Model Context Protocol."`
	Doctor     checkInstall  `cmd:"" help:"Check the installation, and say what to do."`
	Health     askHealth     `cmd:"" help:"Ask a server whether it and its stores work."`
	Clickhouse struct {
		Schema  printSchema   `cmd:"" help:"Print the SQL of the tables."`
		Migrate migrateTables `cmd:"" help:"Create or update the tables."`
	} `cmd:"" help:"Manage the tables in ClickHouse."`
	Help help `cmd:"" help:"Show the help of a command."`

	Version kong.VersionFlag `help:"Show the version."`
}

const description = `Sightline as one standalone program.

Each option of serve can also be set by the environment variable in its help. Other commands read the
variables of the options that they share with serve, such as SIGHTLINE_DATA. Command-line options take
precedence.
Put passwords into the environment or into files: other users of a machine can read command lines.
@/path/to/file, such as @/etc/sightline/meta, reads the address of a database from a file.

The exit status is 0 if a command succeeded, 1 if it failed, 2 if the command line is invalid, 3 if
audit verify found damage, and 4 if import could not read all of its files.`

// help is the command "help", which works like the option --help.
type help struct {
	Command []string `arg:"" optional:"" help:"The command."`
}

// Run shows the help of the command.
func (h *help) Run(p *kong.Kong) error {
	_, err := p.Parse(append(h.Command, "--help"))
	return err
}

// environment has the outputs and the clock of commands. Results go to out, everything else to errs.
type environment struct {
	out, errs io.Writer
	now       func() time.Time
}

// Run executes a command line, without the name of the program, and returns the exit status.
func Run(ctx context.Context, args []string, out, errs io.Writer) int {
	ended := false // by an option like --help, after which nothing remains to do
	p, err := newParser(&commands{}, kong.Writers(out, errs), kong.Exit(func(int) { ended = true }),
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(environment{out, errs, time.Now}))
	if err != nil {
		return report(errs, err)
	}
	if len(args) == 0 || strings.HasPrefix(args[0], "-") && !forProgram(args[0]) {
		args = append([]string{"serve"}, args...)
	}
	parsed, err := p.Parse(args)
	if err == nil && !ended {
		err = parsed.Run()
	}
	if ended {
		return 0
	}
	return report(errs, err)
}

// newParser returns a parser of command lines that sets the options of all.
func newParser(all *commands, options ...kong.Option) (*kong.Kong, error) {
	return kong.New(all, append(options,
		kong.Name("sightline"),
		kong.Description(description),
		kong.Vars{"version": service.Version(), "scopes": joined(auth.Scopes()), "classes": classDefaults(),
			"formats": formatNames(),
			"exports": joined(mapped(exportFormats(), func(f exporter.Format) string { return f.Name })),
			"fields":  joined(importer.Fields())},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true}),
		kong.PostBuild(nameVariables),
		kong.WithHyphenPrefixedParameters(true), // so that a negative number reaches its own check
	)...)
}

// forProgram reports whether a first argument is an option of the program, not of serve.
func forProgram(arg string) bool { return arg == "-h" || arg == "--help" || arg == "--version" }

// nameVariables gives every option of serve an environment variable: SIGHTLINE_ and the name of the option.
// Options that other commands share with serve have the same variable in their tag.
func nameVariables(p *kong.Kong) error {
	for _, command := range p.Model.Leaves(false) {
		if command.Path() != "serve" {
			continue
		}
		for _, flag := range command.Flags {
			if len(flag.Tag.Envs) == 0 {
				flag.Tag.Envs = []string{"SIGHTLINE_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))}
			}
		}
	}
	return nil
}

// verbFor returns the verb of the command line for a word that means the same, or "".
func verbFor(word string) string {
	switch word {
	case "create", "new", "make", "put":
		return "add"
	case "update", "edit", "set":
		return "change"
	case "delete", "del", "rm", "drop":
		return "remove"
	case "ls":
		return "list"
	case "get", "view", "info":
		return "show"
	}
	return ""
}

// report writes the error of a command on one line and returns the exit status.
func report(errs io.Writer, err error) int {
	if err == nil {
		return 0
	}
	status, hint := 1, ""
	text := strings.Join(strings.FieldsFunc(install.ExplainAccess(err).Error(), func(r rune) bool {
		return r == '\n' ||
			r == '\r'
	}), "; ")
	var wrong *kong.ParseError
	var damage *damageError
	var incomplete *incompleteError
	switch {
	case errors.As(err, &wrong):
		status = 2
		at := wrong.Context.Selected()
		if at == nil {
			at = wrong.Context.Model.Node
		}
		if word, ok := strings.CutPrefix(text, "unexpected argument "); ok && len(at.Children) > 0 {
			text = "unknown command " + word
			verb := verbFor(word)
			if slices.ContainsFunc(at.Children, func(n *kong.Node) bool { return n.Name == verb }) {
				text += fmt.Sprintf(", did you mean %q?", verb)
			}
		}
		hint = fmt.Sprintf(" (help: %s --help)", at.FullPath())
	case errors.As(err, &damage):
		status = 3
	case errors.As(err, &incomplete):
		status = 4
	}
	_, _ = fmt.Fprintf(errs, "sightline: %s%s\n", text, hint)
	return status
}
