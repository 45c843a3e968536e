package errmapmcp

import (
	"golang.org/x/time/rate"
)

const (
	// DefaultMaxPages is the cap of a walk over pages where WithPagination names
	// none.
	DefaultMaxPages = 1000
	// DefaultMaxMessage is the cap of a message in bytes where WithMaxMessage names
	// none: what the SDK allows for a line or an event.
	DefaultMaxMessage = 16 << 20
)

// An Option changes what a [Client] does: it asks for something that a client does
// not do by itself, or sets one of its limits.
type Option interface{ apply(*config) }

type option func(*config)

func (f option) apply(c *config) { f(c) }

type config struct {
	policy     Policy
	approver   Approver
	preHooks   []PreHook
	postHooks  []PostHook
	inFlight   int
	queue      int
	limiter    *rate.Limiter
	maxMessage int
	maxPages   int
	rounds     roundCaps
	loop       bool
	maxStdio   int
	toolErrors bool
	noRenewal  bool
	renewed    func(Renewal)
}

// WithPolicy has f decide on each request before anything else: see [Policy].
func WithPolicy(f Policy) Option { return option(func(c *config) { c.policy = f }) }

// WithApprover has f decide on the requests for which the policy asks, such as
// by asking a person. Without an approver those are denied; without a policy
// f decides on all.
func WithApprover(f Approver) Option { return option(func(c *config) { c.approver = f }) }

// WithPreHook adds a hook that runs before a request is sent, after those that
// were added before it. It fails closed: where it returns an error or panics the
// request is not sent and fails as [KindHook].
func WithPreHook(f PreHook) Option {
	return option(func(c *config) { c.preHooks = append(c.preHooks, f) })
}

// WithPostHook adds a hook that runs on each result, after those that were added
// before it. It fails closed: where it returns an error or panics the result is
// withheld and the request fails as [KindHook].
func WithPostHook(f PostHook) Option {
	return option(func(c *config) { c.postHooks = append(c.postHooks, f) })
}

// WithMaxInFlight lets at most n requests of the client be under way at a time,
// and at most queue more wait for their turn; the next fails as
// [KindOverloaded]. An n below 1 means no limit. A request that an input handler
// makes with the context that it was given rides on the place of the request it
// belongs to.
func WithMaxInFlight(n, queue int) Option {
	return option(func(c *config) { c.inFlight, c.queue = n, queue })
}

// WithRate lets at most perSecond requests a second through on average, and
// burst of them at once. The next fails as [KindRateLimited], with the time after
// which there is room again.
func WithRate(perSecond float64, burst int) Option {
	return option(func(c *config) { c.limiter = rate.NewLimiter(rate.Limit(perSecond), burst) })
}

// WithMaxMessage caps a message at n bytes, in both directions: a JSON body, an
// event or a line. A request over the cap is not sent. An answer over it fails
// its request as [KindMessageTooLarge]; on stdio, where nothing tells to which
// request a line belongs, it ends the connection. 0 means DefaultMaxMessage, a
// negative number no cap.
func WithMaxMessage(n int) Option { return option(func(c *config) { c.maxMessage = n }) }

// WithPagination has the walks of a [Session] (Tools, Prompts, Resources and
// ResourceTemplates) fail as [KindPaginationCycle] where there is more after
// maxPages pages. 0 means DefaultMaxPages, as it is without this option, and a
// negative number no cap. A cursor that repeats ends a walk in any case.
func WithPagination(maxPages int) Option {
	return option(func(c *config) { c.maxPages = maxPages })
}

// WithRounds caps the multi-round-trip loop of a request: how often the server
// may be sent the input that it asks for, how many inputs it may ask for in all,
// and how many bytes of state it may have the client carry. Beyond a cap the
// request fails as [KindMRTRRoundLimit]. 0 means the default of that cap, a
// negative number none. By default a server is sent input 10 times, as the SDK
// has it, and 100 inputs in all; state is as long as a message may be.
//
// The option turns the loop on where ClientOptions.MultiRoundTrip turns the
// SDK's off.
func WithRounds(rounds, inputs, stateBytes int) Option {
	return option(func(c *config) { c.rounds, c.loop = roundCaps{rounds, inputs, stateBytes}, true })
}

// WithMaxStdioServers lets the client have at most n stdio servers running at a
// time. Connecting to one more fails as [KindOverloaded]. A server counts until
// it has exited.
func WithMaxStdioServers(n int) Option { return option(func(c *config) { c.maxStdio = n }) }

// WithToolErrors has [Session.CallTool] return the error of a tool that ran and
// failed, as [FromResult] reads it, beside its result. It is an [*errmap.Error]
// and no [*Error], since the client did not fail. Use it in a program that acts
// on typed errors; a host that gives results to a model does without it.
func WithToolErrors() Option { return option(func(c *config) { c.toolErrors = true }) }

// WithoutRenewal has requests of a session that the server does not know any more
// fail as [KindSessionExpired] at once, rather than open a new session and repeat
// them. Use it where the server keeps something in a session that a new one has not.
func WithoutRenewal() Option { return option(func(c *config) { c.noRenewal = true }) }

// WithRenewals has f told of each session that was opened anew in the place of one
// that the server did not know any more, before the requests that wait for it are
// repeated. f must not make requests of the session. It may be called concurrently,
// of different sessions.
func WithRenewals(f func(Renewal)) Option { return option(func(c *config) { c.renewed = f }) }
