// Owns the list of recordings over HTTP, `GET /w/:workspace/recordings`. A single one,
// `/recordings/:id`, is an asciicast.

export interface RecordingRow {
  readonly id: string;
  /** Name of the terminal at that time. */
  readonly title: string;
  /** Unix ms. */
  readonly startedAt: number;
  readonly seconds: number;
  readonly bytes: number;
  readonly running?: true;
}
