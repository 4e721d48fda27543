package accesslog

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// A Form is how a program writes a log.
type Form struct {
	Name      string
	Format    string            // the name that package importer has for it
	LogFormat string            // the form of lines that have no name
	Map       map[string]string // columns of its fields, for formats that need them
	header    string            // of each file
	line      func(*Line) string
}

// Text returns a file with lines.
func (f *Form) Text(lines []Line) string {
	var b strings.Builder
	b.WriteString(f.header)
	for i := range lines {
		if lines[i].Damaged {
			fmt.Fprintf(&b, "%s a damaged line \xff\n", lines[i].At.Format(time.RFC3339))
			continue
		}
		b.WriteString(f.line(&lines[i]))
	}
	return b.String()
}

// Forms lists the forms.
func Forms() []Form {
	columns := map[string]string{
		"time": "at", "address": "client.ip", "user_agent": "client.agent", "method": "verb", "status": "code",
		"url": "page", "host": "site",
	}
	return []Form{
		{Name: "nginx", Format: "combined", line: combined},
		{Name: "Apache with virtual hosts", Format: "combined",
			line: func(l *Line) string { return l.Host + ":443 " + rest(l, l.Address, l.Path) }},
		{Name: "syslog", Format: "combined", line: func(l *Line) string {
			return l.At.Format("Jan _2 15:04:05") + " web1 nginx[812]: " + combined(l)
		}},
		{Name: "addresses with ports", Format: "combined", line: func(l *Line) string {
			return rest(l, fmt.Sprintf("%s:%d", l.Address, 1024+l.Size), full(l))
		}},
		{Name: "lists of proxies", Format: "combined",
			line: func(l *Line) string { return rest(l, l.Address+", 172.16.0.1", full(l)) }},
		{Name: "Caddy", Format: "caddy", line: caddy},
		{Name: "CloudFront", Format: "cloudfront", line: cloudFront,
			header: "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method " +
				"cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query x-edge-request-id x-host-header\n"},
		{Name: "Cloudflare", Format: "cloudflare", line: cloudflare},
		{Name: "IIS", Format: "w3c", line: iis, header: "#Software: Microsoft Internet Information Services 10.0\n" +
			"#Fields: date time s-ip cs-method cs-uri-stem c-ip cs(User-Agent) cs-host sc-status\n"},
		{Name: "Application Load Balancer", Format: "alb", line: alb},
		{Name: "S3", Format: "s3", line: s3},
		{Name: "Traefik", Format: "traefik", line: traefik},
		{Name: "a form of nginx", Format: "pattern", LogFormat: `$remote_addr [$time_iso8601] $host "$request" ` +
			`$status "$http_user_agent"`, line: func(l *Line) string {
			return fmt.Sprintf("%s [%s] %s \"%s %s HTTP/2.0\" %d \"%s\"\n", l.Address,
				l.At.Format(time.RFC3339), l.Host, l.Method, l.Path, l.Status, l.Agent)
		}},
		{Name: "CSV with semicolons", Format: "csv", Map: columns,
			header: "at;client.ip;client.agent;verb;code;page;site\n",
			line: func(l *Line) string {
				return fmt.Sprintf("%s;%s;%q;%s;%d;%s;%s\n", l.At.Format(time.RFC3339), l.Address, l.Agent, l.Method,
					l.Status, l.Path, l.Host)
			}},
		{Name: "JSON", Format: "json", Map: columns, line: own},
		{Name: "JSON, many a line", Format: "json", Map: columns,
			line: func(l *Line) string { return strings.TrimSuffix(own(l), "\n") + " " }},
		{Name: "CSV", Format: "csv", Map: columns, header: "at,client.ip,client.agent,verb,code,page,site\n",
			line: func(l *Line) string {
				return fmt.Sprintf("%s,%s,%q,%s,%d,%s,%s\n", l.At.Format(time.RFC3339), l.Address, l.Agent, l.Method,
					l.Status, l.Path, l.Host)
			}},
	}
}

// combined returns a line of the Combined Log Format. A request for another host names it.
func combined(l *Line) string {
	if l.Damaged {
		return l.At.Format(time.RFC3339) + " a damaged line \xff\n"
	}
	return rest(l, l.Address, full(l))
}

// full returns the path, or the full address on another host.
func full(l *Line) string {
	if l.Host != Host {
		return "http://" + l.Host + l.Path
	}
	return l.Path
}

