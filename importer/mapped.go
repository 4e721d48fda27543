package importer

// Fields lists the fields of Config.Map.
func Fields() []string { return nil }

func checkMap(map[string]string) error { return nil }
