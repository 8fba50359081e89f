import type { AsyncLocalStorage } from "node:async_hooks";

/** Iterates over what `open` returns; `open` and everything that the iteration runs sees `value` in `storage`. */
export function iterateIn<S, T>(
  storage: AsyncLocalStorage<S>,
  value: S,
  open: () => AsyncIterable<T>,
): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]: () => {
      const inner = storage.run(value, () => open()[Symbol.asyncIterator]());
      return {
        next: () => storage.run(value, () => inner.next()),
        return: async () => {
          await storage.run(value, () => inner.return?.());
          return { done: true, value: undefined };
        },
      };
    },
  };
}
