// Package explain finds the error in a text that somebody has: a body, a response
// with its headers, a stream, what a client prints, a line of a log, the page of a
// proxy. It tells what the error is, whose it is and whether to try again.
//
// What a text is, is told by its structure: by frames, headers, members and their
// types, and never by a text that is known whole. [Recognize] peels one layer after
// the other, a transcript, then a response, then a stream, then a body, until an
// error is left. [Found.Report] tells of it, and shows nothing of credentials,
// cookies and sessions that stood in the text.
package explain
