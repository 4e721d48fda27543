// Package auth says who a caller is and what they may do. It does no I/O of its own
// and knows nothing of routes or databases: keys come from a [KeyStore], and the
// answers are [Key.Allows], [Key.ReadScope] and [Key.Valid].
//
// # A key and its secret
//
// A secret is shown once, when its key is made or rotated. Its text is
//
//	sl_ + 43 random characters of 0-9A-Za-z + 6 characters of CRC-32 over all before
//
// so a typing mistake is refused before any look-up, and scanners for leaked secrets
// can recognise one without asking. A store keeps the secret's [Digest] (HMAC-SHA-256 under a pepper
// that is stored elsewhere), its prefix and its first 8 characters.
//
// # What a key grants
//
// Scopes say what may be done, resources to what. A key reaches all resources of its owner only when
// All is set; a list narrows that, and an empty list grants nothing. Resources of another owner are
// never reached, whatever the key lists.
//
// # Other ways in
//
// [New] makes an [Authenticator] of API keys and of the panel tokens that [Tokens] mints
// for them. A host with sessions of its own writes another, and hands out a made-up [Key]
// with the rights of that session.
package auth
