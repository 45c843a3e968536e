// Package gateway has servers that others wrote behind "errmap gateway": with the
// reflection of their own libraries, over each version of HTTP, and dying in the
// middle of an answer.
package gateway
