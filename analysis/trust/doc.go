// Package trust says what is known of the signatures of a document (RFC "Signatures",
// "Signature Algorithm").
//
// Terms: a signature's target is the step, the path or the graph whose meta holds it. Its
// payload is what a signature of its scope and target signs, in canonical form; the digest
// is the SHA-256 of that. Key material is the content of files with public keys, and a
// keyring is what was read of it. The signer is the actor that the document names, which
// claims keys in meta.actors.
//
// A signature has one [State]. It is [Valid] only if all of this is so: its payload is
// defined and unambiguous; the signature matches it; the key that made it is in the keyring,
// and is neither revoked nor expired; the signature names that key; and the document says
// that it is one of the signer's. Whether the key belongs to that person is no more than
// what the document, and whoever gave the key material, say.
//
// The package itself knows no cryptography but SHA-256: the kinds of keys are in the
// packages below it, which implement [Keys].
package trust
