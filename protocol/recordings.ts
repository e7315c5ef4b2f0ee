// Owns what is told of recordings over HTTP: `GET /w/:workspace/recordings` is a list of these. One of
// them, `/recordings/:id`, is an asciicast.

export interface RecordingRow {
  readonly id: string;
  /** What the terminal was called. */
  readonly title: string;
  /** Unix ms. */
  readonly startedAt: number;
  readonly seconds: number;
  readonly bytes: number;
  readonly running?: true;
}
