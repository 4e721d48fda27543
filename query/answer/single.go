package answer

// A Single is a table of one row, whose JSON is the row.
type Single struct{ Table }

// MarshalJSON implements json.Marshaler: it writes the row as an object.
func (s Single) MarshalJSON() ([]byte, error) { return s.AppendJSON(nil), nil }

// AppendJSON appends the row to b as an object, and returns the extended slice.
func (s Single) AppendJSON(b []byte) []byte {
	begin := len(b)
	b = s.Table.AppendJSON(b)
	row := b[begin+1 : len(b)-1] // without the brackets of the array
	return append(b[:begin], row...)
}

// UnmarshalJSON implements json.Unmarshaler: it reads an object as [Table.UnmarshalJSON] reads the rows of a table.
func (s *Single) UnmarshalJSON(b []byte) error {
	rows := append(append(make([]byte, 0, len(b)+2), '['), b...)
	return s.Table.UnmarshalJSON(append(rows, ']'))
}

// Encode is s with its JSON.
func (s Single) Encode() Single { return Single{s.Table.Encode()} }
