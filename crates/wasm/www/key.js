// The key of an HMAC as a reader writes it.
const encoder = new TextEncoder();

/**
 * The bytes of a key in a form: `text` for its UTF-8 bytes, `hex` for pairs of hexadecimal digits, and
 * null for `none`. A key may have no bytes, as in the package. Throws with words that do not repeat the key.
 */
export function keyOf(form, written) {
  if (form === 'none') return null;
  if (form === 'text') return encoder.encode(written);
  // Blanks between digits are how keys are often printed.
  const digits = written.replace(/\s/g, '');
  const wrong = [...written].findIndex((letter) => !/[0-9a-fA-F\s]/.test(letter));
  if (wrong >= 0) {
    throw new Error(
      `character ${wrong + 1} of the key is no hexadecimal digit: those are 0 to 9 and a to f; ` +
      'for a key in words choose “text”');
  }
  if (digits.length % 2 !== 0) {
    throw new Error(
      `the key has ${digits.length} hexadecimal digit${digits.length === 1 ? '' : 's'}, and a byte has two: ` +
      'one is missing, or one too many');
  }
  return Uint8Array.from({ length: digits.length / 2 }, (_, i) => parseInt(digits.slice(2 * i, 2 * i + 2), 16));
}
