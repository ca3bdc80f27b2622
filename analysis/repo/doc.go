// Package repo reads what analysis may not read itself: files of the working
// tree and objects of git repositories. It is the only package under analysis
// that does I/O or starts a process. All that it writes are lineage logs, when
// a command asks for it (OpenSpine, AppendSigned).
//
// Terms, which are git's:
//
//   - A root is the top folder of a work tree, or a bare repository's own
//     folder. Always absolute, symbolic links resolved; see [Git.TopLevel].
//   - A revision names a commit: an object id (4 to 64 hex digits) or a
//     refname. Other forms of gitrevisions(7) are refused, since revisions
//     come from documents and documents are not trusted.
//   - A path, of a commit, is relative to the root, slash-separated on every
//     system, and made of bytes: it need not be UTF-8.
//   - A blob is the content of a regular file in a commit, as stored: no
//     end-of-line conversion, no filter, no textconv.
//
// What is read is hostile until shown otherwise. Each read has a byte limit
// that holds before memory is taken; no read waits on a FIFO or a device; no
// call of git runs a program, reaches the network or writes, whatever the
// configuration of the repository says (see [Git]).
package repo
