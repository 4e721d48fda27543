package flags

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// A Bus carries notifications of changes between the processes of a deployment. Package redisbus has one.
type Bus interface {
	Invalidator // notifies all processes
	// NotifyFlags makes the Bus notify inv of changes by all processes.
	NotifyFlags(inv Invalidator)
}

// Config configures [New].
type Config struct {
	Store Store // required
	// Bus notifies other processes of changes by this one, and this process of changes by others. The caller closes
	// it after the Service. If it is nil, changes by other processes are found within Every.
	Bus Bus

	Every   time.Duration    // time between checks for revisions, at most MaxEvery; 0 means 500 ms
	Timeout time.Duration    // of one check, and of loading the flags of one client; 0 means 2 s
	Clients int              // maximum number of clients in memory; 0 means 10 000
	Now     func() time.Time // nil means time.Now
	Logger  *slog.Logger     // nil means no log
}

// A Service changes and evaluates the flags of one store. Its Evaluator uses a change by its Editor at once. Only
// [New] makes a Service.
type Service struct {
	editor    *Editor
	evaluator *Evaluator
}

// New returns a running Service; [Service.Close] stops it. Its error joins all problems of cfg.
func New(cfg Config) (*Service, error) {
	evaluator, err := NewEvaluator(EvaluatorConfig{
		Store: cfg.Store, Every: cfg.Every, Timeout: cfg.Timeout, Clients: cfg.Clients, Now: cfg.Now,
		Logger: cfg.Logger,
	})
	if err != nil {
		return nil, err
	}
	notify := []Invalidator{evaluator}
	if cfg.Bus != nil {
		cfg.Bus.NotifyFlags(evaluator)
		notify = append(notify, cfg.Bus)
	}
	editor, err := NewEditor(EditorConfig{Store: cfg.Store, Notify: notify, Now: cfg.Now})
	if err != nil {
		return nil, errors.Join(err, evaluator.Close(context.Background()))
	}
	return &Service{editor, evaluator}, nil
}

// Editor returns the editor. It notifies the Evaluator and the Bus of its changes.
func (s *Service) Editor() *Editor { return s.editor }

// Evaluator returns the evaluator.
func (s *Service) Evaluator() *Evaluator { return s.evaluator }

// Close closes the Evaluator as [Evaluator.Close] does.
func (s *Service) Close(ctx context.Context) error { return s.evaluator.Close(ctx) }
