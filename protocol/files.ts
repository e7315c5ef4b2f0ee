// Owns what is said about files that a page sends to the host. Bodies are the files themselves.

/** `GET /w/:workspace/files`: what may be sent. */
export interface FilesAnswer {
  readonly mostBytes: number;
}

/** `POST /w/:workspace/files?name=…&size=…`, 201: where it is on the host, under which name. */
export interface FileTaken {
  readonly name: string;
  readonly path: string;
  readonly size: number;
}
