package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

const (
	aboutWebsites = "List the websites that the key can read, with their ids."
	websitesInput = `{"type":"object","additionalProperties":false,"properties":{
"search":{"type":"string","description":"List only websites whose id, name or domain contains this text."}}}`
	maxWebsites = 100
)

// A website is one entry of the answer of list_websites.
type website struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Domain string `json:"domain"`
}

// websiteList is the answer of list_websites.
type websiteList struct {
	Websites []website `json:"websites"`
	Note     string    `json:"note,omitempty"`
}

// listWebsites answers list_websites.
func (s *Handler) listWebsites(ctx context.Context, api requester, js json.RawMessage) (any, error) {
	var in struct {
		Search string `json:"search"`
	}
	if err := arguments(js, &in); err != nil {
		return nil, err
	}
	all, err := allWebsites(ctx, api)
	if err != nil {
		return nil, err
	}
	found := websiteList{Websites: []website{}}
	for _, w := range all {
		if strings.Contains(strings.ToLower(w.ID+"\n"+w.Name+"\n"+w.Domain), strings.ToLower(in.Search)) {
			found.Websites = append(found.Websites, w)
		}
	}
	if n := len(found.Websites); n > maxWebsites {
		found.Websites = found.Websites[:maxWebsites]
		found.Note = fmt.Sprintf("%d of %d websites are shown; use search for the others.", maxWebsites, n)
	}
	return found, nil
}

// allWebsites reads all pages of the list.
func allWebsites(ctx context.Context, api requester) (all []website, err error) {
	for target := "/v1/query/websites"; ; {
		var page struct {
			Websites []website
			Next     *string
		}
		if err := api.do(ctx, target, nil, &page); err != nil {
			return nil, err
		}
		if all = append(all, page.Websites...); page.Next == nil {
			return all, nil
		}
		target = "/v1/query/websites?" + url.Values{"after": {*page.Next}}.Encode()
	}
}
