// Owns what a picture is made of: cells, each with its character, its colours and its look.

/** 0xRRGGBB. */
export type Color = number;

export interface PictureCell {
  /** A character and what combines with it; "" for an empty cell. */
  readonly text: string;
  /** Columns that it takes; 0 for the second half of a wide one. */
  readonly width: number;
  readonly color: Color;
  readonly background: Color;
  readonly bold: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly strikethrough: boolean;
  readonly overline: boolean;
}

export interface PictureSource {
  readonly cols: number;
  readonly rows: number;
  readonly cell: (column: number, row: number) => PictureCell;
  /** Undefined while the program hides it. */
  readonly cursor: { readonly x: number; readonly y: number; readonly color: Color } | undefined;
}
