package httpapi

import (
	"net/http"

	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/jsontext"
	"github.com/sightline-analytics/sightline/query"
)

// encode returns a response with v as JSON. It does not copy the tables of a query.Response, and releases each table
// after writing it.
func encode(v any) (*front.Answer, error) {
	b, err := appendAnswer(nil, v)
	if err != nil {
		return nil, err
	}
	return &front.Answer{Status: http.StatusOK, Body: append(b, '\n')}, nil
}

func appendAnswer(b []byte, v any) (_ []byte, err error) {
	switch v := v.(type) {
	case *query.Response:
		return v.Encode(b), nil
	case batchBody:
		b = append(b, `{"success":true,"batch":true,"results":[`...)
		for i, one := range v.Results {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = appendAnswer(b, one); err != nil {
				return nil, err
			}
			v.Results[i] = nil
		}
		return append(b, `]}`...), nil
	}
	return jsontext.Append(b, v)
}
