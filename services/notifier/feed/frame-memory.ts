/** Frames that are kept in memory together and can be dropped at any time. */
export interface KeptFrames {
  /** Drops the frames; called when memory is needed. */
  evict(): void;
}

/** Bounds the frames of all sessions in memory: above `limitBytes` those that were not used for longest are dropped. */
export class FrameMemory {
  readonly #limitBytes: number;
  /** Least recently used first. */
  readonly #kept = new Map<KeptFrames, number>();
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Size of all kept frames. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Records that `frames` are in use and now have this size. Frames larger than the limit are dropped immediately. */
  keep(frames: KeptFrames, bytes: number): void {
    this.release(frames);
    this.#kept.set(frames, bytes);
    this.#bytes += bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#limitBytes) return;
      this.release(oldest);
      oldest.evict();
    }
  }

  /** Records that `frames` are in use, if they are kept. */
  touch(frames: KeptFrames): void {
    const bytes = this.#kept.get(frames);
    if (bytes === undefined) return;
    this.#kept.delete(frames);
    this.#kept.set(frames, bytes);
  }

  /** Forgets `frames`, which their owner drops itself. */
  release(frames: KeptFrames): void {
    this.#bytes -= this.#kept.get(frames) ?? 0;
    this.#kept.delete(frames);
  }
}
