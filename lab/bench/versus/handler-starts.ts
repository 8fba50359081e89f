/** When the handler of each unit of work started; a unit may have started several times. */
export class HandlerStarts {
  readonly #startsNs = new Map<string, number[]>();

  /** `atNs` is in nanoseconds of the machine's monotonic clock. */
  add(id: string, atNs: number): void {
    const starts = this.#startsNs.get(id) ?? [];
    starts.push(atNs);
    this.#startsNs.set(id, starts);
  }

  /** How often each unit started. */
  counts(): Map<string, number> {
    return new Map([...this.#startsNs].map(([id, starts]) => [id, starts.length]));
  }

  /** From sending each of these units to its only start, in milliseconds. Throws unless each started exactly once. */
  delaysMs(sentAtNs: ReadonlyMap<string, number>, system: string): number[] {
    return [...sentAtNs].map(([id, sentAt]) => {
      const starts = this.#startsNs.get(id) ?? [];
      const [startedAt] = starts;
      if (startedAt === undefined || starts.length > 1) {
        throw new Error(`${system}: the handler of ${id} started ${starts.length} times`);
      }
      return (startedAt - sentAt) / 1e6;
    });
  }
}
