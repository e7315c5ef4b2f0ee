// Owns the cells of a picture: character, colours and style of each.

/** 0xRRGGBB. */
export type Color = number;

export interface PictureCell {
  /** A character with its combining marks; "" for an empty cell. */
  readonly text: string;
  /** Number of columns; 0 for the second half of a wide character. */
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
  readonly getCell: (column: number, row: number) => PictureCell;
  /** Undefined while the program hides it. */
  readonly cursor: { readonly x: number; readonly y: number; readonly color: Color } | undefined;
}
