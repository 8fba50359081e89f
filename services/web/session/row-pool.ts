/**
 * Gives each row of a list that is partly rendered a place, and a row that appears the place of one that has gone: its
 * elements are used again with other texts, which costs a fraction of making new ones.
 */
export class RowPool {
  #places: ReadonlyMap<string, number> = new Map();
  #size = 0;

  /** The places of the rows that exist now, in their order; a row keeps its own while it exists. */
  assign(ids: readonly string[]): ReadonlyMap<string, number> {
    const wanted = new Set(ids);
    // In the order of the rows before, so that elements are moved only where rows are.
    const free = [...this.#places].filter(([id]) => !wanted.has(id)).map(([, place]) => place);
    const places = new Map<string, number>();
    for (const id of wanted) places.set(id, this.#places.get(id) ?? free.shift() ?? this.#size++);
    this.#places = places;
    return places;
  }
}
