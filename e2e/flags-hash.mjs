// Hash version 2 of feature flags, as the comment of package flags specifies it, with an implementation of
// SHA-256 that is synchronous and needs no package.

/** Returns the 64-bit hash of an id for a purpose and the key of a flag, as a BigInt. */
export function mix(purpose, key, id) {
  const [high, low] = sha256(new TextEncoder().encode(`${purpose}\0${key}\0${id}`));
  return (BigInt(high) << 32n) | BigInt(low);
}

/** Returns which of n equal parts of all hashes a hash lies in. */
export const part = (hash, n) => Number((hash * BigInt(n)) >> 64n);

const primes = [];
for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p)) primes.push(n);
const fraction = (x) => ((x - Math.floor(x)) * 2 ** 32) >>> 0;
const initial = primes.slice(0, 8).map((p) => fraction(Math.sqrt(p)));
const rounds = primes.map((p) => fraction(Math.cbrt(p)));
const rotate = (x, n) => (x >>> n) | (x << (32 - n));

/** Returns SHA-256 of bytes as eight unsigned integers of 32 bits. */
function sha256(bytes) {
  const blocks = Math.ceil((bytes.length + 9) / 64);
  const padded = new Uint8Array(blocks * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, bytes.length * 8); // enough for texts below 512 MB
  const state = [...initial];
  const w = new Int32Array(64);
  for (let at = 0; at < padded.length; at += 64) {
    for (let i = 0; i < 64; i++) {
      if (i < 16) {
        w[i] = view.getInt32(at + i * 4);
        continue;
      }
      const s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ (w[i - 15] >>> 3);
      const s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ (w[i - 2] >>> 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const t1 = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + rounds[i] + w[i];
      const t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      [a, b, c, d, e, f, g, h] = [(t1 + t2) | 0, a, b, c, (d + t1) | 0, e, f, g];
    }
    [a, b, c, d, e, f, g, h].forEach((x, i) => (state[i] = (state[i] + x) | 0));
  }
  return state.map((x) => x >>> 0);
}
