package auth

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"

	"github.com/sightline-analytics/sightline/internal/atomicfile"
)

// PepperFile returns the pepper in file. Each line of the file is a pepper, the newest first. A missing file is created
// with a random pepper and mode 0600; its folder must exist. Store the file apart from the store of the keys.
func PepperFile(file string) (Pepper, error) {
	random := make([]byte, 32)
	if _, err := rand.Read(random); err != nil {
		return Pepper{}, err
	}
	if err := atomicfile.Create(file, []byte(hex.EncodeToString(random)+"\n")); err != nil {
		return Pepper{}, fmt.Errorf("create the pepper: %w", err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return Pepper{}, fmt.Errorf("read the pepper: %w", err)
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	for i, line := range lines {
		lines[i] = bytes.TrimSpace(line)
	}
	p, err := NewPepper(lines[0], lines[1:]...)
	if err != nil {
		return Pepper{}, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}
