package auth

// A Permission is what a caller needs in order to do something: one of several scopes, and perhaps a key that is not
// limited in some way. The zero Permission is for every caller. A host asks for one of this package, or for its own:
//
//	if !caller.Allows(auth.ToExport(), auth.Resource{Kind: auth.KindWebsite, ID: id, Owner: owner}) {
//		return auth.ErrForbidden // also if the website does not exist, so that nobody learns which ones do
//	}
type Permission struct {
	// AnyOf returns the scopes that suffice for a resource of a kind, the widest first. The kind is empty for a request
	// about no single resource. A nil AnyOf needs no scope.
	AnyOf      func(kind string) []Scope
	KeyOnly    bool // a panel token never suffices
	Unfiltered bool // the key must have no mandatory filters
	AllTypes   bool // the key must have no list of query types
	Everything bool // the key must reach everything of its owner
}

// ToRead is for reading the analytics of one resource, see [ReadScopes].
func ToRead() Permission { return Permission{AnyOf: ReadScopes} }

// ToList is for listing the resources of a kind that the key reads. [ToRead] says which resources are in the list.
func ToList(kind string) Permission { return Permission{AnyOf: anyOf(ReadScopes(kind)...)} }

// ToExplain is for seeing the plan, SQL and arguments of queries. SQL would show the filters of the key, and viewers of
// a panel what the panel hides.
func ToExplain() Permission {
	return Permission{AnyOf: anyOf(ReadData), KeyOnly: true, Unfiltered: true}
}

// ToExport is for exporting the raw rows of a resource. An export has all rows.
func ToExport() Permission { return wholly(ExportData) }

// ToErase is for erasing visitors of a website. A visitor is erased as a whole.
func ToErase() Permission { return wholly(EraseData) }

// ToManageWebsites is for changing and removing a website. A change concerns all rows of the website.
func ToManageWebsites() Permission { return wholly(ManageWebsites) }

// ToAddWebsites is for adding websites of the owner: the key must also reach the websites that it adds.
func ToAddWebsites() Permission {
	need := ToManageWebsites()
	need.Everything = true
	return need
}

// ToManageDefinitions is for saving and removing the definitions of a website.
func ToManageDefinitions() Permission {
	return Permission{AnyOf: anyOf(ManageDefinitions), KeyOnly: true}
}

// ToManageNotices is for saving and seeing the notices and reports of a website, which send numbers of all its rows.
// The key must also have [ToRead].
func ToManageNotices() Permission { return wholly(ManageDefinitions) }

// ToManageAllNotices is ToManageNotices for notices and reports of all websites of the owner.
func ToManageAllNotices() Permission {
	need := ToManageNotices()
	need.Everything = true
	return need
}

// ToManageFlags is for managing the feature flags of a client, which is a website or the organisation itself.
func ToManageFlags() Permission { return Permission{AnyOf: anyOf(ManageFlags), KeyOnly: true} }

// ToManageKeys is for creating and changing keys that grant no more than the caller's, see [Key.Exceeds]. A key
// outlives a panel token.
func ToManageKeys() Permission { return Permission{AnyOf: anyOf(ManageKeys), KeyOnly: true} }

// ToMintTokens is for minting panel tokens of the key, which only read.
func ToMintTokens() Permission { return Permission{AnyOf: anyOf(readScopes()...), KeyOnly: true} }

// ToReadAudit is for reading the audit trail of the owner, which names every resource.
func ToReadAudit() Permission {
	return Permission{AnyOf: anyOf(ReadAudit), KeyOnly: true, Unfiltered: true, Everything: true}
}

// anyOf returns an AnyOf that is the same for every kind.
func anyOf(scopes ...Scope) func(string) []Scope { return func(string) []Scope { return scopes } }

// wholly returns the permission for what concerns all rows of a resource.
func wholly(s Scope) Permission {
	return Permission{AnyOf: anyOf(s), KeyOnly: true, Unfiltered: true, AllTypes: true}
}

// Scope reports whether k has one of the scopes of need for a request about no single resource, and which one. If it
// has none, scope is the narrowest that would suffice.
func (need Permission) Scope(k *Key) (scope Scope, ok bool) {
	if need.AnyOf == nil {
		return "", true
	}
	return first(need.AnyOf(""), k.Has)
}

// ScopeOn is like [Permission.Scope] for a request about r, which k must reach.
func (need Permission) ScopeOn(k *Key, r Resource) (scope Scope, ok bool) {
	if need.AnyOf == nil {
		return "", k.reaches(r)
	}
	return first(need.AnyOf(r.Kind), func(s Scope) bool { return k.Allows(s, r) })
}

// first returns the first scope that does, or else the last one.
func first(scopes []Scope, does func(Scope) bool) (scope Scope, ok bool) {
	for _, scope = range scopes {
		if does(scope) {
			return scope, true
		}
	}
	return scope, false
}

// Has reports whether p has need for a request about no single resource. That a caller has [ToRead] for no resource
// means nothing, so it is false; see [ToList].
func (p *Principal) Has(need Permission) bool {
	_, ok := need.Scope(p.Key)
	return ok && p.Suits(need)
}

// Allows reports whether p has need for r: the key has a scope and reaches r, and p suits need. A resource without an
// owner, as of an unknown id, is never allowed.
func (p *Principal) Allows(need Permission, r Resource) bool {
	_, ok := need.ScopeOn(p.Key, r)
	return ok && p.Suits(need)
}

// Suits reports whether no limit of p rules need out, whatever its scopes are.
func (p *Principal) Suits(need Permission) bool {
	k := p.Key
	return (!need.KeyOnly || p.Token == "") &&
		(!need.Unfiltered || len(k.Filters) == 0) &&
		(!need.AllTypes || k.Types == nil) &&
		(!need.Everything || k.ReachesEverything())
}
