package clickhouse

// Waiting is how many rows wait to be stored, but for those that are being stored.
func (s *Store) Waiting() int {
	s.queue.mu.Lock()
	defer s.queue.mu.Unlock()
	return s.queue.rows
}
