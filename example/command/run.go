//go:build cgo

// Package command is the command line of the standalone program. A command is a struct: its
// fields are its flags, and Run does it. github.com/alecthomas/kong reads the tags.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/example/service"
)

// commands is everything that the program does, in the order of the help.
type commands struct {
	Serve  serve `cmd:"" help:"Serve the API and take events: the default command."`
	Owners struct {
		Add    addOwner    `cmd:"" help:"Add an owner of websites, links, monitors and keys."`
		List   listOwners  `cmd:"" help:"List the owners."`
		Change changeOwner `cmd:"" help:"Change the name of an owner."`
		Remove removeOwner `cmd:"" help:"Remove an owner who has nothing left."`
	} `cmd:"" help:"Whose websites, links, monitors and keys there are."`
	Websites struct {
		Add    addWebsite    `cmd:"" help:"Add a website."`
		List   listWebsites  `cmd:"" help:"List the websites of an owner."`
		Change changeWebsite `cmd:"" help:"Change a website, or from whom its events are taken."`
		Remove removeWebsite `cmd:"" help:"Remove a website and its flags; its events stay."`
		Tag    websiteTag    `cmd:"" help:"Print the script element for the pages of a website."`
	} `cmd:"" help:"Websites that events are taken for."`
	Links struct {
		Add    addLink    `cmd:"" help:"Add a short link."`
		List   listLinks  `cmd:"" help:"List the short links of an owner."`
		Change changeLink `cmd:"" help:"Change a short link."`
		Remove removeLink `cmd:"" help:"Remove a short link; its visits stay."`
	} `cmd:"" help:"Short links whose visits are counted."`
	Monitors struct {
		Add    addMonitor    `cmd:"" help:"Add an uptime monitor."`
		List   listMonitors  `cmd:"" help:"List the uptime monitors of an owner."`
		Change changeMonitor `cmd:"" help:"Change an uptime monitor."`
		Remove removeMonitor `cmd:"" help:"Remove an uptime monitor; its checks stay."`
	} `cmd:"" help:"Uptime monitors whose checks are counted."`
	Profiles struct {
		Show   showProfile   `cmd:"" help:"Show what is known of a person."`
		Remove removeProfile `cmd:"" help:"Forget what is known of a person; the events stay."`
	} `cmd:"" help:"People whom events name by a profile id."`
	Keys struct {
		Create  createKey  `cmd:"" help:"Make an API key."`
		List    listKeys   `cmd:"" help:"List the keys of an owner, whatever their state."`
		Show    showKey    `cmd:"" help:"Show a key, but its secret, which is not kept."`
		Change  changeKey  `cmd:"" help:"Change what a key opens, how often, and until when."`
		Rotate  rotateKey  `cmd:"" help:"Give a key a new secret."`
		Revoke  revokeKey  `cmd:"" help:"End a key for good, everywhere within a second."`
		Disable disableKey `cmd:"" help:"Switch a key off, everywhere within a second."`
		Enable  enableKey  `cmd:"" help:"Switch a key on again."`
		Token   mintToken  `cmd:"" help:"Make a panel token: a short-lived browser credential."`
	} `cmd:"" help:"API keys."`
	Flags flagCommands `cmd:"" help:"Feature flags."`
	Audit struct {
		List   listAudit   `cmd:"" help:"List uses of keys, the newest first."`
		Verify verifyAudit `cmd:"" help:"Look for changes to the audit trail."`
	} `cmd:"" help:"The audit trail: every use of a key."`
	Derived struct {
		Verify  verifyDerived  `cmd:"" help:"Compute anew what is kept of days, and name differences."`
		Rebuild rebuildDerived `cmd:"" help:"Keep anew what is computed of days."`
	} `cmd:"" help:"What is kept of quiet days so that questions need not compute it."`
	Copy       copyEvents `cmd:"" help:"Carry all events over to ClickHouse, and verify."`
	Clickhouse struct {
		Schema  printSchema   `cmd:"" help:"Print the tables that ClickHouse gets."`
		Migrate migrateTables `cmd:"" help:"Make ClickHouse's tables, and bring them up to date."`
	} `cmd:"" help:"The tables in ClickHouse."`
	Help help `cmd:"" help:"Show the help of a command."`

	Version kong.VersionFlag `help:"Show the version."`
}

const description = `Sightline as one standalone program.

Every flag can come from the environment variable that its help names; what is typed wins.
Passwords belong there, or in files: other users of a machine can read command lines. The address
of a database may be @ and the path of a file that holds it, as @/etc/sightline/meta.

The exit status is 0 when a command did what it was asked, 1 when it failed, 2 when the command
line is wrong, and 3 when audit verify found damage.`

// help is for those who type it as a word.
type help struct {
	Command []string `arg:"" optional:"" help:"The command."`
}

// Run shows what --help would.
func (h *help) Run(p *kong.Kong) error {
	_, err := p.Parse(append(h.Command, "--help"))
	return err
}

// environment is what commands work in: answers go to out, everything else to errs.
type environment struct {
	out, errs io.Writer
	now       func() time.Time
}

// Run executes a command line, without the name of the program, and returns the exit status.
func Run(ctx context.Context, args []string, out, errs io.Writer) int {
	ended := false // by a flag like --help, which has done all there is to do
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

// newParser is for command lines that set the flags of all.
func newParser(all *commands, options ...kong.Option) (*kong.Kong, error) {
	return kong.New(all, append(options,
		kong.Name("example"),
		kong.Description(description),
		kong.Vars{"version": service.Version(), "scopes": joined(auth.Scopes()), "classes": classDefaults()},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true}),
		kong.PostBuild(nameVariables),
		kong.WithHyphenPrefixedParameters(true), // a number may be negative, and is told to be
	)...)
}

// forProgram says whether a first argument is a flag of the program, not of serve.
func forProgram(arg string) bool { return arg == "-h" || arg == "--help" || arg == "--version" }

// nameVariables gives every flag an environment variable: SIGHTLINE_, its command but for
// serve, and its name. What means the same to several commands has a variable in its tag.
func nameVariables(p *kong.Kong) error {
	for _, command := range p.Model.Leaves(false) {
		words := strings.Fields("sightline " + strings.TrimPrefix(command.Path(), "serve"))
		for _, flag := range command.Flags {
			if len(flag.Tag.Envs) == 0 {
				name := strings.Join(append(words, flag.Name), "_")
				flag.Tag.Envs = []string{strings.ToUpper(strings.ReplaceAll(name, "-", "_"))}
			}
		}
	}
	return nil
}

// report writes why a command failed, on one line, and returns the exit status.
func report(errs io.Writer, err error) int {
	if err == nil {
		return 0
	}
	status, hint := 1, ""
	text := strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
	var wrong *kong.ParseError
	var damage *damageError
	switch {
	case errors.As(err, &wrong):
		status = 2
		at := wrong.Context.Selected()
		if at == nil {
			at = wrong.Context.Model.Node
		}
		if len(at.Children) > 0 {
			text = strings.Replace(text, "unexpected argument", "unknown command", 1)
		}
		hint = fmt.Sprintf(" (help: %s --help)", at.FullPath())
	case errors.As(err, &damage):
		status = 3
	}
	_, _ = fmt.Fprintf(errs, "example: %s%s\n", text, hint)
	return status
}
