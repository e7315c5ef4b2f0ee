// Owns the access to xterm's internals: raw cells, saved cursors, charsets, modes. The version is
// pinned exactly; tests compare whole screens, so a change in xterm shows up.

import type { Terminal } from "@xterm/headless";

/** Bits of a cell's three numbers (content, fg, bg), as in xterm 6. */
export const Content = {
  codePoint: 0x1f_ffff,
  combined: 0x20_0000,
  any: 0x3f_ffff,
  widthShift: 22,
} as const;
export const Fg = {
  inverse: 0x400_0000,
  bold: 0x800_0000,
  underline: 0x1000_0000,
  blink: 0x2000_0000,
  invisible: 0x4000_0000,
  strikethrough: 0x8000_0000,
} as const;
export const Bg = {
  italic: 0x400_0000,
  dim: 0x800_0000,
  extended: 0x1000_0000,
  protected: 0x2000_0000,
  overline: 0x4000_0000,
} as const;
export const COLOR_BITS = 0x3ff_ffff;
export const COLOR_MODE = 0x300_0000;
export const CELL_WORDS = 3;

export interface Extended {
  readonly _ext: number;
  readonly _urlId: number;
}

export interface Line {
  readonly isWrapped: boolean;
  readonly length: number;
  readonly _data: Uint32Array;
  readonly _combined: Readonly<Record<number, string>>;
  readonly _extendedAttrs: Readonly<Record<number, Extended | undefined>>;
}

export interface Attributes {
  readonly fg: number;
  readonly bg: number;
  readonly extended: Extended;
}

export type Charset = Readonly<Record<string, string>> | undefined;

export interface Grid {
  readonly x: number;
  readonly y: number;
  readonly ybase: number;
  readonly lines: { readonly length: number; get(index: number): Line | undefined };
  readonly scrollTop: number;
  readonly scrollBottom: number;
  readonly savedX: number;
  readonly savedY: number;
  readonly savedCurAttrData: { readonly fg: number; readonly bg: number };
  readonly savedCharset: Charset;
  readonly tabs: Readonly<Record<number, boolean | undefined>>;
}

export interface XtermInternals {
  readonly _inputHandler: {
    /** Parses synchronously, whole and in order; the write buffer calls it. */
    parse(data: Uint8Array | string): void | Promise<boolean>;
    print(letters: Uint32Array, start: number, end: number): void;
    cursorCharAbsolute(params: { readonly params: readonly number[] }): boolean;
    eraseInDisplay(params: { readonly params: readonly number[] }): boolean;
    readonly _curAttrData: Attributes;
    readonly _windowTitle: string;
    readonly _parser: { readonly currentState: number; reset(): void };
  };
  readonly _bufferService: {
    readonly buffers: { readonly normal: Grid; readonly alt: Grid; readonly active: Grid };
  };
  readonly _charsetService: {
    readonly glevel: number;
    readonly charset: Charset;
    readonly _charsets: readonly Charset[];
  };
  readonly coreService: {
    readonly isCursorHidden: boolean;
    readonly decPrivateModes: {
      readonly applicationKeypad: boolean;
      readonly cursorBlink: boolean | undefined;
      readonly cursorStyle: "block" | "underline" | "bar" | undefined;
    };
  };
  readonly coreMouseService: { readonly activeProtocol: string; readonly activeEncoding: string };
  readonly _oscLinkService: {
    getLinkData(id: number): { readonly id?: string; readonly uri: string } | undefined;
  };
}

export function getInternals(terminal: Terminal): XtermInternals {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- xterm's own addons reach in alike
  return (terminal as unknown as { readonly _core: XtermInternals })._core;
}
