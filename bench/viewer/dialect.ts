// Owns what a dialect is: how a viewer says and hears things, whoever serves it. One per socket.

export type Message = string | Uint8Array;

/** What one message from the server means to a viewer. */
export type Received =
  /** The screen begins: so many bytes of text stand for everything before `next`. */
  | { readonly is: "attached"; readonly id: string; readonly text: string; readonly next: number }
  | {
      readonly is: "output";
      readonly id: string;
      readonly data: string | Buffer;
      readonly offset: number;
      readonly next: number;
    }
  /** The room wants this number back, with the acks or alone. */
  | { readonly is: "asked"; readonly n: number }
  | { readonly is: "failed"; readonly error: string };

export interface Dialect {
  /** Said when the socket is open. */
  hello(): readonly Message[];
  attach(id: string): readonly Message[];
  input(id: string, data: string): Message;
  /** By terminal, and what was asked for; nothing in a dialect without acks. */
  ack(rendered: ReadonlyMap<string, number>, proof?: number): readonly Message[];
  hear(data: Buffer, binary: boolean): Received | undefined;
  /** The output in a message that was heard before; says nothing of where it stood. */
  body(data: Buffer, binary: boolean): string | Buffer;
}
