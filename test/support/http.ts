// Owns requests of tests to a relay that may have been replaced since the last one.

/**
 * By a connection of its own. `fetch` keeps connections for the next request, and writes into one
 * whose workerd has been killed before it hears of that: UND_ERR_SOCKET.
 */
export async function askRelay(
  url: string,
  {
    headers = {},
    ...init
  }: { method?: string; body?: string; headers?: Record<string, string> } = {},
): Promise<Response> {
  return await fetch(url, { ...init, headers: { ...headers, connection: "close" } });
}
