package importer

import "strings"

// This file reads access logs of AWS: of Application Load Balancers, and of S3. Later versions of these logs have more
// fields behind, which are in the column rest.

// albLine is the form of the access log of an Application Load Balancer.
const albLine = `$type $time $elb $client $target $request_processing_time $target_processing_time ` +
	`$response_processing_time $elb_status_code $target_status_code $received_bytes $sent_bytes "$request" ` +
	`"$user_agent" $rest`

// s3Line is the form of the server access log of S3.
const s3Line = `$bucket_owner $bucket [$time] $remote_ip $requester $request_id $operation $key "$request" $status ` +
	`$error_code $bytes_sent $object_size $total_time $turn_around_time "$referer" "$user_agent" $rest`

// lineReader returns the read of a format whose lines have a fixed form, and a function that reports whether a line is
// of the form.
func lineReader(form string) (read func() reader, is func(line []byte) (getter, bool)) {
	p, err := parseLogFormat(form)
	read = func() reader {
		if err != nil { // tests see it, since the form is a constant
			return func([]byte) (getter, error) { return nil, err }
		}
		return p.read(nil, nil)
	}
	one := read()
	return read, func(line []byte) (getter, bool) {
		get, err := one(line)
		return get, err == nil
	}
}

// alb is the format of the access log of an Application Load Balancer. It does not have referrers.
func alb() format {
	read, is := lineReader(albLine)
	return format{
		name: "alb", title: "access log of an AWS Application Load Balancer", split: byLine, read: read, requests: true,
		is: func(line []byte) bool {
			get, ok := is(line)
			return ok && strings.HasPrefix(get("elb"), "app/")
		},
		columns: columns{
			timeField: {"time"}, statusField: {"elb_status_code"}, "address": {"client"}, "user_agent": {"user_agent"},
		},
		finish: func(r *Record, get getter) error {
			r.Method, r.URL = requestLine(get("request"))
			return nil
		},
	}
}

// s3 is the format of the server access log of S3, of buckets that serve a website.
func s3() format {
	read, is := lineReader(s3Line)
	return format{
		name: "s3", title: "server access log of AWS S3", split: byLine, read: read, requests: true,
		is: func(line []byte) bool {
			get, ok := is(line)
			return ok && strings.Count(get("operation"), ".") > 0
		},
		columns: columns{
			timeField: {"time"}, statusField: {"status"}, "id": {"request_id"}, "address": {"remote_ip"},
			"referrer": {"referer"}, "user_agent": {"user_agent"},
		},
		finish: finishS3,
	}
}

func finishS3(r *Record, get getter) error {
	r.Method, r.URL = requestLine(get("request"))
	operation := get("operation")
	if r.Method == "GET" && !strings.HasSuffix(operation, ".GET.OBJECT") {
		return &skipError{OtherKind, "the operation " + operation} // a list of objects, or a setting
	}
	bucket, key := get("bucket"), get("key")
	if rest, ok := strings.CutPrefix(r.URL, "/"+bucket+"/"); ok && !strings.HasPrefix(key, bucket+"/") {
		r.URL = "/" + rest // S3 also serves a bucket below its name
	}
	const hostField = 5 // of the fields behind the user agent
	if more := strings.Fields(get("rest")); len(more) > hostField {
		r.Host = more[hostField]
	}
	if strings.HasSuffix(strings.TrimSuffix(r.Host, ".cn"), ".amazonaws.com") {
		r.Host = "" // the bucket's own name, and not that of another website
	}
	return nil
}
