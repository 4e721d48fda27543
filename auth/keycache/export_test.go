package keycache

// Held is how many ids of keys the cache holds anything of.
func (c *Cache) Held() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.of)
}
