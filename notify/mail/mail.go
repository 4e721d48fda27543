// Package mail sends the mail of package notify by SMTP.
package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"strconv"

	gomail "github.com/wneessen/go-mail"

	"github.com/sightline-analytics/sightline/notify"
)

// Config configures New.
type Config struct {
	// Server is the address of the SMTP server: smtp://user:password@host:587 requires STARTTLS,
	// smtps://user:password@host:465 begins with TLS, and smtp+plain://host:25 uses no TLS and takes no password.
	// Required.
	Server string
	// From is the address that mail comes from, such as Sightline <stats@shop.example>. Required.
	From string
	// TLS is the configuration of TLS. Nil means the certificates of the machine.
	TLS *tls.Config
}

// A Mailer sends mail. It is safe for concurrent use, and opens a connection for each mail.
type Mailer struct {
	host    string
	from    *mail.Address
	options []gomail.Option
}

var _ notify.Mailer = (*Mailer)(nil)

// New returns a mailer. It does not connect. Its error joins all faults of cfg.
func New(cfg Config) (*Mailer, error) {
	var faults []error
	m := &Mailer{}
	from, err := mail.ParseAddress(cfg.From)
	if m.from = from; err != nil {
		faults = append(faults, errors.New("notify/mail: Config.From must be an address of mail"))
	}
	u, err := url.Parse(cfg.Server)
	if err != nil || u.Hostname() == "" {
		faults = append(faults, errors.New("notify/mail: Config.Server must be an address such as smtp://user:password@host:587"))
		return nil, errors.Join(faults...) // url.Parse would show the password
	}
	m.host = u.Hostname()
	port, policy := 587, gomail.TLSMandatory
	switch u.Scheme {
	case "smtp":
	case "smtps":
		port = 465
		m.options = append(m.options, gomail.WithSSL())
	case "smtp+plain":
		port, policy = 25, gomail.NoTLS
		if u.User != nil {
			faults = append(faults, errors.New("notify/mail: Config.Server must not send a password without TLS"))
		}
	default:
		faults = append(faults, fmt.Errorf("notify/mail: Config.Server must begin with smtp://, smtps:// or smtp+plain://, not %s", u.Scheme))
	}
	if u.Port() != "" {
		if port, err = strconv.Atoi(u.Port()); err != nil || port < 1 || port > 65535 {
			faults = append(faults, errors.New("notify/mail: Config.Server has an impossible port"))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if cfg.TLS != nil {
		config = cfg.TLS.Clone()
	}
	if config.ServerName == "" {
		config.ServerName = m.host
	}
	// WithTLSPolicy, unlike WithTLSPortPolicy, leaves the port alone and tries no other one
	m.options = append(m.options, gomail.WithTLSPolicy(policy), gomail.WithTLSConfig(config), gomail.WithPort(port))
	if u.User != nil {
		password, _ := u.User.Password()
		m.options = append(m.options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover),
			gomail.WithUsername(u.User.Username()), gomail.WithPassword(password))
	}
	_, err = gomail.NewClient(m.host, m.options...)
	if err != nil {
		return nil, fmt.Errorf("notify/mail: %w", err)
	}
	return m, nil
}

// SendMail implements [notify.Mailer]. An error wraps [notify.ErrGone] if the server refuses the mail for good.
func (m *Mailer) SendMail(ctx context.Context, one notify.Mail) error {
	msg := gomail.NewMsg()
	msg.FromMailAddress(m.from)
	if err := msg.To(one.To); err != nil {
		return fmt.Errorf("%w: %w", notify.ErrGone, err)
	}
	msg.Subject(one.Subject)
	msg.SetDateWithValue(one.At)
	msg.SetMessageIDWithValue(one.ID + "@" + m.host)
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	if one.End != "" {
		msg.SetGenHeader(gomail.HeaderListUnsubscribe, "<"+one.End+">")
		msg.SetGenHeader(gomail.HeaderListUnsubscribePost, "List-Unsubscribe=One-Click")
	}
	msg.SetBodyString(gomail.TypeTextPlain, one.Text)
	msg.AddAlternativeString(gomail.TypeTextHTML, one.HTML)
	client, err := gomail.NewClient(m.host, m.options...)
	if err != nil {
		return err
	}
	err = client.DialAndSendWithContext(ctx, msg)
	if refused, ok := errors.AsType[*gomail.SendError](err); ok && !refused.IsTemp() && refused.ErrorCode() >= 500 {
		return fmt.Errorf("%w: %w", notify.ErrGone, err)
	}
	return err
}
