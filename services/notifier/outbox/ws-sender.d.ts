/** Exported only to make this file a module, so that the declaration below extends `ws`. */
export interface FrameOptions {
  readonly fin: boolean;
  readonly mask: boolean;
  readonly opcode: number;
  readonly readOnly: boolean;
  readonly rsv1: boolean;
}

/** `ws` exports `Sender`, but its published types do not declare it. */
declare module "ws" {
  export const Sender: {
    /** The parts of one WebSocket frame: the header and, if unmasked, `data` itself. */
    frame(data: Buffer, options: FrameOptions): Buffer[];
  };

  export interface ServerOptions {
    /** The number of pongs that may wait to be written before the socket is destroyed. */
    maxPendingAutoPongs?: number;
  }
}
