package store

// An Ability is an optional interface of a [Store]. A service works without it, in a way that Without describes.
type Ability struct {
	Name    string           // of the interface, such as "Deriver"
	Without string           // what a service does if its store lacks the ability
	In      func(v any) bool // reports whether v has the ability
}

// AllAbilities returns the optional interfaces of this package, in the order of the package comment.
func AllAbilities() []Ability {
	return []Ability{
		abilityOf[Writer]("Writer", "tracking answers 404"),
		abilityOf[DayLister]("DayLister", "no answer is remembered and responses have no ETag"),
		abilityOf[Deriver]("Deriver", "every answer is computed from rows"),
		abilityOf[Resealer]("Resealer", "days with later rows are precomputed again as a whole"),
		abilityOf[StateKeeper]("StateKeeper", "precomputed results are lost at a restart"),
		abilityOf[Bounded]("Bounded", "the engine does not limit concurrent queries"),
		abilityOf[Loaded]("Loaded", "background work does not adapt to requests"),
		abilityOf[Eraser]("Eraser", "the rows of a removed website stay"),
		abilityOf[Expirer]("Expirer", "no website's rows are removed because of their age"),
		abilityOf[PersonEraser]("PersonEraser", "visitors cannot be erased"),
		abilityOf[Remover]("Remover", "imports cannot be taken back"),
		abilityOf[VisitorHasher]("VisitorHasher", "visitors cannot be erased from the totals of removed days"),
		abilityOf[Purger]("Purger", "bytes of removed rows may stay in free parts of files"),
		abilityOf[Maintainer]("Maintainer", "the store is not maintained"),
		abilityOf[SpaceChecker]("SpaceChecker", "/health shows a full disk only after a failed write"),
		abilityOf[Lister]("Lister", "rows cannot be copied to another store"),
		abilityOf[Restorer]("Restorer", "rows cannot be copied from another store"),
	}
}

func abilityOf[I any](name, without string) Ability {
	return Ability{name, without, func(v any) bool {
		_, ok := v.(I)
		return ok
	}}
}

// Abilities returns the names of the abilities that s has, such as "Deriver", and of those that it lacks, in the order
// of [AllAbilities].
func Abilities(s Store) (has, lacks []string) {
	for _, a := range AllAbilities() {
		if a.In(s) {
			has = append(has, a.Name)
		} else {
			lacks = append(lacks, a.Name)
		}
	}
	return has, lacks
}
