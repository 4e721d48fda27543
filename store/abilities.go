package store

// Abilities returns the names of the optional interfaces of this package that s implements, such as "Deriver", and of
// those that it does not, in the order of the package comment.
func Abilities(s Store) (has, lacks []string) {
	for _, one := range []struct {
		name string
		has  bool
	}{
		{"Writer", is[Writer](s)},
		{"DayLister", is[DayLister](s)},
		{"Deriver", is[Deriver](s)},
		{"Resealer", is[Resealer](s)},
		{"StateKeeper", is[StateKeeper](s)},
		{"Bounded", is[Bounded](s)},
		{"Loaded", is[Loaded](s)},
		{"Eraser", is[Eraser](s)},
		{"Expirer", is[Expirer](s)},
		{"PersonEraser", is[PersonEraser](s)},
		{"Purger", is[Purger](s)},
		{"Maintainer", is[Maintainer](s)},
		{"SpaceChecker", is[SpaceChecker](s)},
		{"Lister", is[Lister](s)},
		{"Restorer", is[Restorer](s)},
	} {
		if one.has {
			has = append(has, one.name)
		} else {
			lacks = append(lacks, one.name)
		}
	}
	return has, lacks
}

func is[I any](s Store) bool {
	_, ok := s.(I)
	return ok
}