func rest(l *Line, client, target string) string {
	return fmt.Sprintf("%s - - [%s] \"%s %s HTTP/1.1\" %d %d \"-\" \"%s\"\n", client,
		l.At.Format("02/Jan/2006:15:04:05 -0700"), l.Method, target,
		l.Status, l.Size, l.Agent)
}

type object map[string]any

// line returns an object on a line.
func line(o object) string {
	text, err := json.Marshal(o)
	if err != nil {
		return err.Error() // a test sees that the line is missing
	}
	return string(text) + "\n"
}

func caddy(l *Line) string {
	return line(object{
		"level": "info", "ts": float64(l.At.Unix()) + 0.25, "logger": "http.log.access", "msg": "handled request",
		"status": l.Status, "size": l.Size,
		"request": object{
			"remote_ip": "172.16.0.1", "remote_port": "4711", "client_ip": l.Address, "proto": "HTTP/2.0",
			"method": l.Method, "host": l.Host + ":443",
			"uri": l.Path, "headers": object{"User-Agent": []string{l.Agent}},
		},
	})
}

func cloudFront(l *Line) string {
	return strings.Join([]string{
		l.At.Format(time.DateOnly), l.At.Format(time.TimeOnly), "FRA56-P1", fmt.Sprint(l.Size), l.Address, l.Method,
		"d1.cloudfront.net", l.Path,
		fmt.Sprint(l.Status), "-", strings.ReplaceAll(url.PathEscape(l.Agent), "%2F", "/"), "-", "-", l.Host,
	}, "\t") + "\n"
}

func cloudflare(l *Line) string {
	return line(object{
		"EdgeStartTimestamp": l.At.Format(time.RFC3339), "ClientIP": l.Address, "ClientRequestHost": l.Host,
		"ClientRequestMethod": l.Method,
		"ClientRequestURI":    l.Path, "ClientRequestUserAgent": l.Agent, "EdgeResponseStatus": l.Status,
		"EdgeResponseBytes":   l.Size,
		"ClientRequestSource": "eyeball",
	})
}

func iis(l *Line) string {
	return strings.Join([]string{l.At.Format(time.DateOnly), l.At.Format(time.TimeOnly), "10.0.0.4", l.Method, l.Path,
		l.Address, strings.ReplaceAll(l.Agent, " ", "+"), l.Host, fmt.Sprint(l.Status)}, " ") + "\n"
}

func alb(l *Line) string {
	return fmt.Sprintf("https %s app/shop/50dc6c495c0c9188 %s:%d 10.0.1.5:80 0.001 0.004 0.000 %d %d 34 %d "+
		"\"%s https://%s:443%s HTTP/1.1\" \"%s\" TLS_AES_128_GCM_SHA256 TLSv1.3 arn:aws:tg \"Root=1-2\" \"-\" "+
		"\"-\" 0 -\n", l.At.Format("2006-01-02T15:04:05.000000Z"), l.Address, 1024+l.Size, l.Status, l.Status, l.Size,
		l.Method, l.Host, l.Path, l.Agent)
}

func s3(l *Line) string {
	return fmt.Sprintf("79a59df9 pages [%s] %s - - WEBSITE.%s.OBJECT %s \"%[3]s /%[4]s HTTP/1.1\" %[5]d - %[6]d - 7 6 "+
		"\"-\" \"%[7]s\" - id= - - - %[8]s TLSv1.2 - -\n", l.At.Format("02/Jan/2006:15:04:05 -0700"), l.Address,
		l.Method, strings.TrimPrefix(l.Path, "/"), l.Status, l.Size, l.Agent, l.Host)
}

func traefik(l *Line) string {
	return line(object{
		"StartUTC": l.At.Format(time.RFC3339Nano), "ClientHost": l.Address, "ClientAddr": l.Address + ":4711",
		"RequestHost": l.Host, "RequestMethod": l.Method, "RequestPath": l.Path, "DownstreamStatus": l.Status,
		"request_User-Agent": l.Agent, "level": "info", "time": l.At.Format(time.RFC3339),
	})
}

func own(l *Line) string {
	return line(object{
		"at": l.At.UnixMilli(), "client": object{"ip": l.Address, "agent": l.Agent}, "verb": l.Method, "code": l.Status,
		"page": l.Path, "site": l.Host,
	})
}
