package sightline

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/erasure"
	"github.com/sightline-analytics/sightline/exporter"
	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/track"
)

// A KeyNotifier is a key store that reports its changes. It is optional.
type KeyNotifier interface {
	// Notify makes the store notify to of every later change of a key.
	Notify(to auth.Invalidator)
}

// A KeyUseRecorder is a key store that records when its keys are used. It is optional.
type KeyUseRecorder interface {
	// KeyUsed records that the key with an id was accepted at an instant. It must not block.
	KeyUsed(id string, at time.Time)
}

// A PepperKeeper is a store of records that knows the pepper of its keys' digests. It is optional.
type PepperKeeper interface {
	Pepper() auth.Pepper
}

// A KeyPruner is a store of records that can remove keys which ended long ago. It is optional.
type KeyPruner interface {
	// PruneKeys removes keys that were revoked, or expired, before an instant.
	PruneKeys(ctx context.Context, before time.Time) error
}

// A PepperChecker is a store of records that knows which pepper it belongs to. It is optional.
type PepperChecker interface {
	// CheckPepper returns an error if the store belongs to another pepper.
	CheckPepper(ctx context.Context, pepper auth.Pepper) error
}

// A FlagKeeper is a store of records that also stores feature flags. It is optional.
type FlagKeeper interface {
	Flags() flags.Store
}

// An AuditKeeper is a store of records that also stores the audit trail. It is optional.
type AuditKeeper interface {
	Audit() audit.Store
}

func abilityOf[T any](name, without string) store.Ability {
	return store.Ability{Name: name, Without: without, In: func(v any) bool {
		_, ok := v.(T)
		return ok
	}}
}

func abilitiesOfEvents() []store.Ability {
	all := store.AllAbilities()
	for i := range all {
		all[i].Name = "store." + all[i].Name
	}
	return all
}

func abilitiesOfRecords() []store.Ability {
	return []store.Ability{
		abilityOf[store.SubjectLister]("store.SubjectLister", "links and monitors are not listed"),
		abilityOf[KeyNotifier]("sightline.KeyNotifier", "changed keys take effect within a second"),
		abilityOf[KeyUseRecorder]("sightline.KeyUseRecorder", "the last use of keys is not recorded"),
		abilityOf[store.DefinitionStore]("store.DefinitionStore",
			"goals, funnels, segments, annotations, notices and reports cannot be saved"),
		abilityOf[store.NoticeStore]("store.NoticeStore", "notices and reports are not sent"),
		abilityOf[store.WebsiteManager]("store.WebsiteManager", "websites cannot be managed over HTTP"),
		abilityOf[auth.KeyManager]("auth.KeyManager", "keys cannot be managed over HTTP"),
		abilityOf[KeyPruner]("sightline.KeyPruner", "revoked and expired keys stay after their audit entries"),
		abilityOf[FlagKeeper]("sightline.FlagKeeper", "flags do not exist without Config.Flags"),
		abilityOf[track.Profiles]("track.Profiles", "/identify does not exist"),
		abilityOf[query.Names]("query.Names", "profiles have no names"),
		abilityOf[exporter.Profiles]("exporter.Profiles", "exports over HTTP have no profiles"),
		abilityOf[erasure.Profiles]("erasure.Profiles", "profiles of erased visitors stay"),
		abilityOf[store.Maintainer]("store.Maintainer", "the records are not maintained"),
	}
}

func abilitiesOfKeys() []store.Ability {
	return []store.Ability{
		abilityOf[KeyNotifier]("sightline.KeyNotifier", "changed keys take effect within a second"),
		abilityOf[KeyUseRecorder]("sightline.KeyUseRecorder", "the last use of keys is not recorded"),
	}
}

func abilitiesOfAuth() []store.Ability {
	return []store.Ability{
		abilityOf[auth.Minter]("auth.Minter", "panel tokens cannot be created"),
		abilityOf[auth.Screener]("auth.Screener", "all refused requests of a network share one limit"),
	}
}

func abilitiesOfLimiter() []store.Ability {
	return []store.Ability{
		abilityOf[auth.ConcurrencyLimiter]("auth.ConcurrencyLimiter", "concurrent requests are not limited"),
		abilityOf[auth.GroupLimiter]("auth.GroupLimiter", "each bucket of a request is charged by a separate call"),
	}
}

// reportAbilities logs the abilities that parts of c lack: as warnings if a wrapper lost them.
func (c *Config) reportAbilities(log *slog.Logger) {
	for _, part := range []struct {
		field     string
		value     any
		abilities []store.Ability
	}{
		{"Events", c.Events, abilitiesOfEvents()},
		{"Records", c.Records, abilitiesOfRecords()},
		{"Keys", c.Keys, abilitiesOfKeys()},
		{"Auth", c.Auth, abilitiesOfAuth()},
		{"Directory", c.Directory, []store.Ability{
			abilityOf[store.SubjectLister]("store.SubjectLister", "links and monitors are not listed"),
			abilityOf[store.DefinitionStore]("store.DefinitionStore",
				"only Config.Records can save goals, funnels, segments, annotations, notices and reports"),
			abilityOf[store.WebsiteManager]("store.WebsiteManager", "websites cannot be managed over HTTP"),
		}},
		{"Audit", c.Audit, []store.Ability{
			abilityOf[audit.Finder]("audit.Finder", "the audit trail cannot be read over HTTP"),
		}},
		{"Limiter", c.Limiter, abilitiesOfLimiter()},
	} {
		if part.value == nil {
			continue
		}
		for _, a := range part.abilities {
			if a.In(part.value) {
				continue
			}
			level, text := slog.LevelDebug, "a part lacks an optional ability"
			if wrapped(part.value, a.In) {
				level, text = slog.LevelWarn, "a wrapper hides an optional ability of the value in it"
			}
			log.Log(context.Background(), level, text,
				"part", "Config."+part.field, "type", fmt.Sprintf("%T", part.value), "ability", a.Name, "without",
				a.Without)
		}
	}
}

// wrapped reports whether v embeds a value that has an ability.
func wrapped(v any, has func(any) bool) bool {
	at := reflect.Indirect(reflect.ValueOf(v))
	if at.Kind() != reflect.Struct {
		return false
	}
	for i := range at.NumField() {
		if f := at.Field(i); at.Type().Field(i).Anonymous && f.CanInterface() && !empty(f) {
			if inner := f.Interface(); has(inner) || wrapped(inner, has) {
				return true
			}
		}
	}
	return false
}

// given returns the part v, or nil if it is a nil pointer in an interface.
func given[T any](v T) T {
	if at := reflect.ValueOf(v); at.IsValid() && empty(at) {
		var none T
		return none
	}
	return v
}

func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Map, reflect.Func, reflect.Slice, reflect.Chan:
		return v.IsNil()
	default:
		return false
	}
}
