export interface FrameOptions {
  readonly fin: boolean;
  readonly mask: boolean;
  readonly opcode: number;
  readonly readOnly: boolean;
  readonly rsv1: boolean;
}

/** Public in the library, but missing from its types. */
declare module "ws" {
  export const Sender: {
    /** The parts of one WebSocket frame: its header and, unmasked, `data` itself. */
    frame(data: Buffer, options: FrameOptions): Buffer[];
  };

  export interface ServerOptions {
    /** How many pongs may wait to be written before the socket is destroyed. */
    maxPendingAutoPongs?: number;
  }
}
