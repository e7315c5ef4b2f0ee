// Types of proxy-from-env, which ships none.

declare module "proxy-from-env" {
  /** Returns the proxy's URL, or "" for a direct connection. Reads the process's environment. */
  export function getProxyForUrl(url: string): string;
}
