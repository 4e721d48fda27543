package query

// Types lists the types in the order of the catalog.
func (e *Engine) Types() []Info {
	found := make([]Info, len(e.types.All()))
	for i, ty := range e.types.All() {
		found[i] = ty.Describe()
	}
	return found
}

// TypesTaking returns the names of the types whose parameters take a part, such as goals.
func (e *Engine) TypesTaking(part string) []string { return e.types.Taking(part) }

// Datasets lists what callers can choose metrics of, in the order of the catalog.
func (e *Engine) Datasets() []DatasetInfo { return e.types.Datasets() }

// Cost returns what req counts for where requests are limited: one for each parameter, as Info.Cost says for some types
// more, and twice as much for parameters that are compared.
func (e *Engine) Cost(req *Request) int {
	return req.Cost(func(name string) int {
		if ty := e.types.Named(name); ty != nil {
			return ty.Cost()
		}
		return 1
	})
}
