/** The parameters of a statement that is put together from parts. */
export class SqlParameters {
  readonly values: unknown[] = [];

  /** Adds a value and returns its place in the statement, such as `$3`. */
  add(value: unknown): string {
    return `$${this.values.push(value)}`;
  }
}
