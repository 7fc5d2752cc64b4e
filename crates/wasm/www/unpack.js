// The site's modules lie compressed, so that they are as small from a server that compresses
// nothing.

/** The module at a URL, as the module's own script takes it. */
export async function unpack(url) {
  const response = await fetch(url).catch((cause) => {
    throw new Error(
      `${url.pathname} was not loaded (${cause.message}): load the page again`, { cause });
  });
  if (!response.ok)
    throw new Error(`${url.pathname} was not found (${response.status}): is it served?`);
  const module = response.body.pipeThrough(new DecompressionStream('gzip'));
  return new Response(module, { headers: { 'content-type': 'application/wasm' } });
}
