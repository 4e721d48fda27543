package codec

// This file reads the bits of an aggregate as state_write.go writes them.

// places reads what bitWriter.places wrote of all, which are below some number.
func (r *bitReader) places(below, all int) []uint32 {
	n := r.signed()
	if n == 0 || n < 0 || n > int64(below) || n != int64(all) && n > 8*int64(len(r.b)) {
		r.failed = r.failed || n != 0
		return nil
	}
	places := make([]uint32, n)
	if n == int64(all) {
		for i := range places {
			places[i] = uint32(i)
		}
		return places
	}
	low, next := lowBits(uint64(r.signed()), int(n)), uint64(0)
	for i := range places {
		gap := r.rice(low)
		if gap >= uint64(below)-next || r.failed {
			r.failed = true
			return nil
		}
		places[i] = uint32(next + gap)
		next += gap + 1
	}
	return places
}

// sum turns counts into ends. It fails if a count is 0, or if they are more than the values that are left.
func (r *bitReader) sum(counts []int64) int64 {
	all := int64(0)
	for i, n := range counts {
		if n < 1 || n > 8*int64(len(r.b)) {
			r.failed = true
			return 0
		}
		all += n
		counts[i] = all
	}
	if all > 8*int64(len(r.b)) {
		r.failed = true
		return 0
	}
	return all
}

// samples reads the samples of keys. counts has the lengths of the samples, and afterwards their ends.
func (r *bitReader) samples(counts []int64) []int64 {
	firsts, all := r.numbers(len(counts)), r.sum(counts)
	if r.failed {
		return nil
	}
	values, low := make([]int64, 0, all), uint(0)
	for i, first := range firsts {
		value := first
		values = append(values, value)
		if int64(len(values)) < counts[i] {
			low = uint(r.read(6))
		}
		for int64(len(values)) < counts[i] {
			next := int64(uint64(value) + r.rice(low))
			if next < value || r.failed {
				r.failed = true
				return nil
			}
			value = next
			values = append(values, value)
		}
	}
	return values
}

// sets reads the members of each key, as numbers. When it is called, counts has the number of members by key. It replaces each of them
// by the end of the key's members in the result.
func (r *bitReader) sets(counts []int64, numbers []uint32) []uint32 {
	all := r.sum(counts)
	if r.failed {
		return nil
	}
	members, most := make([]uint32, 0, all), uint64(len(numbers))
	for _, end := range counts {
		low, next := lowBits(most, int(end)-len(members)), uint64(0)
		for int64(len(members)) < end {
			gap := r.rice(low)
			if gap >= most-next || r.failed {
				r.failed = true
				return nil
			}
			next += gap
			members = append(members, numbers[next])
			next++
		}
	}
	return members
}
