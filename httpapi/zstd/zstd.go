// Package zstd compresses answers of package httpapi with zstd, which takes less time than gzip and makes them smaller:
//
//	api := httpapi.Options{Encoders: []httpapi.Encoder{zstd.New()}}
//	service, err := sightline.New(sightline.Config{API: api, ...})
//
// It is a package of its own because of its module, which httpapi does not need.
package zstd

import (
	"bytes"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/sightline-analytics/sightline/httpapi"
)

// window is the range of an encoder in bytes. Most responses are shorter.
const window = 256 << 10

// New returns an encoder for [httpapi.Config]. It is safe for concurrent use.
func New() httpapi.Encoder {
	var encoders sync.Pool // of *zstd.Encoder, which are large
	return httpapi.Encoder{Name: "zstd", Encode: func(body []byte) []byte {
		z, ok := encoders.Get().(*zstd.Encoder)
		if !ok { // the options are valid
			z, _ = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
				zstd.WithWindowSize(window), zstd.WithLowerEncoderMem(true))
		}
		defer encoders.Put(z)
		encoded := z.EncodeAll(body, make([]byte, 0, len(body)/4))
		if cap(encoded) > 2*len(encoded) {
			return bytes.Clone(encoded)
		}
		return encoded
	}}
}
