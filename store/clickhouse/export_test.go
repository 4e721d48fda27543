package clickhouse

// Waiting returns the number of rows that wait, without rows of groups in progress.
func (s *Store) Waiting() int {
	s.queue.mu.Lock()
	defer s.queue.mu.Unlock()
	return s.queue.rows
}
