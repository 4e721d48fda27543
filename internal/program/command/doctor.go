package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/internal/program/doctor"
	"github.com/sightline-analytics/sightline/store/clickhouse"
)

// checkInstall checks an installation.
type checkInstall struct {
	dataFlags
	pepperFlags

	Clickhouse  dsn      `env:"SIGHTLINE_CLICKHOUSE" placeholder:"ADDRESS|@FILE" help:"ClickHouse, if events are there and not in the data folder."`
	Cluster     string   `name:"clickhouse-cluster" env:"SIGHTLINE_CLICKHOUSE_CLUSTER" placeholder:"NAME" help:"Cluster of the ClickHouse servers."`
	Redis       dsn      `env:"SIGHTLINE_REDIS" placeholder:"ADDRESS|@FILE" help:"Redis, if servers use one."`
	BackupTo    string   `env:"SIGHTLINE_BACKUP_TO" type:"path" placeholder:"DIR" help:"Folder of regular backups. Default: the one of the running server."`
	BackupEvery span     `env:"SIGHTLINE_BACKUP_EVERY" default:"24h" placeholder:"TIME" help:"Time between two backups. Default: 24h."`
	MinFreeDisk reserve  `env:"SIGHTLINE_MIN_FREE_DISK" placeholder:"SIZE" help:"The --min-free-disk of the server, if it has one."`
	Geoip       string   `env:"SIGHTLINE_GEOIP" placeholder:"FILE" help:"The --geoip of the server, if it has one."`
	CountryHead string   `name:"country-header" env:"SIGHTLINE_COUNTRY_HEADER" placeholder:"NAME" help:"The --country-header of the server, if it has one."`
	Trusted     []string `name:"trusted-proxy" env:"SIGHTLINE_TRUSTED_PROXY" placeholder:"CIDR" help:"The --trusted-proxy of the server, if it has one."`
	Days        int      `default:"7" placeholder:"NUMBER" help:"Days before today whose stored results are compared with their events. Default: 7. derived verify compares all days."`
	JSON        bool     `name:"json" env:"SIGHTLINE_JSON" help:"Write JSON, for programs."`
}

func (*checkInstall) Help() string {
	return `Each line is ok, a warning or a problem, with what to do. The exit status is 1 if there is a problem. The command works while a server runs. Without a server it opens the files as serve does, but only if they are undamaged.`
}

func (c *checkInstall) Validate() error {
	if c.Days < 0 {
		return errors.New("--days is negative")
	}
	return nil
}

// Run prints the findings.
func (c *checkInstall) Run(ctx context.Context, e environment) error {
	findings := doctor.Check(ctx, doctor.Config{
		Data: c.Data, Meta: string(c.Meta), Redis: string(c.Redis), PepperFile: c.PepperFile,
		ClickHouse: clickhouse.Config{DSN: string(c.Clickhouse), Cluster: c.Cluster},
		MinFree:    int64(c.MinFreeDisk), GeoIP: c.Geoip,
		HasCountryHeader: c.CountryHead != "", HasProxy: len(c.Trusted) > 0,
		BackupTo: c.BackupTo, Every: cmp.Or(time.Duration(c.BackupEvery), oneDay), Days: c.Days, Now: e.now,
	})
	problems := 0
	for _, f := range findings {
		if f.Level == doctor.Problem {
			problems++
		}
		if c.JSON {
			continue
		}
		do := ""
		if f.Do != "" {
			do = "; do: " + f.Do
		}
		if _, err := fmt.Fprintf(e.out, "%-7s  %-10s  %s\n", f.Level, f.Check, clean(f.Text+do)); err != nil {
			return err
		}
	}
	if c.JSON {
		if err := writeJSON(e.out, findings); err != nil {
			return err
		}
	}
	if problems > 0 {
		return fmt.Errorf("problems found: %d", problems)
	}
	return nil
}
