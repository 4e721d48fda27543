// Package auth authenticates requests and decides what their sender may do:
//
//	keys, err := auth.NewMemory(auth.MemoryConfig{Pepper: pepper})          // or a database, see store/meta
//	callers, err := auth.New(auth.Config{Store: keys, Pepper: pepper})      // reads API keys and panel tokens
//	key, secret, err := keys.CreateKey(ctx, auth.Key{Owner: "acme", All: true, Scopes: []auth.Scope{auth.ReadData}})
//	caller, err := callers.Authenticate(ctx, r)                             // r carries secret.Reveal()
//	ok := caller.Allows(auth.ToRead(), auth.Resource{Kind: "website", ID: "shop", Owner: "acme"})
//
// The package does no I/O and knows no routes and no databases. A [KeyStore] supplies the keys;
// [Key.Allows] and [Key.Valid] decide about them. A route, or a handler of the host, needs a [Permission], and
// [Principal.Allows] decides whether a caller has it.
//
// # A key and its secret
//
// A secret is shown once, when its key is created or rotated. Its text is
//
//	sl_ + 43 random characters of 0-9A-Za-z + 6 characters of CRC-32 over all characters before them
//
// The checksum lets the server reject a typing mistake without a look-up, and lets scanners recognise
// leaked secrets. A store holds the secret's [Digest], its prefix and its first 8 characters. The digest
// is an HMAC-SHA-256 under a pepper that is stored elsewhere.
//
// # What a key grants
//
// Scopes say what the key may do; resources say where. A key with All reaches all resources of its owner.
// A list of resources limits the key to the list, and an empty list without All grants nothing. A key never
// reaches resources of another owner, even if its list names them.
//
// # Other credentials
//
// [New] returns an [Authenticator] for API keys and for the panel tokens that [Tokens] mints from them. A
// host with its own sessions implements another Authenticator, which returns a [Key] with the rights of the
// session.
package auth
