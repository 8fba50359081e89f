/** A row whose null members are absent. */
type WithoutNulls<T> = { [K in keyof T as null extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as null extends T[K] ? K : never]?: Exclude<T[K], null>;
};

/** Removes the null members of a row. */
export function withoutNulls<T extends object>(row: T): WithoutNulls<T>;
export function withoutNulls(row: object): object {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}
