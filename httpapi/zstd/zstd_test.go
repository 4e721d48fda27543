package zstd_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"sync"
	"testing"

	klauspost "github.com/klauspost/compress/zstd"

	"github.com/sightline-analytics/sightline/httpapi/zstd"
)

// rows returns an answer of about 100 kB.
func rows() []byte {
	var b strings.Builder
	for i := range 1200 {
		fmt.Fprintf(&b, `{"name":"/blog/article-%d","pageviews":%d,"visitors":%d,"bounce_rate":%d.25},`, i*i, 90000/(i+1), 70000/(i+1), i%100)
	}
	return []byte(b.String())
}

func TestDecodersReadIt(t *testing.T) {
	e, body := zstd.New(), rows()
	d, err := klauspost.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			encoded := e.Encode(body)
			got, err := d.DecodeAll(encoded, nil)
			if err != nil || !bytes.Equal(got, body) || 3*len(encoded) > len(body) {
				t.Errorf("%d bytes became %d and then %d, %v", len(body), len(encoded), len(got), err)
			}
		})
	}
	all.Wait()
}

// BenchmarkEncode compares zstd with the gzip of the standard library, which every API has.
func BenchmarkEncode(b *testing.B) {
	body := rows()
	b.Run("zstd", func(b *testing.B) {
		e := zstd.New()
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			e.Encode(body)
		}
	})
	b.Run("gzip", func(b *testing.B) {
		z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed)
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			var out bytes.Buffer
			z.Reset(&out)
			_, _ = z.Write(body)
			_ = z.Close()
		}
	})
}
