// The page's question is in its address, so that it can be kept and sent.

/** What the address asks for. */
export function asked() {
  return new URLSearchParams(location.hash.slice(1));
}

/** Puts values into the address, beside those that are there. */
export function keep(values) {
  const question = asked();
  for (const [name, value] of Object.entries(values)) question.set(name, value);
  history.replaceState(null, '', `#${question}`);
}
