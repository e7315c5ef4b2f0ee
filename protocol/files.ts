// Owns the HTTP answers about files that a page sends to the host. Request bodies are the files
// themselves.

/** `GET /w/:workspace/files`: the upload limits. */
export interface FileUploadLimits {
  readonly mostBytes: number;
}

/** `POST /w/:workspace/files?name=…&size=…`, 201: name and path of the file on the host. */
export interface FileUploaded {
  readonly name: string;
  readonly path: string;
  readonly size: number;
}
