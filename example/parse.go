//go:build cgo

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// parse reads args into set, whose name is that of a command. Arguments that are no
// flags are an error.
func parse(set *flag.FlagSet, args []string, to streams) error {
	_, err := parseArgs(set, args, to)
	return err
}

// parseArgs is parse for a command that takes arguments, which may stand before, between
// and after flags. It returns as many as the command takes.
func parseArgs(set *flag.FlagSet, args []string, to streams) ([]string, error) {
	c, _ := find(strings.Fields(set.Name()))
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	wanted := strings.Fields(c.args)
	var found []string
	for {
		err := set.Parse(args)
		if errors.Is(err, flag.ErrHelp) {
			return nil, errors.Join(err, c.help(to.out, set))
		}
		if err != nil {
			return nil, &usageError{c.name, err}
		}
		if set.NArg() == 0 {
			break
		}
		if len(found) == len(wanted) {
			return nil, &usageError{c.name, fmt.Errorf("unexpected argument %q", set.Arg(0))}
		}
		found, args = append(found, set.Arg(0)), set.Args()[1:]
	}
	for i, name := range wanted {
		if i >= len(found) || found[i] == "" {
			return nil, &usageError{c.name, fmt.Errorf("%s is missing: example %s %s", name, c.name, c.args)}
		}
	}
	return found, nil
}

// help writes all about c, whose flags are those of set.
func (c *command) help(to io.Writer, set *flag.FlagSet) error {
	var b strings.Builder
	b.WriteString(strings.TrimRight("Usage: example "+c.name+" "+c.args, " ") + " [flags]\n\n" + c.about + "\n")
	if c.more != "" {
		b.WriteString("\n" + c.more + "\n")
	}
	b.WriteString("\nFlags:\n")
	set.VisitAll(func(f *flag.Flag) {
		value, about := flag.UnquoteUsage(f)
		fmt.Fprintf(&b, "  %s\n", strings.TrimRight("--"+f.Name+" "+value, " "))
		switch f.DefValue {
		case "", "false", "0", "0s":
		default:
			about += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(&b, "        %s\n", about)
	})
	_, err := io.WriteString(to, b.String())
	return err
}
