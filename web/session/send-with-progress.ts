// Owns sending a body over HTTP with progress, which fetch does not report for uploads.

import type { RequestOptions } from "./operations.ts";

/** Posts a body; rejects if the connection is lost or the request cancelled. */
export function sendWithProgress(
  url: string,
  headers: Readonly<Record<string, string>>,
  { body, signal, onSent }: RequestOptions & { readonly body: Blob },
): Promise<Response> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const request = new XMLHttpRequest();
    request.open("POST", url);
    request.responseType = "blob";
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", ({ loaded }) => onSent?.(loaded));
    request.addEventListener("load", () => {
      const answer: unknown = request.response;
      const content = answer instanceof Blob && answer.size > 0 ? answer : null;
      resolve(new Response(content, { status: request.status }));
    });
    request.addEventListener("error", () => reject(new TypeError("The connection was lost")));
    request.addEventListener("abort", () => reject(new TypeError("The request was cancelled")));
    signal?.addEventListener("abort", () => request.abort());
    request.send(body);
  });
}
