package query

// Types lists the types in the order of the catalog.
func (e *Engine) Types() []Info {
	found := make([]Info, len(e.types.All()))
	for i, ty := range e.types.All() {
		found[i] = ty.Describe()
	}
	return found
}

// Datasets lists what callers can choose metrics of, in the order of the catalog.
func (e *Engine) Datasets() []DatasetInfo { return e.types.Datasets() }
