// What proxy-from-env exports; it brings no types of its own.

declare module "proxy-from-env" {
  /** Empty when the way is straight. Reads the process's environment. */
  export function getProxyForUrl(url: string): string;
}
