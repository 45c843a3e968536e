package wire

import "github.com/errmap/errmap/internal/hub"

func fit(e *hub.Error, o *Encoding, own hub.Wire) (*hub.Error, hub.Notes) { return e, nil }
