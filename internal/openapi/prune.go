package openapi

import (
	"encoding/json"
	"regexp"
)

// reference matches a reference to a component of the document.
var reference = regexp.MustCompile(`"\$ref":\s*"#/components/(schemas|responses)/([^"]+)"`)

// prune removes the components that no operation refers to, such as the bodies of routes that a host disabled.
func (d *Document) prune() error {
	kinds := map[string]map[string]any{"schemas": d.Components.Schemas, "responses": d.Components.Responses}
	used := map[string]map[string]any{"schemas": {}, "responses": {}}
	var follow func(v any) error
	follow = func(v any) error {
		js, err := json.Marshal(v)
		if err != nil {
			return err
		}
		for _, found := range reference.FindAllStringSubmatch(string(js), -1) {
			kind, name := found[1], found[2]
			of, ok := kinds[kind][name]
			if _, known := used[kind][name]; known || !ok {
				continue
			}
			used[kind][name] = of
			if err := follow(of); err != nil {
				return err
			}
		}
		return nil
	}
	if err := follow(d.Paths); err != nil {
		return err
	}
	d.Components.Schemas, d.Components.Responses = used["schemas"], used["responses"]
	return nil
}
