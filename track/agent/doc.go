// Package agent reads user agents: it names the families of browser, operating system
// and device, and tells crawlers from people. It is independent of HTTP and of rows.
package agent
